// Compressed rows into tiles: entries are sorted by tile and place, and counted.
#include "compute/core/error.h"
#include "compute/cuda/kernel_support.cuh"
#include "compute/sparse/scan_cuda.cuh"
#include "compute/sparse/tiles_cuda.cuh"

#include <bit>

namespace systole::sparse::gpu {
namespace {

constexpr int placeBits = 6, lanesPerRow = 8;

__global__ void keysKernel(long long rows, const int* start, const int* column, Key tileColumns,
                           Key* keys) {
    const long long thread = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x,
                    row = thread / lanesPerRow;
    if (row >= rows)
        return;
    const Key tileRow = static_cast<Key>(row / 8), y = static_cast<Key>(row % 8);
    for (int e = start[row] + static_cast<int>(thread % lanesPerRow); e < start[row + 1];
         e += lanesPerRow) {
        const Key x = static_cast<Key>(column[e]);
        keys[e] = (tileRow * tileColumns + x / 8) << placeBits | y << 3 | x % 8;
    }
}

__global__ void firstsKernel(const Key* keys, int lowestBits, long long count, int* isFirst) {
    const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    if (i <= count)
        isFirst[i] =
            i < count && (i == 0 || keys[i] >> lowestBits != keys[i - 1] >> lowestBits) ? 1 : 0;
}

struct TileOutput {
    Key* number; ///< row · tileColumns + column
    int *row, *column, *offset, *exponent;
    Bits* bitmap;
};

/// A thread per entry; the first of a tile describes it.
__global__ void tilesKernel(const Key* keys, const float* values, int entries, const int* before,
                            Key tileColumns, const TileOutput out) {
    const long long thread = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    if (thread >= entries)
        return;
    const int first = static_cast<int>(thread), tile = before[first];
    if (before[first + 1] == tile)
        return;
    const Key number = keys[first] >> placeBits;
    Bits bits = 0;
    float largest = 0;
    for (int e = first; e < entries && keys[e] >> placeBits == number; ++e) {
        bits |= Bits{1} << (keys[e] & 63);
        largest = fmaxf(largest, fabsf(values[e]));
    }
    int exponent = 0;
    frexpf(largest, &exponent);
    out.number[tile] = number;
    out.row[tile] = static_cast<int>(number / tileColumns);
    out.column[tile] = static_cast<int>(number % tileColumns);
    out.offset[tile] = first;
    out.exponent[tile] = max(-126, min(126, exponent));
    out.bitmap[tile] = bits;
}

__global__ void startsKernel(const Key* keys, int count, Key perRow, long long rows, int* start) {
    const long long row = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    if (row > rows)
        return;
    const Key wanted = static_cast<Key>(row) * perRow;
    int low = 0, high = count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (keys[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    start[row] = low;
}

LaunchShape over(std::int64_t items) {
    return systole::gpu::threadsOver(static_cast<std::size_t>(items));
}

} // namespace

void numberKeys(const Key* keys, int lowestBits, int count, int* before, LaunchLog& log) {
    log.launch({"spgemm tiles, mark", 12.0 * count}, firstsKernel, over(std::int64_t{count} + 1),
               keys, lowestBits, count, before);
    sumsBefore(before, before, count + 1, log);
}

void startsOfRows(const Key* keys, int count, std::int64_t perRow, std::int64_t rows, int* start,
                  LaunchLog& log) {
    log.launch({"spgemm tiles, starts of rows", 4.0 * static_cast<double>(rows)}, startsKernel,
               over(rows + 1), keys, count, perRow, rows, start);
}

DeviceTiles toTiles(const DeviceCsr<float>& matrix, const ExecContext& ctx) {
    BufferPool& pool = ctx.cuda->devicePool();
    DeviceTiles tiles;
    tiles.tileRows = tilesAcross(matrix.rows);
    tiles.tileColumns = tilesAcross(matrix.columns);
    const int entries = static_cast<int>(matrix.entries());
    const std::size_t n = matrix.columnOf.size();
    tiles.rowStart = pool.acquire<int>(static_cast<std::size_t>(tiles.tileRows) + 1,
                                       "sparse tiles, starts of rows");
    if (entries == 0) {
        ctx.cuda->zero(tiles.rowStart.data(), tiles.rowStart.size() * sizeof(int),
                       CudaStream::Compute);
        return tiles;
    }
    Buffer<Key> keys = pool.acquire<Key>(n, "sparse tiles, keys"),
                sorted = pool.acquire<Key>(n, "sparse tiles, sorted keys");
    Buffer<int> before = pool.acquire<int>(n + 1, "sparse tiles, tiles before");
    tiles.values = pool.acquire<float>(n, "sparse tiles, values");
    const int bits =
        placeBits + static_cast<int>(std::bit_width(static_cast<std::uint64_t>(tiles.tileRows) *
                                                    static_cast<std::uint64_t>(tiles.tileColumns)));
    loggedCall(ctx, "convert", [&](LaunchLog& log) {
        log.launch({"spgemm tiles, keys", 12.0 * entries}, keysKernel,
                   over(lanesPerRow * matrix.rows), matrix.rows, matrix.rowStart.data(),
                   matrix.columnOf.data(), tiles.tileColumns, keys.data());
        sortPairs<Key, float>(
            {keys.data(), sorted.data(), matrix.values.data(), tiles.values.data(), entries}, bits,
            log);
        numberKeys(sorted.data(), placeBits, entries, before.data(), log);
    });
    tiles.tiles = fetched(before.data() + n, *ctx.cuda);
    const std::size_t count = static_cast<std::size_t>(tiles.tiles);
    Buffer<Key> number = pool.acquire<Key>(count, "sparse tiles, numbers");
    tiles.row = pool.acquire<int>(count, "sparse tiles, rows");
    tiles.column = pool.acquire<int>(count, "sparse tiles, columns");
    tiles.offset = pool.acquire<int>(count, "sparse tiles, first entries");
    tiles.exponent = pool.acquire<int>(count, "sparse tiles, exponents");
    tiles.bitmap = pool.acquire<Bits>(count, "sparse tiles, bitmaps");
    loggedCall(ctx, "convert", [&](LaunchLog& log) {
        const TileOutput out{number.data(),       tiles.row.data(),      tiles.column.data(),
                             tiles.offset.data(), tiles.exponent.data(), tiles.bitmap.data()};
        log.launch({"spgemm tiles, describe", 16.0 * entries + 32.0 * static_cast<double>(count)},
                   tilesKernel, over(entries), sorted.data(), tiles.values.data(), entries,
                   before.data(), tiles.tileColumns, out);
        startsOfRows(number.data(), static_cast<int>(tiles.tiles), tiles.tileColumns,
                     tiles.tileRows, tiles.rowStart.data(), log);
    });
    return tiles;
}

} // namespace systole::sparse::gpu
