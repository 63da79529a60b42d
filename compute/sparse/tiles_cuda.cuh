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
    const int* column; ///< of tiles
    const Bits* bitmap;
    const int* offset;   ///< a tile's first entry
    const int* exponent; ///< its values are below 2^exponent; from -126 to 126
    const float* values;

    /// 0 where there is none.
    __device__ float at(int tile, Bits bits, int place) const {
        return (bits >> place & 1) != 0
                   ? values[offset[tile] + __popcll(bits & ((Bits{1} << place) - 1))]
                   : 0.0f;
    }
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

/// Sorts pairs by the lowest `bits` bits of their keys; equal ones stay in their order.
template <typename Value>
void sortPairs(const Key* keys, Key* sortedKeys, const Value* values, Value* sortedValues,
               int count, int bits, LaunchLog& log);

/// start[r]: the first of `count` sorted keys that isn't below r · perRow, r from 0 to rows.
void startsOfRows(const Key* keys, int count, std::int64_t perRow, std::int64_t rows, int* start,
                  LaunchLog& log);

/// Sums of all before, in place or not; `count` of them.
template <typename From, typename To>
void sumsBefore(const From* from, To* to, int count, LaunchLog& log);

/// One number from the device; waits for it.
template <typename Number>
Number fetched(const Number* device, CudaContext& cuda) {
    Number number{};
    cuda.download(device, &number, sizeof number, CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);
    return number;
}

} // namespace systole::sparse::gpu
