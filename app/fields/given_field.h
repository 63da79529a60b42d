// Displacement fields that other programs made, read in the convention that they stand in.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/motion_estimator.h"
#include "compute/measures/convention_trial.h"
#include "io/field_reader.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace systole {

/// The frames between which a field is.
struct FieldImages {
    std::shared_ptr<const Volume> fixed, moving;
};
/// By the number of the field in a list; called once for each.
using FieldImagesOf = std::function<FieldImages(std::size_t field)>;

/// How fields of one writer are read.
struct FieldReading {
    const FieldConvention* convention = nullptr;
    std::string basis{}; ///< where it is known from: "said by the file", "given, ...", ...
    /// What isn't proved, and where a file says another convention than the user; empty: nothing.
    std::string warning{};
    // Without images both are empty.
    std::vector<ConventionTrial::Score> scores{};
    std::vector<FrameGrids> grids{}; ///< of the images, by field
};

/// `named` is the user's convention, `images` prove it; each may be missing. What the file says
/// leaves open the direction, and of FSL's fields whether they are positions: images decide.
/// Throws FileError where the images contradict what user or file say, and, unless one is named,
/// where a file says another convention than the first; UnknownConvention where the file doesn't
/// say, none is named and images are missing or don't tell; and what readRawField() and
/// ConventionTrial::add() throw.
FieldReading readingOf(const std::vector<std::string>& files, const FieldConvention* named,
                       const FieldImagesOf& images, const ExecContext& ctx);

/// Displacements in LPS mm from the fixed to the moving image; a backward one is inverted
/// (invertField()). `grids` are those of the images; null: both are the field's own. Throws
/// FileError, also where a part of a backward field has no inverse.
MillimeterField readGivenField(const std::string& path, const FieldConvention& convention,
                               const FrameGrids* grids, const ExecContext& ctx);

} // namespace systole
