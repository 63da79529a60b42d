// How many products a row has, in which columns, and which accumulator it gets.
#include "compute/cuda/kernel_support.cuh"
#include "compute/sparse/product_cuda.cuh"

#include <climits>

namespace systole::sparse::gpu {
namespace {

constexpr int group = 8;           ///< lanes of a row
constexpr int mostOfOneTeam = 128; ///< entries of A that a small team goes through
constexpr int mostOfRow = 4096;    ///< beyond, the whole device shares a row

__device__ Accumulator chosen(const Rule& rule, int entries, long long products, int window) {
    if (entries > mostOfRow)
        return Expand;
    if (rule.sort && products <= 16 && entries <= 16)
        return Sort16;
    if (rule.sort && products <= 32 && entries <= 32)
        return Sort32;
    if (rule.array && window <= 1024)
        return Array1024;
    if (rule.hash && products <= 128)
        return Hash256;
    if (rule.hash && products <= 512)
        return Hash1024;
    if (rule.array && window <= rule.middle)
        return entries > mostOfOneTeam ? LongArray12288 : window <= 4096 ? Array4096 : Array12288;
    if (rule.array && window <= rule.widest)
        return WidestArray;
    return rule.hash && products <= 2048 ? Hash4096 : Expand;
}

template <typename Value>
__global__ void analyzeKernel(const Factors<Value> f, const Rule rule, const RowRanges out) {
    const int row = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / group);
    const int lane = static_cast<int>(threadIdx.x % group);
    const bool valid = row < f.rows;
    const int begin = valid ? f.aStart[row] : 0, end = valid ? f.aStart[row + 1] : 0;
    long long products = 0;
    int low = INT_MAX, high = -1;
    for (int e = begin + lane; e < end; e += group) {
        const int k = f.aColumn[e], first = f.bStart[k], last = f.bStart[k + 1];
        if (last > first) {
            products += last - first;
            low = min(low, f.bColumn[first]);
            high = max(high, f.bColumn[last - 1]);
        }
    }
    for (int step = group / 2; step > 0; step /= 2) {
        products += __shfl_xor_sync(0xffffffffu, products, step);
        low = min(low, __shfl_xor_sync(0xffffffffu, low, step));
        high = max(high, __shfl_xor_sync(0xffffffffu, high, step));
    }
    const bool leads = valid && lane == 0;
    const int window = products > 0 ? high - low + 1 : 0;
    if (leads) {
        out.bound[row] = static_cast<int>(min(products, static_cast<long long>(window)));
        out.low[row] = low;
        out.window[row] = window;
        if (row == 0)
            out.bound[f.rows] = 0;
    }
    const int choice = leads && products > 0 ? chosen(rule, end - begin, products, window) : -1;
    if (choice == Expand) {
        atomicAdd(reinterpret_cast<unsigned long long*>(out.expanded),
                  static_cast<unsigned long long>(products));
        atomicAdd(reinterpret_cast<unsigned long long*>(out.expanded + 1),
                  static_cast<unsigned long long>(end - begin));
    }
    // Where a row stands in its list doesn't matter: rows are made independently.
    const unsigned alike = __match_any_sync(0xffffffffu, choice);
    const int ownLane = static_cast<int>(threadIdx.x % 32),
              leader = __ffs(static_cast<int>(alike)) - 1;
    int first = 0;
    if (choice >= 0 && ownLane == leader)
        first = atomicAdd(out.counts + choice, __popc(alike));
    first = __shfl_sync(0xffffffffu, first, leader);
    if (choice >= 0)
        out.lists[static_cast<std::size_t>(choice) * static_cast<std::size_t>(f.rows) +
                  static_cast<std::size_t>(first + __popc(alike & ((1u << ownLane) - 1)))] = row;
}

} // namespace

template <typename Value>
void analyzeRows(const Factors<Value>& factors, const Rule& rule, const RowRanges& ranges,
                 LaunchLog& log) {
    const double rows = factors.rows;
    log.launch({"spgemm, analysis", 28 * rows}, analyzeKernel<Value>,
               systole::gpu::threadsOver(static_cast<std::size_t>(factors.rows) * group), factors,
               rule, ranges);
}

template void analyzeRows<float>(const Factors<float>&, const Rule&, const RowRanges&, LaunchLog&);
template void analyzeRows<double>(const Factors<double>&, const Rule&, const RowRanges&,
                                  LaunchLog&);

} // namespace systole::sparse::gpu
