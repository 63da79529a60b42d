// Affine maps on disk: ITK's transform files and 4×4 matrices in text.
#pragma once

#include "compute/core/affine_map.h"
#include "compute/core/motion_estimator.h"

#include <optional>
#include <string>

namespace systole {

/// The frame of a 4×4 matrix of 16 numbers in a text file.
enum class MatrixFormat {
    Lps,      ///< ours: LPS mm, fixed to moving
    NiftyReg, ///< RAS mm, fixed (reference) to moving (floating)
    /// FLIRT's: from the moving to the fixed image, in mm from the corner of each grid, with x
    /// mirrored where the grid's axes are right-handed in RAS
    Fsl
};

/// The map. Throws FileError where a number of it lies beyond the bounds of any file (bounds.h),
/// and where it can't be inverted.
AffineMap checkedMap(const std::string& path, const AffineMap& map);

/// Whether the file begins as an ITK transform file in text (.tfm, .txt).
bool isItkTransform(const std::string& path);

/// Reads the linear transform of an ITK file. Throws FileError for several transforms that aren't
/// composed, for ones that aren't linear in 3D, and for another number of parameters than theirs.
AffineMap readItkAffine(const std::string& path);
/// Writes an AffineTransform_double_3_3 with its center at the origin.
void writeItkAffine(const std::string& path, const AffineMap& map);

/// The map of a text of 16 numbers, the last four 0 0 0 1, or three lines of the first 12, perhaps
/// with comments (#); between them blanks, commas or semicolons, and decimal commas where only they
/// make a matrix of the text. Nothing where the file holds more than numbers. `grids` are needed
/// for Fsl alone. Throws FileError for other numbers, and for a map that can't be inverted.
std::optional<AffineMap> readMatrix(const std::string& path, MatrixFormat format,
                                    const FrameGrids& grids);
/// Four lines of four numbers.
void writeMatrix(const std::string& path, const AffineMap& map, MatrixFormat format,
                 const FrameGrids& grids);

} // namespace systole
