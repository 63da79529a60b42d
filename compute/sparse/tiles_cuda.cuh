// Matrices in tiles of 8 × 8 places, in device memory.
#pragma once

#include "compute/cuda/launch.cuh"
#include "compute/sparse/device_product.h"

#include <cstdint>

namespace systole::sparse::gpu {

using Bits = unsigned long long;
using Key = unsigned long long;

/// Tiles by rows of tiles, then by columns; places of a tile by rows, as bits from the lowest.
struct TilesView {
    const int* rowStart; ///< first tile of each row of tiles, and the end
    const int* row;
    const int* column; ///< column of tiles, by tile
    const Bits* bitmap;
    const int* offset;   ///< a tile's first entry
    const int* exponent; ///< its values are below 2^exponent; from -126 to 126
    const float* values;

    /// The entries at (y, x) and (y, x + 1) of a tile, x even; 0 where there are none.
    __device__ void readRow(int tile, int y, int x, float (&entries)[2]) const {
        const Half half(*this, tile, y);
        const int bit = 8 * (y % 4) + x;
        entries[0] = half.at(values, bit);
        entries[1] = half.at(values, bit + 1);
    }
    /// The entries at (y, x) and (y + 1, x) of a tile, y even.
    __device__ void readColumn(int tile, int y, int x, float (&entries)[2]) const {
        const Half half(*this, tile, y);
        const int bit = 8 * (y % 4) + x;
        entries[0] = half.at(values, bit);
        entries[1] = half.at(values, bit + 8);
    }

private:
    /// Four rows of a tile, the upper or the lower ones: 32 bits at a time cost less.
    struct Half {
        unsigned bits;
        int first;

        __device__ Half(const TilesView& tiles, int tile, int y) {
            const Bits all = tiles.bitmap[tile];
            const auto low = static_cast<unsigned>(all);
            bits = y < 4 ? low : static_cast<unsigned>(all >> 32);
            first = tiles.offset[tile] + (y < 4 ? 0 : __popc(low));
        }
        __device__ float at(const float* values, int bit) const {
            return (bits >> bit & 1) != 0 ? values[first + __popc(bits & ((1u << bit) - 1))] : 0.0f;
        }
    };
};

struct DeviceTiles {
    std::int64_t tileRows = 0, tileColumns = 0, tiles = 0;
    Buffer<int> rowStart, row, column, offset, exponent;
    Buffer<Bits> bitmap;
    Buffer<float> values;

    TilesView view() const {
        return {rowStart.data(), row.data(),      column.data(), bitmap.data(),
                offset.data(),   exponent.data(), values.data()};
    }
};

inline std::int64_t tilesAcross(std::int64_t places) { return (places + 7) / 8; }

/// Waits for the number of tiles.
DeviceTiles toTiles(const DeviceCsr<float>& matrix, const ExecContext& ctx);

/// before[i]: how many different keys, regardless of their lowest bits, stand before key i of
/// `count` sorted ones; before[count]: how many there are.
void numberKeys(const Key* keys, int lowestBits, int count, int* before, LaunchLog& log);

/// start[r]: the first of `count` sorted keys that isn't below r · perRow, r from 0 to rows.
void startsOfRows(const Key* keys, int count, std::int64_t perRow, std::int64_t rows, int* start,
                  LaunchLog& log);

/// One number from the device; waits for it.
template <typename Number>
Number fetched(const Number* device, CudaContext& cuda) {
    Number number{};
    cuda.download(device, &number, sizeof number, CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);
    return number;
}

} // namespace systole::sparse::gpu
