// The label map of a heart: which of its labels is what.
#pragma once

#include "compute/cardiac/label_roles.h"
#include "compute/cardiac/measure_errors.h"
#include "compute/cardiac/ventricle.h"
#include "compute/core/volume.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace systole {

struct StrainLabels {
    cardiac::LabelRoles roles;
    std::shared_ptr<const cardiac::TissueMap> tissue;
    std::vector<std::string> notes{}; ///< of the map's grid, and of labels above 255
};
/// Of a map of labels that was read from the file `path`. Throws FileError that names it.
StrainLabels strainLabels(const Volume& map, const std::string& path,
                          const cardiac::LabelRoles& given);
/// Half an ellipsoid through three points (point_shell.h), of no labels. Throws ComputeError.
StrainLabels strainLabels(const Geometry& grid, const cardiac::GivenPoints& points);
/// Reads a label map of one frame. Throws FileError, also for several frames, and for other voxels
/// than those of `grid` (labelsOnGrid()). `numbers`, where it is set, gets the labels of the file,
/// also where it then throws because they can't be told apart.
StrainLabels readStrainLabels(const std::string& path, const Geometry& grid,
                              const cardiac::LabelRoles& given, const ExecContext& ctx,
                              std::vector<int>* numbers = nullptr);

/// The points for the labels of a file.
struct StrainPoints {
    cardiac::GivenPoints given;
    std::string record{};             ///< the file that they are of; empty: the user's own, or none
    std::vector<std::string> notes{}; ///< where they are from, or why those of a record aren't used
};
/// The user's own; if there are none, those that the label map was found from, as the record beside
/// it (label_record.h) says. They count in the frame in which they lie; `frame` is that of the
/// labels.
StrainPoints strainPoints(const cardiac::GivenPoints& own, const std::string& labelMap, int frame);

/// Why strain can't be measured with labels that a segmentation has made, a clause without full
/// stop; empty: it can. `points` are those that strain will be given.
std::string whyNoStrain(const std::vector<std::uint8_t>& labels, const Geometry& grid,
                        const cardiac::GivenPoints& points, ExecContext& ctx);
} // namespace systole
