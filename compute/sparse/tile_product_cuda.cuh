// The steps of a product by tiles: what is found once for two patterns, and the multiplication.
#pragma once

#include "compute/sparse/tile_product.h"
#include "compute/sparse/tiles_cuda.cuh"

#include <string>
#include <string_view>

namespace systole::sparse::gpu {

enum class TileUnit { Scalar, Tensor, Accurate };
TileUnit tileUnit(std::string_view variant); ///< the unit of a variant of tileProductFamily

/// Pairs of tiles, by the tile of C; those of one tile in the order of A's.
struct TilePairs {
    std::int64_t count = 0;
    Buffer<Key> keys, pairs;
};

/// The tiles of C.
struct ProductTiles {
    int count;
    Key* number;    ///< row · tileColumns + column
    int* firstPair; ///< and the end
    Bits* bitmap;
    int* before; ///< entries of each row of each tile in the tiles to the left
    Key tileColumns;
};

/// Everything but the values of a product.
struct TilePlan {
    std::int64_t rows = 0, columns = 0;
    std::int64_t entries = 0; ///< entries of the product
    int tiles = 0;            ///< that a pair adds to
    DeviceTiles left, right;  ///< `right` is empty for the square of `left`
    TilePairs pairs;
    Buffer<Key> number;
    Buffer<Bits> bitmap;
    Buffer<int> firstPair, beforeInRow;
    Buffer<long long> starts; ///< first entry of each row of the product, and the end

    bool square = true;
    ProductTiles view{}; ///< pointers to the buffers above

    const DeviceTiles& ofRight() const { return square ? left : right; }
};

/// `right`: null for the square. Waits for numbers. Throws as multiplyTilesOnDevice() does.
TilePlan planTiles(const DeviceCsr<float>& left, const DeviceCsr<float>* right,
                   const ExecContext& ctx);

/// Writes columns and values of the product, plan.entries of each; one launch with this name.
void multiplyTiles(const TilePlan& plan, TileUnit unit, const std::string& name, int* column,
                   float* value, LaunchLog& log);

} // namespace systole::sparse::gpu
