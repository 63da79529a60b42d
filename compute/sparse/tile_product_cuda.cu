// Pairs of tiles are expanded, sorted by the tile of C that they add to, and counted by their
// bitmaps; a warp multiplies the pairs of a tile. Weissenberger's order of steps, with a matrix
// unit that takes one tile of A twice, rounded and what rounding lost, where it took two.
#include "compute/core/error.h"
#include "compute/cuda/kernel_support.cuh"
#include "compute/sparse/product_cuda.cuh"
#include "compute/sparse/scan_cuda.cuh"
#include "compute/sparse/tile_product_cuda.cuh"

#include <bit>
#include <limits>

namespace systole::sparse {
namespace {

using namespace gpu;

constexpr unsigned everyLane = 0xffffffffu;
constexpr long long maxPairs = 1ll << 30;

__global__ void countPairsKernel(const TilesView a, int tiles, const TilesView b, int* pairs) {
    const int t = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (t <= tiles)
        pairs[t] = t < tiles ? b.rowStart[a.column[t] + 1] - b.rowStart[a.column[t]] : 0;
}

/// A warp per tile of A. A pair is the number of its tile of A, and of B in the lower half.
__global__ void expandKernel(const TilesView a, int tiles, const TilesView b, Key tileColumns,
                             const long long* start, Key* keys, Key* pairs) {
    const long long warp =
        (blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x) / warpSize;
    if (warp >= tiles)
        return;
    const int t = static_cast<int>(warp), first = b.rowStart[a.column[t]],
              end = b.rowStart[a.column[t] + 1];
    const Key rowKey = static_cast<Key>(a.row[t]) * tileColumns;
    for (int u = first + static_cast<int>(threadIdx.x % 32); u < end; u += 32) {
        const long long to = start[t] + (u - first);
        keys[to] = rowKey + static_cast<Key>(b.column[u]);
        pairs[to] = static_cast<Key>(t) << 32 | static_cast<Key>(u);
    }
}

/// A thread per pair, and one for the end.
__global__ void firstPairsKernel(const Key* keys, int pairs, const int* before,
                                 const ProductTiles c) {
    const long long p = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    if (p == pairs)
        c.firstPair[c.count] = pairs;
    if (p >= pairs || before[p + 1] == before[p])
        return;
    c.number[before[p]] = keys[p];
    c.firstPair[before[p]] = static_cast<int>(p);
}

/// Column k of a bitmap, as the lowest bits of its rows, times row k: whole rows, no carries.
__device__ Bits productOf(Bits a, Bits b) {
    Bits c = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k)
        c |= (a >> k & 0x0101010101010101ull) * (b >> 8 * k & 0xff);
    return c;
}

__global__ void bitmapKernel(const TilesView a, const TilesView b, const Key* pairs,
                             const ProductTiles c) {
    const int tile = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (tile >= c.count)
        return;
    Bits bits = 0;
    for (int p = c.firstPair[tile]; p < c.firstPair[tile + 1]; ++p)
        bits |= productOf(a.bitmap[pairs[p] >> 32], b.bitmap[pairs[p] & 0xffffffffu]);
    c.bitmap[tile] = bits;
}

/// Entries of four rows of a bitmap, 16 bits each.
__device__ Bits entriesOfRows(unsigned rows) {
    Bits counts = 0;
#pragma unroll
    for (int y = 0; y < 4; ++y)
        counts |= static_cast<Bits>(__popc(rows >> 8 * y & 0xff)) << 16 * y;
    return counts;
}

/// A warp per row of tiles.
__global__ void rowsKernel(const int* rowStart, long long tileRows, long long rows,
                           const ProductTiles c, int* length) {
    const long long row =
        (blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x) / warpSize;
    const int lane = static_cast<int>(threadIdx.x % 32);
    if (row >= tileRows)
        return;
    int sum[8] = {};
    const int end = rowStart[row + 1];
    for (int from = rowStart[row]; from < end; from += 32) {
        const int tile = from + lane;
        const Bits bits = tile < end ? c.bitmap[tile] : 0;
        const Bits own[2] = {entriesOfRows(static_cast<unsigned>(bits)),
                             entriesOfRows(static_cast<unsigned>(bits >> 32))};
        Bits upTo[2] = {own[0], own[1]};
#pragma unroll
        for (int step = 1; step < 32; step *= 2)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const Bits other = __shfl_up_sync(everyLane, upTo[half], step);
                upTo[half] += lane >= step ? other : 0;
            }
#pragma unroll
        for (int y = 0; y < 8; ++y) {
            const Bits counts = upTo[y / 4] - own[y / 4];
            if (tile < end)
                c.before[8ll * tile + y] =
                    sum[y] + static_cast<int>(counts >> 16 * (y % 4) & 0xffff);
            sum[y] +=
                static_cast<int>(__shfl_sync(everyLane, upTo[y / 4], 31) >> 16 * (y % 4) & 0xffff);
        }
    }
#pragma unroll
    for (int y = 0; y < 8; ++y)
        if (lane == y && 8 * row + y < rows)
            length[8 * row + y] = sum[y];
}

