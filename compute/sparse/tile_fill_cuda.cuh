// The family of tile_fill.h on the device.
#pragma once

#include "compute/cuda/compiled_cost.h"
#include "compute/cuda/kernel_task.h"
#include "compute/sparse/tile_fill.h"

namespace systole::sparse {

/// A band of 9 tiles in each of 8192 rows of tiles. The side says how full they are:
/// entriesOfTile().
lab::KernelTask makeTileFillTask(CudaContext& cuda, int side);
std::vector<CompiledCost> compiledTileFillCosts();

} // namespace systole::sparse
