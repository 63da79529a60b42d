// How many products a row has, in which columns, and which accumulator it gets.
#include "compute/cuda/kernel_support.cuh"
#include "compute/sparse/product_cuda.cuh"

#include <climits>

namespace systole::sparse::gpu {
namespace {

constexpr int blockThreads = 256;
constexpr int maxEntriesPerTeam = 128; ///< entries of A that a small team goes through
constexpr int maxEntriesPerRow = 4096; ///< the whole device shares a longer row
/// The whole device shares a row of more products if they are among many columns.
constexpr int maxProductsPerBlock = 32768;

/// `longRowsOfB`: as in Factors.
__device__ Accumulator chosen(const Rule& rule, bool longRowsOfB, int entries, long long products,
                              int window) {
    if (entries > maxEntriesPerRow)
        return Expand;
    if (rule.sort && window < 1 << 26) {
        if (products <= 8 && entries <= 8)
            return Sort8;
        if (products <= 16 && entries <= 16)
            return Sort16;
        if (products <= 64 && entries <= 32)
            return products <= 32 ? Sort32 : Sort64;
    }
    if (rule.narrowArray && window <= 1024)
        return Array1024;
    if (rule.hash && products <= 128)
        return Hash256;
    // Few products among many columns are better sorted; a warp does well with its bitmap longest.
    const int scattered = products <= 512 ? 16 : products <= 1024 ? 96 : 32;
    if (products <= rule.blockSorted && window > scattered * products)
        return products <= 256    ? BlockSort256
               : products <= 512  ? BlockSort512
               : products <= 1024 ? BlockSort1024
                                  : BlockSort4096;
    if (rule.hash && products <= 512)
        return Hash1024;
    // An array costs less for a product, a bitmap less for a column.
    const bool fills = window <= (longRowsOfB ? 4 : 16) * products;
    if (rule.ranked && !(rule.array && fills && window <= rule.widest)) {
        const long long most[] = {1024, 8192, maxProductsPerBlock, rule.array ? 0 : LLONG_MAX};
        for (int i = 0; i < 4; ++i)
            if (products <= most[i] && window <= rule.rankedWindow[i])
                return static_cast<Accumulator>(Ranked1 + i);
    }
    if (rule.array && window <= rule.middle)
        return entries > maxEntriesPerTeam ? LongArray12288
               : window <= 4096            ? Array4096
                                           : Array12288;
    if (rule.array && window <= rule.widest)
        return WidestArray;
    return rule.hash && products <= 2048 ? Hash4096 : Expand;
}

__device__ RowOfB described(const int* start, const int* column, long long row) {
    const int first = start[row], length = start[row + 1] - first;
    return {length, length > 0 ? column[first] : INT_MAX,
            length > 0 ? column[first + length - 1] : -1, 0};
}

__global__ void describeKernel(const int* start, const int* column, long long rows, RowOfB* out) {
    const long long row = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    if (row < rows)
        out[row] = described(start, column, row);
}

struct RangeOfRow {
    long long products = 0;
    int low = INT_MAX, high = -1;

