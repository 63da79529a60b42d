// A bitmap of a row's columns in shared memory: the number of bits before a column is where its sum
// lies, so that sums need room only for the columns that there are. Where they are more than the
// room, the products are read again for the next ones.
#include "compute/sparse/product_reading.cuh"

namespace systole::sparse::gpu {
namespace {

using Bits = unsigned long long;

/// Words of 64 columns, as whole warps take them.
constexpr int wordsFor(int columns) { return (columns + 2047) / 2048 * 32; }

/// Shared memory of a team: a word of bits, the columns before it, and sums.
template <typename Value>
std::size_t bytesOfTeam(int words, int sums) {
    return static_cast<std::size_t>(words) * (sizeof(Bits) + sizeof(int)) +
           static_cast<std::size_t>(sums) * sizeof(Value);
}

/// The columns of 32 words, one in each lane, the first of which stands for `column` and the next
/// 63: those of a lane's word, `own` of them, begin at `place` of `out`.
__device__ void writeColumns(Bits word, int own, int place, int column, int* out) {
    constexpr unsigned every = 0xffffffffu;
    constexpr int few = 6;
    const int lane = static_cast<int>(threadIdx.x % 32);
    if (__all_sync(every, own <= few)) {
        for (; word != 0; word &= word - 1)
            out[place++] = column + 64 * lane + __ffsll(static_cast<long long>(word)) - 1;
        return;
    }
    for (unsigned left = __ballot_sync(every, word != 0); left != 0; left &= left - 1) {
        const int source = __ffs(static_cast<int>(left)) - 1;
        const Bits there = __shfl_sync(every, word, source);
        const int start = __shfl_sync(every, place, source);
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int bit = 32 * half + lane;
            if ((there >> bit & 1) != 0)
                out[start + __popcll(there & ((Bits{1} << bit) - 1))] = column + 64 * source + bit;
        }
    }
}

/// A row by Warps warps; with Warps = 1 a block has several teams.
/// Long because its phases share registers and shared memory.
template <int Warps, int Threads, bool LongRows, typename Value>
__global__ void __launch_bounds__(Threads)
    rankedKernel(const Factors<Value> f, const RowRanges ranges, const int* list, int count,
                 int words, int sums, const RowOutput<Value> out) {
    extern __shared__ double memory[];
    __shared__ int found[Warps];
    constexpr unsigned every = 0xffffffffu;
    constexpr int teamThreads = 32 * Warps, teams = Threads / teamThreads;
    const int lane = static_cast<int>(threadIdx.x % 32),
              team = static_cast<int>(threadIdx.x) / teamThreads,
              warp = static_cast<int>(threadIdx.x) % teamThreads / 32,
              inTeam = static_cast<int>(threadIdx.x) % teamThreads;
    Bits* const bits = reinterpret_cast<Bits*>(memory) + team * words;
    Value* const sum =
        reinterpret_cast<Value*>(reinterpret_cast<Bits*>(memory) + teams * words) + team * sums;
    int* const before =
        reinterpret_cast<int*>(
            reinterpret_cast<Value*>(reinterpret_cast<Bits*>(memory) + teams * words) +
            teams * sums) +
        team * words;
    const auto together = [] {
        if constexpr (Warps > 1)
            __syncthreads();
        else
            __syncwarp();
    };
    const int i = static_cast<int>(blockIdx.x) * teams + team;
    if (i >= count)
        return;
    const int row = list[i], low = ranges.low[row];
    const int begin = f.aStart[row], end = f.aStart[row + 1];
    const long long at = out.at[row];
    const int used = wordsFor(ranges.window[row]);
    for (int w = inTeam; w < used; w += teamThreads)
        bits[w] = 0;
    together();
    overColumns<Warps, LongRows>(f, begin, end, [&](int column) {
        const int c = column - low;
        unsigned* const half = reinterpret_cast<unsigned*>(bits) + c / 32;
        // Most are set already, and reading costs less.
        if ((*half >> (c % 32) & 1) == 0)
            atomicOr(half, 1u << (c % 32));
    });
    together();

    // Each warp has a stretch of the words.
    const int part = (used / 32 + Warps - 1) / Warps * 32, from = min(warp * part, used),
              to = min(from + part, used);
    int first = 0, length = 0;
    if constexpr (Warps > 1) {
        int own = 0;
        for (int w = from + lane; w < to; w += 32)
            own += __popcll(bits[w]);
        for (int step = 16; step > 0; step /= 2)
            own += __shfl_xor_sync(every, own, step);
        if (lane == 0)
            found[warp] = own;
        __syncthreads();
        for (int w = 0; w < Warps; ++w) {
            first += w < warp ? found[w] : 0;
            length += found[w];
        }
    }
    for (int w = from + lane; w < to; w += 32) {
        const Bits word = bits[w];
        const int own = __popcll(word);
        const int upTo = sumUpTo(own);
        const int place = first + upTo - own;
        before[w] = place;
        writeColumns(word, own, place, low + 64 * (w - lane), out.column + at);
        first += __shfl_sync(every, upTo, 31);
    }
    if constexpr (Warps == 1)
        length = first;
    if (inTeam == 0 && out.length)
        out.length[row] = length;
    for (int base = 0; base < length; base += sums) {
        const int held = min(sums, length - base);
        for (int s = inTeam; s < held; s += teamThreads)
            sum[s] = 0;
        together();
        overSums<Warps, LongRows, (Warps > 4)>(f, begin, end, [&](int column, Value product) {
            const int c = column - low;
            const int place =
                before[c / 64] + __popcll(bits[c / 64] & ((Bits{1} << (c % 64)) - 1)) - base;
            if (place >= 0 && place < held)
                sum[place] += product;
        });
        together();
        for (int s = inTeam; s < held; s += teamThreads)
            out.value[at + base + s] = sum[s];
        together();
    }
}

} // namespace

