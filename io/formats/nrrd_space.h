// Position of the axes of a NRRD file: by "space directions", else by the statements about each
// axis ("spacings", "axis mins", "axis maxs", "centers").
#pragma once

#include "compute/core/geometry.h"
#include "io/formats/nrrd_header.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace systole {

/// Maps coordinates of a named space to LPS: "right-anterior-superior", "RAS", and any other order
/// of the three pairs. Nothing: the name states no orientation (also "scanner-xyz").
std::optional<Matrix3> lpsOfNrrdSpace(const std::string& space);

struct NrrdAxis {
    std::int64_t size = 1;
    double spacing = 0, min = 0, max = 0; ///< values in the header; NaN: it states none
    enum class Center { Unknown, Cell, Node } center = Center::Unknown;
};
/// The header's axes, in its order. Throws FileError.
std::vector<NrrdAxis> nrrdAxes(const std::string& path, const NrrdHeader& header,
                               const std::vector<std::int64_t>& sizes);

/// The samples of an axis; NaN: unknown.
struct NrrdSamples {
    double step = 0, first = 0;
    bool assumedCells = false; ///< nothing says whether `min` is a border or a sample
};
/// The samples of an axis by NRRD's definition: those of a cell lie half a step within its borders,
/// those of a node on them; a cell where nothing is stated. Throws FileError where spacing, min and
/// max contradict.
NrrdSamples samplesOf(const std::string& path, const NrrdAxis& axis);

/// Millimeters of a unit of length; 1 for an empty one. Throws FileError for an unknown one.
double nrrdMillimeters(const std::string& path, const std::string& unit);

struct NrrdPlace {
    Vec3 spacing{1, 1, 1}, origin;  ///< mm, LPS
    Matrix3 columns = identity3;    ///< directions of the axes of space, LPS
    std::string assumedOrientation; ///< text as in StoredImage
};
/// `spatial` are the three axes of space, `directions` those of the header. Throws FileError.
NrrdPlace nrrdPlace(const std::string& path, const NrrdHeader& header,
                    const std::vector<NrrdAxis>& axes, const std::array<std::size_t, 3>& spatial,
                    const NrrdVectors& directions, std::vector<std::string>& notes);

} // namespace systole