    __device__ void add(const RowOfB& b) {
        products += b.length;
        low = min(low, b.low);
        high = max(high, b.high);
    }
    /// Becomes the range of all lanes of a group, in each of them.
    template <int Group>
    __device__ void combine() {
        for (int step = Group / 2; step > 0; step /= 2) {
            products += __shfl_xor_sync(0xffffffffu, products, step);
            low = min(low, __shfl_xor_sync(0xffffffffu, low, step));
            high = max(high, __shfl_xor_sync(0xffffffffu, high, step));
        }
    }
};

/// A group of lanes per row; rows of many entries are shared by the block. Then a thread per row
/// chooses its accumulator.
/// Long because its phases share registers and shared memory.
template <int Group, typename Value>
__global__ void __launch_bounds__(blockThreads)
    analyzeKernel(const Factors<Value> f, const RowOfB* rowsOfB, const Rule rule,
                  const RowRanges out, RowTotals* totals) {
    constexpr int rowsOfBlock = blockThreads / Group, maxEntriesPerGroup = 32 * Group;
    __shared__ unsigned long long products[rowsOfBlock];
    __shared__ int low[rowsOfBlock], high[rowsOfBlock];
    __shared__ int counts[accumulators], first[accumulators], windows[accumulators], longest;
    const int firstRow = static_cast<int>(blockIdx.x) * rowsOfBlock;
    const int thread = static_cast<int>(threadIdx.x), lane = thread % Group, own = thread / Group;
    if (thread < accumulators)
        counts[thread] = windows[thread] = 0;
    if (thread == 0)
        longest = 0;
    if (thread < rowsOfBlock) {
        products[thread] = 0;
        low[thread] = INT_MAX;
        high[thread] = -1;
    }
    __syncthreads();
    const int row = firstRow + own;
    const int begin = row < f.rows ? f.aStart[row] : 0, end = row < f.rows ? f.aStart[row + 1] : 0;
    const auto rowOfB = [&](int entry) {
        const int k = f.aColumn[entry];
        return rowsOfB ? rowsOfB[k] : described(f.bStart, f.bColumn, k);
    };
    RangeOfRow range;
    if (end - begin <= maxEntriesPerGroup) {
#pragma unroll 4
        for (int e = begin + lane; e < end; e += Group)
            range.add(rowOfB(e));
    }
    range.combine<Group>();
    if (lane == 0) {
        products[own] = static_cast<unsigned long long>(range.products);
        low[own] = range.low;
        high[own] = range.high;
    }
    const bool someAreLong = __syncthreads_or(end - begin > maxEntriesPerGroup) != 0;
    for (int each = 0; someAreLong && each < min(rowsOfBlock, f.rows - firstRow); ++each) {
        const int from = f.aStart[firstRow + each], to = f.aStart[firstRow + each + 1];
        if (to - from <= maxEntriesPerGroup)
            continue;
        RangeOfRow part;
#pragma unroll 4
        for (int e = from + thread; e < to; e += blockThreads)
            part.add(rowOfB(e));
        part.combine<32>();
        if (thread % 32 == 0) {
            atomicAdd(products + each, static_cast<unsigned long long>(part.products));
            atomicMin(low + each, part.low);
            atomicMax(high + each, part.high);
        }
    }
    __syncthreads();

    const int mine = firstRow + thread;
    int choice = -1, place = 0;
    if (thread < rowsOfBlock && mine < f.rows) {
        const auto number = static_cast<long long>(products[thread]);
        const int window = number > 0 ? high[thread] - low[thread] + 1 : 0;
        const int most = static_cast<int>(min(number, static_cast<long long>(window)));
        out.bound[mine] = most;
        out.low[mine] = low[thread];
        out.window[mine] = window;
        if (mine == 0)
            out.bound[f.rows] = 0;
        atomicMax(&longest, most);
        const int entries = f.aStart[mine + 1] - f.aStart[mine];
        if (number > 0) {
            choice = chosen(rule, f.longRowsOfB, entries, number, window);
            // Where a row stands in its list doesn't matter: rows are made independently.
            place = atomicAdd(counts + choice, 1);
            atomicMax(windows + choice, window);
        }
        if (choice == Expand) {
            atomicAdd(reinterpret_cast<unsigned long long*>(totals->expanded), products[thread]);
            atomicAdd(reinterpret_cast<unsigned long long*>(totals->expanded + 1),
                      static_cast<unsigned long long>(entries));
        }
    }
    __syncthreads();
    if (thread < accumulators && counts[thread] > 0) {
        first[thread] = atomicAdd(totals->counts + thread, counts[thread]);
        atomicMax(totals->windows + thread, windows[thread]);
    }
    if (thread == 0)
        atomicMax(&totals->longest, longest);
    __syncthreads();
    if (choice >= 0)
        out.lists[static_cast<std::size_t>(choice) * static_cast<std::size_t>(f.rows) +
                  static_cast<std::size_t>(first[choice] + place)] = mine;
}

} // namespace

template <typename Value>
void describeRows(const DeviceCsr<Value>& b, RowOfB* rows, LaunchLog& log) {
    log.launch({"spgemm, rows of B", 28.0 * static_cast<double>(b.rows)}, describeKernel,
               systole::gpu::threadsOver(static_cast<std::size_t>(b.rows)), b.rowStart.data(),
               b.columnOf.data(), b.rows, rows);
}

template <typename Value>
void analyzeRows(const Factors<Value>& factors, const RowOfB* rowsOfB, double entriesPerRow,
                 const Rule& rule, const RowRanges& ranges, RowTotals* totals, LaunchLog& log) {
    const double rows = factors.rows;
    const auto launch = [&](auto kernel, int group) {
        log.launch({"spgemm, analysis", (28 + 20 * entriesPerRow) * rows}, kernel,
                   systole::gpu::threadsOver(static_cast<std::size_t>(factors.rows) *
                                                 static_cast<std::size_t>(group),
                                             blockThreads),
                   factors, rowsOfB, rule, ranges, totals);
    };
    if (entriesPerRow < 6)
        launch(analyzeKernel<4, Value>, 4);
    else if (entriesPerRow < 24)
        launch(analyzeKernel<8, Value>, 8);
    else
        launch(analyzeKernel<32, Value>, 32);
}

template void describeRows<float>(const DeviceCsr<float>&, RowOfB*, LaunchLog&);
template void describeRows<double>(const DeviceCsr<double>&, RowOfB*, LaunchLog&);
template void analyzeRows<float>(const Factors<float>&, const RowOfB*, double, const Rule&,
                                 const RowRanges&, RowTotals*, LaunchLog&);
template void analyzeRows<double>(const Factors<double>&, const RowOfB*, double, const Rule&,
                                  const RowRanges&, RowTotals*, LaunchLog&);

} // namespace systole::sparse::gpu