__global__ void narrowKernel(const long long* from, long long count, int* to) {
    const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    if (i < count)
        to[i] = static_cast<int>(from[i]);
}

LaunchShape over(std::int64_t items) {
    return systole::gpu::threadsOver(static_cast<std::size_t>(items));
}

TilePairs pairsOf(const DeviceTiles& a, const DeviceTiles& b, const ExecContext& ctx) {
    BufferPool& pool = ctx.cuda->devicePool();
    const int tiles = static_cast<int>(a.tiles);
    const std::size_t n = static_cast<std::size_t>(tiles);
    Buffer<int> counts = pool.acquire<int>(n + 1, "sparse tiles, pairs of each");
    Buffer<long long> start = pool.acquire<long long>(n + 1, "sparse tiles, pairs before");
    loggedCall(ctx, "symbolic", [&](LaunchLog& log) {
        log.launch({"spgemm tiles, count pairs", 16.0 * tiles}, countPairsKernel, over(a.tiles + 1),
                   a.view(), tiles, b.view(), counts.data());
        sumsBefore(counts.data(), start.data(), tiles + 1, log);
    });
    TilePairs sorted;
    sorted.count = fetched(start.data() + n, *ctx.cuda);
    if (sorted.count > maxPairs)
        throw ComputeError("a product of " + std::to_string(sorted.count) +
                           " pairs of tiles is too large for the tile variants, which sort 2^30 at "
                           "most; use another variant");
    const std::size_t m = static_cast<std::size_t>(sorted.count);
    if (m == 0)
        return sorted;
    Buffer<Key> keys = pool.acquire<Key>(m, "sparse tiles, tiles of pairs"),
                pairs = pool.acquire<Key>(m, "sparse tiles, pairs");
    sorted.keys = pool.acquire<Key>(m, "sparse tiles, sorted tiles of pairs");
    sorted.pairs = pool.acquire<Key>(m, "sparse tiles, sorted pairs");
    const int bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(a.tileRows) *
                                                     static_cast<std::uint64_t>(b.tileColumns)));
    loggedCall(ctx, "symbolic", [&](LaunchLog& log) {
        log.launch({"spgemm tiles, expand", 20.0 * static_cast<double>(m)}, expandKernel,
                   over(32 * a.tiles), a.view(), tiles, b.view(), b.tileColumns, start.data(),
                   keys.data(), pairs.data());
        sortPairs<Key, Key>(
            {keys.data(), sorted.keys.data(), pairs.data(), sorted.pairs.data(), sorted.count},
            bits, log);
    });
    return sorted;
}

} // namespace

