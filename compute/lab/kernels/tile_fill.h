// The square of a matrix whose tiles of 8 × 8 places hold more or fewer entries: how full they must
// be for matrix units to pay. Patterns are known; what is measured adds up the values.
#pragma once

#include "compute/cuda/kernel_family.h"

#include <algorithm>

namespace systole::lab {

inline constexpr KernelVariant tileFillVariants[] = {
    {"rows", "A warp per row adds its products up in an array in shared memory.", 128, {128, 128}},
    {"tile-scalar",
     "A warp per tile of the product: pairs of tiles by the arithmetic units.",
     256,
     {256, 256}},
    {"tile-tensor",
     "As tile-scalar, by the matrix units at half precision.",
     256,
     {256, 256},
     2e-3},
    {"tile-accurate",
     "As tile-tensor, each value in two parts: single precision again.",
     256,
     {256, 256}},
};
inline constexpr KernelFamily tileFillFamily{"tile-fill", tileFillVariants};

/// How full the task's tiles are at a side of the laboratory, of 64 places.
constexpr int entriesOfTile(int side) { return std::clamp(side / 4, 1, 64); }

} // namespace systole::lab