RankedShape rankedShape(Accumulator accumulator, std::size_t bytesOfValue, int sharedBytes) {
    constexpr int bytesOfWord = sizeof(Bits) + sizeof(int);
    const auto value = static_cast<int>(bytesOfValue);
    /// Rows for Ranked1 to Ranked16.
    static constexpr struct {
        int warps, teams, window, bytesOfSums;
    } shapes[] = {{1, 4, 1 << 15, 0},
                  {4, 1, 1 << 17, 16384},
                  {8, 1, 1 << 18, 65536},
                  {16, 1, 1 << 19, 131072}};
    const auto& shape = shapes[accumulator - Ranked1];
    const int reserved =
        1024 + (bytesOfValue == sizeof(float) ? bytesOfExchange<float>(shape.warps)
                                              : bytesOfExchange<double>(shape.warps));
    const int room = (sharedBytes - reserved) / shape.teams;
    const int maxSums = shape.bytesOfSums > 0 ? shape.bytesOfSums / value : 1024;
    // Bitmaps may have half of the memory, sums the rest.
    const int words = std::min(wordsFor(shape.window), room / 2 / bytesOfWord / 32 * 32);
    const int sums = std::min(maxSums, (room - words * bytesOfWord) / value / 32 * 32);
    return {sums, 64 * words};
}

template <typename Value>
void rankedRows(const RowWork<Value>& work, int sharedBytes, LaunchLog& log) {
    const int sums = rankedShape(work.accumulator, sizeof(Value), sharedBytes).sums,
              words = wordsFor(work.list.window);
    const auto launch = [&]<int Warps, int Threads>(const char* name) {
        constexpr int teams = Threads / (32 * Warps);
        const TeamLaunch launched{name, false, Threads, teams,
                                  teams * bytesOfTeam<Value>(words, sums)};
        byRowsOfB(work.factors, [&](auto longRows) {
            launchTeams(launched, rankedKernel<Warps, Threads, decltype(longRows)::value, Value>,
                        work.list, log, work.factors, work.ranges, work.list.rows, work.list.count,
                        words, sums, work.out);
        });
    };
    switch (work.accumulator) {
    case Ranked1:
        return launch.template operator()<1, 128>("spgemm, ranked 1");
    case Ranked4:
        return launch.template operator()<4, 128>("spgemm, ranked 4");
    case Ranked8:
        return launch.template operator()<8, 256>("spgemm, ranked 8");
    default:
        return launch.template operator()<16, 512>("spgemm, ranked 16");
    }
}

template void rankedRows(const RowWork<float>&, int, LaunchLog&);
template void rankedRows(const RowWork<double>&, int, LaunchLog&);

} // namespace systole::sparse::gpu
