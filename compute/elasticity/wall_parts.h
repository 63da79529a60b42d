// The parts of a wall that move on their own.
#pragma once

#include "compute/elasticity/wall_system.h"

namespace systole::elasticity {

/// Throws ComputeError if a part of the wall (voxels connected by faces) has no three nodes of
/// known motion off a line: its rigid motions would cost no energy. `motionOf` has an element per
/// node, null where nothing is known. Parts that share an edge alone could turn about it and count
/// as two.
void requireEveryPartKnown(const WallMesh& mesh, std::span<const KnownMotion* const> motionOf);

} // namespace systole::elasticity
