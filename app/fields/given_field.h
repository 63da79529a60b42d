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

/// The images between which a field leads.
struct FieldImages {
    std::shared_ptr<const Volume> fixed, moving;
};
/// Gives the images of a field by its index in a list; called once for each.
using FieldImagesOf = std::function<FieldImages(std::size_t field)>;

/// The convention by which fields of one writer are read, and the evidence for it.
struct FieldReading {
    const FieldConvention* convention = nullptr;
    std::string basis{}; ///< source of the convention: "said by the file", "given, ...", ...
    /// Sentences on what isn't proved, and on a file that states another convention than the user;
    /// empty: none.
    std::string warning{};
    std::vector<std::string> notes{}; ///< notes on what the first file leaves open
    // Scores and grids of the images are empty without images.
    std::vector<ConventionTrial::Score> scores{};
    std::vector<FrameGrids> grids{}; ///< grids of the images, by field
    Geometry grid{};                 ///< grid of the first file
};

/// Determines the convention of fields. `named` is the user's, `images` prove it; each may be
/// missing. A file leaves open the direction, and FSL's whether they are positions: images decide.
/// Throws FileError where the images contradict what user or file say, and, unless one is named,
/// where a file says another convention than the first; UnknownConvention where the file doesn't
/// say, none is named and images are missing or don't tell; and what readRawField() and
/// ConventionTrial::add() throw.
FieldReading readingOf(const std::vector<std::string>& files, const FieldConvention* named,
                       const FieldImagesOf& images, const ExecContext& ctx);

/// The convention that a file states, as far as it does.
struct SaidConvention {
    StatedConvention stated;
    const FieldConvention* convention = nullptr; ///< convention that follows from it; null: none

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
    /// Grid of the displacements that read() returns for the first field.
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
    std::optional<RawField> first_;      ///< the first field, until read() returns it
    std::optional<SaidConvention> said_; ///< convention of the first; empty: all are known to agree
};

} // namespace systole
