// An array over the columns of a row in shared memory.
#include "compute/sparse/product_reading.cuh"

namespace systole::sparse::gpu {
namespace {

/// Bits that no arithmetic gives: nothing was added here.
template <typename Value>
struct Empty;
template <>
struct Empty<float> {
    __device__ static float value() { return __uint_as_float(0xffffffffu); }
    __device__ static bool is(float v) { return __float_as_uint(v) == 0xffffffffu; }
};
template <>
struct Empty<double> {
    __device__ static double value() { return __longlong_as_double(-1); }
    __device__ static bool is(double v) { return __double_as_longlong(v) == -1; }
};

/// A row by Warps warps, which share an array over its columns. A flag for 32 columns says that
/// something is in them. With Warps = 1 a block has several teams.
/// Long because its phases share registers and shared memory.
template <int Warps, int Threads, bool LongRows, typename Value>
__global__ void __launch_bounds__(Threads)
    arrayKernel(const Factors<Value> f, const RowRanges ranges, const int* list, int count,
                int columns, const RowOutput<Value> out) {
    using None = Empty<Value>;
    extern __shared__ double memory[];
    __shared__ int found[Warps];
    constexpr int teamThreads = 32 * Warps, teams = Threads / teamThreads;
    const int lane = static_cast<int>(threadIdx.x % 32),
              team = static_cast<int>(threadIdx.x) / teamThreads,
              warp = static_cast<int>(threadIdx.x) % teamThreads / 32,
              inTeam = static_cast<int>(threadIdx.x) % teamThreads;
    const int flagCount = columns / 32;
    Value* const array = reinterpret_cast<Value*>(memory) + team * columns;
    unsigned char* const flags =
        reinterpret_cast<unsigned char*>(reinterpret_cast<Value*>(memory) + teams * columns) +
        team * flagCount;
    const auto together = [] {
        if constexpr (Warps > 1)
            __syncthreads();
        else
            __syncwarp();
    };
    for (int c = inTeam; c < columns; c += teamThreads)
        array[c] = None::value();
    for (int c = inTeam; c < flagCount; c += teamThreads)
        flags[c] = 0;
    together();
    for (int i = static_cast<int>(blockIdx.x) * teams + team; i < count;
         i += static_cast<int>(gridDim.x) * teams) {
        const int row = list[i], low = ranges.low[row], window = ranges.window[row];
        const int begin = f.aStart[row], end = f.aStart[row + 1];
        const auto add = [&](int column, Value product) {
            const int c = column - low;
            const Value before = array[c];
            array[c] = None::is(before) ? product : before + product;
            flags[c / 32] = 1;
        };
        overSums<Warps, LongRows>(f, begin, end, add);
        together();
        // Each warp has a stretch of the columns.
        const int used = (window + 31) / 32, part = (used + Warps - 1) / Warps,
                  from = min(warp * part, used), to = min(from + part, used);
        const auto overFlagged = [&](const auto& body) {
            for (int first = from; first < to; first += 32)
                for (unsigned left =
                         __ballot_sync(0xffffffffu, first + lane < to && flags[first + lane] != 0);
                     left != 0; left &= left - 1)
                    body(32 * (first + __ffs(static_cast<int>(left)) - 1) + lane);
        };
        int before = 0, length = 0;
        if constexpr (Warps > 1) {
            int own = 0;
            overFlagged(
                [&](int c) { own += __popc(__ballot_sync(0xffffffffu, !None::is(array[c]))); });
            if (lane == 0)
                found[warp] = own;
            __syncthreads();
            for (int w = 0; w < Warps; ++w) {
                before += w < warp ? found[w] : 0;
                length += found[w];
            }
        }
        const long long at = out.at[row];
        overFlagged([&](int c) {
            const Value sum = array[c];
            array[c] = None::value();
            const unsigned has = __ballot_sync(0xffffffffu, !None::is(sum));
            if (!None::is(sum)) {
                const long long place = at + before + __popc(has & ((1u << lane) - 1));
                out.column[place] = low + c;
                out.value[place] = sum;
            }
            before += __popc(has);
        });
        __syncwarp();
        for (int c = from + lane; c < to; c += 32)
            flags[c] = 0;
        if (inTeam == 0 && out.length)
            out.length[row] = Warps > 1 ? length : before;
        together();
    }
}

} // namespace

template <typename Value>
int columnsThatFit(int sharedBytes) {
    constexpr int reserved = 1024;
    return (sharedBytes - reserved) / static_cast<int>(sizeof(Value) + 1) / 1024 * 1024;
}

template <typename Value>
void arrayRows(const RowWork<Value>& work, LaunchLog& log) {
    // As many columns as the widest row needs: more rows fit at once.
    const int columns = systole::gpu::divideUp(work.list.window, 128) * 128;
    const auto launch = [&]<int Warps, int Threads>(const char* name) {
        constexpr int teams = Threads / (32 * Warps);
        const TeamLaunch launched{name, true, Threads, teams,
                                  static_cast<std::size_t>(teams) *
                                      (static_cast<std::size_t>(columns) * sizeof(Value) +
                                       static_cast<std::size_t>(columns / 32))};
        byRowsOfB(work.factors, [&](auto longRows) {
            launchTeams(launched, arrayKernel<Warps, Threads, decltype(longRows)::value, Value>,
                        work.list, log, work.factors, work.ranges, work.list.rows, work.list.count,
                        columns, work.out);
        });
    };
    switch (work.accumulator) {
    case Array1024:
        return launch.template operator()<1, 128>("spgemm, array 1024");
    case Array4096:
        return launch.template operator()<1, 32>("spgemm, array 4096");
    case Array12288:
        return launch.template operator()<4, 128>("spgemm, array 12288");
    case LongArray12288:
        return launch.template operator()<8, 256>("spgemm, array 12288, long rows");
    default:
        return launch.template operator()<16, 512>("spgemm, widest array");
    }
}

template int columnsThatFit<float>(int);
template int columnsThatFit<double>(int);
template void arrayRows(const RowWork<float>&, LaunchLog&);
template void arrayRows(const RowWork<double>&, LaunchLog&);

} // namespace systole::sparse::gpu
