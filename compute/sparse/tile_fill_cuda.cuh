// The family of tile_fill.h on the device.
#pragma once

#include "compute/cuda/compiled_cost.h"
#include "compute/cuda/kernel_task.h"
#include "compute/sparse/tile_fill.h"

namespace systole::sparse {

/// A band of 9 tiles in each of 8192 rows of tiles. The side is how full they are: side / 4 entries
/// of 64 in each tile, at least one, full from a side of 256 on.
lab::KernelTask makeTileFillTask(CudaContext& cuda, int side);
std::vector<CompiledCost> compiledTileFillCosts();

} // namespace systole::sparse
