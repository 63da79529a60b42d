// How a displacement changes volume: the determinant of I + grad w in each voxel, 1 where volume is
// preserved, 0 or less where tissue would fold.
#pragma once

#include "compute/core/frame_stage.h"
#include "compute/core/volume.h"

#include <cstddef>
#include <functional>

namespace systole {

/// det(I + ∇w) at a voxel. Differences in voxels: central inside, one-sided at the border, none
/// along an axis of one voxel.
double jacobianDeterminant(FieldView<const float> field, int x, int y, int z);

struct JacobianFigures {
    std::size_t folded = 0;           ///< voxels whose determinant is at most the threshold
    double smallest = 0, largest = 0; ///< determinants
};

/// Statistics of all determinants. Bitwise equal for any number of threads. `displacement` is on
/// the host and not empty.
JacobianFigures jacobianFigures(FieldView<const float> displacement, double threshold,
                                const ExecContext& ctx);
/// The stage's parameter: the threshold of a voxel that counts as folded.
inline constexpr const char* foldThreshold = "threshold";

/// Cells between eight voxels where the determinant of the trilinear field isn't proven to be above
/// 0 (folds::Cell::isAbove()).
std::size_t cellsThatMayFold(FieldView<const float> displacement, const ExecContext& ctx);
/// Cells that may fold as a percentage of all cells.
double percentThatMayFold(FieldView<const float> displacement, const ExecContext& ctx);

/// The volume change on average, of the voxels that count and don't fold.
struct VolumeChange {
    std::size_t voxels = 0;
    double mean = 0;            ///< mean of the determinant
    double meanLogarithm = 0;   ///< mean of its natural logarithm: 0 if nothing grows or shrinks
    double spreadLogarithm = 0; ///< standard deviation of the logarithm
};

/// Change of the voxels with a mask above 0; an empty mask: all. Bitwise equal for any number of
/// threads. The averages are NaN if there is no such voxel.
VolumeChange volumeChange(FieldView<const float> displacement, VolumeView<const float> mask,
                          const ExecContext& ctx);

/// The determinant in each voxel. `out` of the field's size.
void jacobianMap(FieldView<const float> displacement, VolumeView<float> out,
                 const ExecContext& ctx);

/// The stage "jacobian" with the figures "folded voxels" (%) and "smallest determinant". `seen`
/// gets all figures of the determinants that it finds; null: nobody does.
FrameStage jacobianStage(std::function<void(const JacobianFigures&)> seen = {});

} // namespace systole
