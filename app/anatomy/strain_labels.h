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
    std::vector<std::string> notes{}; ///< notes on the map's grid and on labels above 255
};
/// Labels from a map that was read from the file `path`. Throws FileError that names it.
StrainLabels strainLabels(const Volume& map, const std::string& path,
                          const cardiac::LabelRoles& given);
/// Half an ellipsoid through three points (point_shell.h), without a label map. Throws
/// ComputeError.
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
    std::string record{}; ///< the record with the points; empty: the user's own, or none
    std::vector<std::string> notes{}; ///< the source of the points, or why a record's aren't used
};
/// The user's own points; if there are none, those that the label map was found from, according to
/// the record next to it (label_record.h). They count only in the frame in which they lie; `frame`
/// is that of the labels.
StrainPoints strainPoints(const cardiac::GivenPoints& own, const std::string& labelMap, int frame);

/// The reason why strain can't be measured with labels that a segmentation has made, a clause
/// without full stop; empty: it can. `points` are those that strain will be given.
std::string whyNoStrain(const std::vector<std::uint8_t>& labels, const Geometry& grid,
                        const cardiac::GivenPoints& points, ExecContext& ctx);
} // namespace systole