namespace gpu {

TilePlan planTiles(const DeviceCsr<float>& left, const DeviceCsr<float>* right,
                   const ExecContext& ctx) {
    const std::int64_t inner = right ? right->rows : left.rows;
    if (left.columns != inner)
        throw ComputeError(
            "a product needs as many columns on the left as rows on the right, not " +
            std::to_string(left.columns) + " and " + std::to_string(inner));
    CudaContext& cuda = *ctx.cuda;
    BufferPool& pool = cuda.devicePool();
    TilePlan plan;
    plan.rows = left.rows;
    plan.columns = right ? right->columns : left.columns;
    plan.left = toTiles(left, ctx);
    plan.square = right == nullptr;
    if (right)
        plan.right = toTiles(*right, ctx);
    const DeviceTiles &a = plan.left, &b = plan.ofRight();
    if (a.tiles == 0 || b.tiles == 0)
        return plan;
    plan.pairs = pairsOf(a, b, ctx);
    if (plan.pairs.count == 0)
        return plan;

    ctx.throwIfCancelled();
    const int pairs = static_cast<int>(plan.pairs.count);
    const std::size_t m = static_cast<std::size_t>(pairs),
                      rows = static_cast<std::size_t>(left.rows);
    Buffer<int> before = pool.acquire<int>(m + 1, "sparse tiles, tiles before");
    loggedCall(ctx, "symbolic", [&](LaunchLog& log) {
        numberKeys(plan.pairs.keys.data(), 0, pairs, before.data(), log);
    });
    plan.tiles = fetched(before.data() + m, cuda);
    const std::size_t n = static_cast<std::size_t>(plan.tiles);
    plan.number = pool.acquire<Key>(n, "sparse tiles, numbers");
    plan.bitmap = pool.acquire<Bits>(n, "sparse tiles, bitmaps");
    plan.firstPair = pool.acquire<int>(n + 1, "sparse tiles, first pairs");
    plan.beforeInRow = pool.acquire<int>(8 * n, "sparse tiles, entries before");
    Buffer<int> tileStart = pool.acquire<int>(static_cast<std::size_t>(a.tileRows) + 1,
                                              "sparse tiles, starts of rows"),
                lengths = pool.acquire<int>(rows + 1, "sparse product, lengths of rows");
    plan.starts = pool.acquire<long long>(rows + 1, "sparse product, starts of rows");
    plan.view = {plan.tiles,         plan.number.data(),      plan.firstPair.data(),
                 plan.bitmap.data(), plan.beforeInRow.data(), static_cast<Key>(b.tileColumns)};
    const ProductTiles& tiles = plan.view;
    cuda.zero(lengths.data(), lengths.size() * sizeof(int), CudaStream::Compute);
    loggedCall(ctx, "symbolic", [&](LaunchLog& log) {
        log.launch({"spgemm tiles, first pairs", 12.0 * pairs + 12.0 * plan.tiles},
                   firstPairsKernel, over(pairs + 1ll), plan.pairs.keys.data(), pairs,
                   before.data(), tiles);
        log.launch({"spgemm tiles, bitmaps", 8.0 * pairs + 12.0 * plan.tiles}, bitmapKernel,
                   over(plan.tiles), a.view(), b.view(), plan.pairs.pairs.data(), tiles);
        startsOfRows(plan.number.data(), plan.tiles, b.tileColumns, a.tileRows, tileStart.data(),
                     log);
        log.launch({"spgemm tiles, rows", 40.0 * plan.tiles}, rowsKernel, over(32 * a.tileRows),
                   tileStart.data(), a.tileRows, left.rows, tiles, lengths.data());
        sumsBefore(lengths.data(), plan.starts.data(), static_cast<long long>(rows) + 1, log);
    });
    plan.entries = fetched(plan.starts.data() + rows, cuda);
    if (plan.entries > std::numeric_limits<std::int32_t>::max())
        throw ComputeError("a product of " + std::to_string(plan.entries) +
                           " entries is too large for the device, which counts to 2^31 - 1");
    return plan;
}

} // namespace gpu

DeviceCsr<float> multiplyTilesOnDevice(const DeviceCsr<float>& left, const DeviceCsr<float>& right,
                                       int variant, const ExecContext& ctx,
                                       TileProductFigures* figures) {
    const TilePlan plan = planTiles(left, &left != &right ? &right : nullptr, ctx);
    if (figures)
        *figures = {.tilesOfA = plan.left.tiles,
                    .tilesOfB = plan.ofRight().tiles,
                    .tilesOfC = plan.tiles,
                    .pairs = plan.pairs.count};
    DeviceCsr<float> c = withoutEntries<float>(left.rows, right.columns, ctx);
    if (plan.tiles == 0)
        return c;
    BufferPool& pool = ctx.cuda->devicePool();
    const std::size_t entries = static_cast<std::size_t>(plan.entries);
    c.columnOf = pool.acquire<int>(entries, "sparse matrix, columns");
    c.values = pool.acquire<float>(entries, "sparse matrix, values");
    loggedCall(ctx, "numeric", [&](LaunchLog& log) {
        log.launch({"spgemm tiles, starts", 12.0 * static_cast<double>(left.rows)}, narrowKernel,
                   over(left.rows + 1), plan.starts.data(), left.rows + 1, c.rowStart.data());
        multiplyTiles(plan, tileUnit(tileProductFamily.at(variant).name),
                      tileProductFamily.kernel(variant), c.columnOf.data(), c.values.data(), log);
    });
    return c;
}

} // namespace systole::sparse
