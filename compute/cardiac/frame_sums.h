// Sums over wall and cavity in several frames at once, the frames next to each other in vectors: no
// voxel's change is stored, and weights and places are read once for all of them.
#pragma once

#include "compute/cardiac/wall_sums.h"

#include <array>
#include <span>
#include <vector>

namespace systole::cardiac {

/// Sums over the voxels of a cavity add this many first: VentricleFits::change() and
/// determinantSums(), whose volumes have the same bits.
inline constexpr int cavityChunk = 256;

/// The values of wallSumsOf() for each frame; a zero may have the other sign. `changes`, of which
/// the first is end diastole, have their sums (VentricleFits::carried()), and `wall` the motion to
/// them. Throws Cancelled.
std::vector<WallSums> wallSumsOfFrames(const WallSumming& how, std::span<const FrameChange> changes,
                                       std::span<const Displacements> wall, const ExecContext& ctx);

/// Σ det F over the voxels of a tissue, by frame. The same bits for any number of threads. Throws
/// Cancelled.
std::vector<double> determinantSums(const TissueVoxels& voxels, const TissueFits& fits,
                                    std::span<const Displacements> frames, const ExecContext& ctx);

} // namespace systole::cardiac
