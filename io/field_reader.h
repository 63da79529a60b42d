// Vector images of transformations, as ITK, ANTs, greedy, elastix, NiftyReg, FSL and we write them.
#pragma once

#include "compute/core/field_convention.h"
#include "compute/core/volume.h"
#include "io/base/error.h"

#include <string>
#include <vector>

namespace systole {

/// A file that doesn't say what its numbers are.
class UnknownConvention : public FileError {
    using FileError::FileError;
};

/// The numbers as they stand in the file: three components, or three frames of a NIfTI file. Throws
/// FileError for anything else, and for numbers that aren't finite.
RawField readRawField(const std::string& path, BufferPool& pool);

/// They as displacements in LPS mm on the grid of the file, to an image on the grid `other`; of a
/// backward convention those that lead back. Throws FileError where one is out of bounds.
MillimeterField displacementsOf(const std::string& path, RawField raw,
                                const FieldConvention& convention, const Geometry& other);

/// "doesn't say what its three numbers per voxel are: ...", with the reason where one is known.
std::string unsaidConvention(const StatedConvention& stated);

/// Throws FileError where a field doesn't say how its axes lie (`assumed` is its note on that), and
/// the image to which it belongs has other axes than were assumed.
void requireAxesOf(const Geometry& image, const std::string& path, const Geometry& field,
                   const std::string& assumed);

/// Throws FileError for control points of a spline.
void requireVoxels(const std::string& path, bool isSpline);

struct StoredVectors {
    MillimeterField field; ///< displacements in LPS mm on the grid of the file
    /// The vectors belong to control points of a cubic B-spline, not to voxels.
    bool isSpline = false;
    bool backward = false; ///< they lead from the moving to the fixed image, as the file says
    std::vector<std::string> notes{};
    std::string assumedOrientation{}; ///< text as in RawField
};

/// Reads vectors in the convention that the file states. `other` is the moving image's grid, on
/// which fields of FSL depend; null: the file's own. Throws FileError; UnknownConvention where the
/// file states no convention.
StoredVectors readVectors(const std::string& path, BufferPool& pool,
                          const Geometry* other = nullptr);

} // namespace systole
