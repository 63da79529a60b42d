// C = A B by tiles of 8 × 8 places, the format of the thesis on sparse products with matrix units:
// a bitmap per tile and its entries packed behind one another.
#pragma once

#include "compute/sparse/device_product.h"

namespace systole::sparse {

/// How two tiles are multiplied. The sums of all are in single precision, over the tiles of A from
/// left to right.
inline constexpr KernelVariant tileProductVariants[] = {
    {"tile-scalar", "Tiles are multiplied by the arithmetic units, in single precision."},
    {"tile-tensor",
     "Tiles are rounded to half precision, scaled by their largest value, and multiplied by the "
     "matrix units.",
     256,
     {256, 256},
     2e-3},
    {"tile-accurate",
     "As tile-tensor, with each value split into two of half precision: single precision again.",
     256,
     {256, 256}},
};
inline constexpr KernelFamily tileProductFamily{"spgemm", tileProductVariants, "tiles",
                                                "tile-accurate",
                                                "How the CUDA kernels multiply two tiles."};

struct TileProductFigures {
    std::int64_t tilesOfA = 0, tilesOfB = 0;
    std::int64_t tilesOfC = 0; ///< that a pair of tiles adds to; they may turn out empty
    std::int64_t pairs = 0;    ///< pairs of a tile of A and one of B that are multiplied
};

/// The product by a variant of tileProductFamily, with the pattern of multiply(); the same bits run
/// after run. Values are finite: half precision has a range of its own in every tile, so none is
/// too large, and those below 2^-14 of the largest of their tile lose digits in `tile-tensor`.
/// Conversion to tiles is part of the call. Throws ComputeError if the sizes don't fit, for a
/// product of 2^31 entries or more and for more than 2^30 pairs of tiles; OutOfMemory. Defined in
/// builds with CUDA (cudaIsBuilt).
DeviceCsr<float> multiplyTilesOnDevice(const DeviceCsr<float>& a, const DeviceCsr<float>& b,
                                       int variant, const ExecContext& ctx,
                                       TileProductFigures* figures = nullptr);

} // namespace systole::sparse
