// The family of tile_fill.h on the device.
#pragma once

#include "compute/cuda/compiled_cost.h"
#include "compute/lab/kernels/tile_fill.h"

namespace systole::lab {

std::vector<CompiledCost> compiledTileFillCosts();

} // namespace systole::lab
