// Displacement fields that other programs made, read in the convention that they stand in.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/motion_estimator.h"
#include "compute/measures/convention_trial.h"
#include "io/field_reader.h"

#include <functional>
#include <memory>
#include <optional>
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
    std::vector<std::string> notes{}; ///< on what the first file leaves open
    // Without images both are empty.
    std::vector<ConventionTrial::Score> scores{};
    std::vector<FrameGrids> grids{}; ///< of the images, by field
    Geometry grid{};                 ///< of the first file
};

/// `named` is the user's convention, `images` prove it; each may be missing. What the file says
/// leaves open the direction, and of FSL's fields whether they are positions: images decide.
/// Throws FileError where the images contradict what user or file say, and, unless one is named,
/// where a file says another convention than the first; UnknownConvention where the file doesn't
/// say, none is named and images are missing or don't tell; and what readRawField() and
/// ConventionTrial::add() throw.
FieldReading readingOf(const std::vector<std::string>& files, const FieldConvention* named,
                       const FieldImagesOf& images, const ExecContext& ctx);

/// The convention that a file says, as far as it does.
struct SaidConvention {
    StatedConvention stated;
    const FieldConvention* convention = nullptr; ///< that follows; null: none

    explicit SaidConvention(const RawField& raw)
        : stated(raw.stated), convention(statedConvention(raw)) {}
};

/// Displacements in LPS mm from the fixed to the moving image; a backward one is inverted
/// (invertField()). `grids` are those of the images; null: both are the field's own. Throws
/// FileError, also where a part of a backward field has no inverse.
MillimeterField readGivenField(const std::string& path, const FieldConvention& convention,
                               const FrameGrids* grids, const ExecContext& ctx);

/// The fields of one writer, one after another: with images those are read twice, for the proof and
/// for their numbers, without them once, and a file is compared with the first when its turn comes.
class GivenFieldFiles {
public:
    /// Throws what readingOf() throws. `ctx` must outlive it.
    GivenFieldFiles(std::vector<std::string> files, const FieldConvention* named,
                    const FieldImagesOf& images, const ExecContext& ctx);

    /// Throws what readGivenField() throws, and FileError for another convention than the first.
    MillimeterField read(std::size_t field);
    const std::vector<std::string>& files() const { return files_; }
    /// Its warning is of what has been read.
    const FieldReading& reading() const { return reading_; }
    /// Of what read() gives for the first.
    const Geometry& grid() const {
        return reading_.convention->backward && !reading_.grids.empty()
                   ? reading_.grids.front().fixed
                   : reading_.grid;
    }

private:
    std::vector<std::string> files_;
    const FieldConvention* named_;
    const ExecContext& ctx_;
    FieldReading reading_;
    std::optional<RawField> first_;      ///< until it is asked for
    std::optional<SaidConvention> said_; ///< by the first; empty: all are known to agree
};

} // namespace systole
