// The accumulators of a row's products: sorted in registers, a hash table, an array over the row's
// columns. In all of them the entries of a row of A come one after another, and only the entries of
// one row of B, which have different columns, at once: so each sum has the order of the processor.
#include "compute/cuda/kernel_support.cuh"
#include "compute/sparse/product_cuda.cuh"

#include <climits>

namespace systole::sparse::gpu {
namespace {

constexpr int blockThreads = 256;

template <int n>
using Number = std::integral_constant<int, n>;

/// The lanes of a group within its warp.
template <int Group>
__device__ unsigned groupMask() {
    if constexpr (Group == 32)
        return 0xffffffffu;
    else
        return ((1u << Group) - 1) << (threadIdx.x % 32 / Group * Group);
}

/// An entry of A and the row of B that it multiplies, one for each lane.
template <typename Value>
struct EntryOfA {
    Value value = 0;
    int first = 0, length = 0;

    __device__ EntryOfA(const Factors<Value>& f, int entry, bool valid) {
        if (!valid)
            return;
        const int k = f.aColumn[entry];
        value = f.aValue[entry];
        first = f.bStart[k];
        length = f.bStart[k + 1] - first;
    }
};

/// At most Group products and entries of A: a lane for each.
template <int Group, typename Value>
__global__ void __launch_bounds__(blockThreads)
    sortKernel(const Factors<Value> f, const int* list, int count, const RowOutput<Value> out) {
    using Key = unsigned long long;
    const int lane = static_cast<int>(threadIdx.x % Group);
    const unsigned mask = groupMask<Group>();
    const int groups = static_cast<int>(gridDim.x) * blockThreads / Group;
    for (int i = static_cast<int>(blockIdx.x * blockThreads + threadIdx.x) / Group; i < count;
         i += groups) {
        const int row = list[i], begin = f.aStart[row], entries = f.aStart[row + 1] - begin;
        const EntryOfA<Value> own(f, begin + lane, lane < entries);
        int before = own.length;
        for (int step = 1; step < Group; step *= 2) {
            const int other = __shfl_up_sync(mask, before, step, Group);
            before += lane >= step ? other : 0;
        }
        const int products = __shfl_sync(mask, before, Group - 1, Group);
        before -= own.length;
        int at = -1;
        Value a = 0;
        for (int j = 0; j < entries; ++j) {
            const int start = __shfl_sync(mask, before, j, Group),
                      length = __shfl_sync(mask, own.length, j, Group),
                      first = __shfl_sync(mask, own.first, j, Group);
            const Value value = __shfl_sync(mask, own.value, j, Group);
            if (lane >= start && lane < start + length) {
                at = first + lane - start;
                a = value;
            }
        }
        // Equal columns stay in the order of A's entries.
        Key key = ~Key{0};
        Value value = 0;
        if (lane < products) {
            key = static_cast<Key>(f.bColumn[at]) << 5 | static_cast<Key>(lane);
            value = a * f.bValue[at];
        }
        for (int size = 2; size <= Group; size *= 2)
            for (int step = size / 2; step > 0; step /= 2) {
                const Key otherKey = __shfl_xor_sync(mask, key, step, Group);
                const Value other = __shfl_xor_sync(mask, value, step, Group);
                const bool wantsLess = ((lane & size) == 0) == ((lane & step) == 0);
                if ((otherKey < key) == wantsLess) {
                    key = otherKey;
                    value = other;
                }
            }
        const bool valid = lane < products;
        const int column = valid ? static_cast<int>(key >> 5) : -1 - lane;
        const int previous = __shfl_up_sync(mask, column, 1, Group);
        const bool head = valid && (lane == 0 || previous != column);
        Value sum = value;
        for (int step = 1; step < Group; ++step) {
            const int columnThere = __shfl_down_sync(mask, column, step, Group);
            const Value there = __shfl_down_sync(mask, value, step, Group);
            const bool more = head && lane + step < Group && columnThere == column;
            if (!__any_sync(mask, more))
                break;
            sum += more ? there : Value{0};
        }
        const unsigned heads = __ballot_sync(mask, head) & mask;
        if (head) {
            const long long to = out.at[row] + __popc(heads & ((1u << (threadIdx.x % 32)) - 1));
            out.column[to] = column;
            out.value[to] = sum;
        }
        if (lane == 0 && out.length)
            out.length[row] = __popc(heads);
    }
}

/// Calls add(column, product) in the lanes of a group, for the entries from `begin` to `end` of A
/// in their order. The first entries of several rows of B are read at once, then added in turn.
template <int Group, typename Value, typename Add>
__device__ void overProducts(const Factors<Value>& f, int begin, int end, const Add& add) {
    constexpr int ahead = 4;
    const int lane = static_cast<int>(threadIdx.x % Group);
    const unsigned mask = groupMask<Group>();
    for (int from = begin; from < end; from += Group) {
        const EntryOfA<Value> own(f, from + lane, from + lane < end);
        const int entries = min(Group, end - from);
        for (int j = 0; j < entries; j += ahead) {
            int first[ahead], length[ahead], column[ahead];
            Value a[ahead], b[ahead];
#pragma unroll
            for (int u = 0; u < ahead; ++u) {
                const int source = j + u < Group ? j + u : Group - 1;
                first[u] = __shfl_sync(mask, own.first, source, Group);
                length[u] = j + u < entries ? __shfl_sync(mask, own.length, source, Group) : 0;
                a[u] = __shfl_sync(mask, own.value, source, Group);
                if (lane < length[u]) {
                    column[u] = f.bColumn[first[u] + lane];
                    b[u] = f.bValue[first[u] + lane];
                }
            }
#pragma unroll
            for (int u = 0; u < ahead; ++u) {
                if (lane < length[u])
                    add(column[u], a[u], b[u]);
                __syncwarp(mask);
                for (int t = lane + Group; t < length[u]; t += Group)
                    add(f.bColumn[first[u] + t], a[u], f.bValue[first[u] + t]);
                __syncwarp(mask);
            }
        }
    }
}

/// Sorts `count` keys with their values, a power of two, ascending.
template <int Group, typename Value>
__device__ void sortShared(int* keys, Value* values, int count) {
    const int lane = static_cast<int>(threadIdx.x % Group);
    const unsigned mask = groupMask<Group>();
    for (int size = 2; size <= count; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            for (int i = lane; i < count / 2; i += Group) {
                const int low = 2 * i - (i & (step - 1)), high = low + step;
                const int a = keys[low], b = keys[high];
                if ((a > b) == ((low & size) == 0)) {
                    keys[low] = b;
                    keys[high] = a;
                    const Value v = values[low];
                    values[low] = values[high];
                    values[high] = v;
                }
            }
            __syncwarp(mask);
        }
}

template <int Slots, int Group, int Threads, typename Value>
__global__ void __launch_bounds__(Threads)
    hashKernel(const Factors<Value> f, const int* list, int count, const RowOutput<Value> out) {
    extern __shared__ double memory[];
    constexpr int teams = Threads / Group;
    const int lane = static_cast<int>(threadIdx.x % Group),
              team = static_cast<int>(threadIdx.x) / Group;
    const unsigned mask = groupMask<Group>();
    Value* const values = reinterpret_cast<Value*>(memory) + team * Slots;
    int* const keys =
        reinterpret_cast<int*>(reinterpret_cast<Value*>(memory) + teams * Slots) + team * Slots;
    constexpr int empty = -1;
    for (int s = lane; s < Slots; s += Group)
        keys[s] = empty;
    __syncwarp(mask);
    for (int i = static_cast<int>(blockIdx.x) * teams + team; i < count;
         i += static_cast<int>(gridDim.x) * teams) {
        const int row = list[i];
        overProducts<Group>(f, f.aStart[row], f.aStart[row + 1], [&](int column, Value a, Value b) {
            for (unsigned slot = static_cast<unsigned>(column) * 2654435761u >> 7;; ++slot) {
                const unsigned s = slot % Slots;
                int there = keys[s];
                if (there == empty)
                    there = atomicCAS(keys + s, empty, column);
                if (there == empty) {
                    values[s] = a * b;
                    return;
                }
                if (there == column) {
                    values[s] = fma(a, b, values[s]);
                    return;
                }
            }
        });
        // The table becomes a list, in place: what is written was read before.
        int length = 0;
        for (int s = lane; s < Slots; s += Group) {
            const int key = keys[s];
            const Value value = values[s];
            const unsigned used = __ballot_sync(mask, key != empty) & mask;
            __syncwarp(mask);
            if (key != empty) {
                const int to = length + __popc(used & ((1u << (threadIdx.x % 32)) - 1));
                keys[to] = key;
                values[to] = value;
            }
            length += __popc(used);
            __syncwarp(mask);
        }
        int sorted = 1;
        while (sorted < length)
            sorted *= 2;
        for (int s = length + lane; s < sorted; s += Group)
            keys[s] = INT_MAX;
        __syncwarp(mask);
        sortShared<Group>(keys, values, sorted);
        const long long at = out.at[row];
        for (int s = lane; s < length; s += Group) {
            out.column[at + s] = keys[s];
            out.value[at + s] = values[s];
        }
        if (lane == 0 && out.length)
            out.length[row] = length;
        __syncwarp(mask);
        for (int s = lane; s < Slots; s += Group)
            keys[s] = empty;
        __syncwarp(mask);
    }
}

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

/// A row by Warps warps, each with an array of its own and a part of A's entries; they are added in
/// the order of the parts. A flag for 32 columns says that something is in them. With Warps = 1
/// a block has several teams.
template <int Warps, int Threads, typename Value>
__global__ void __launch_bounds__(Threads)
    arrayKernel(const Factors<Value> f, const RowRanges ranges, const int* list, int count,
                int columns, const RowOutput<Value> out) {
    using None = Empty<Value>;
    extern __shared__ double memory[];
    constexpr int teamThreads = 32 * Warps, teams = Threads / teamThreads;
    const int lane = static_cast<int>(threadIdx.x % 32),
              team = static_cast<int>(threadIdx.x) / teamThreads,
              warp = static_cast<int>(threadIdx.x) % teamThreads / 32,
              inTeam = static_cast<int>(threadIdx.x) % teamThreads;
    const int flagCount = columns / 32;
    Value* const arrays = reinterpret_cast<Value*>(memory) + team * Warps * columns;
    Value* const own = arrays + warp * columns;
    unsigned char* const flags = reinterpret_cast<unsigned char*>(reinterpret_cast<Value*>(memory) +
                                                                  teams * Warps * columns) +
                                 team * flagCount;
    const auto together = [] {
        if constexpr (Warps > 1)
            __syncthreads();
        else
            __syncwarp();
    };
    for (int c = inTeam; c < Warps * columns; c += teamThreads)
        arrays[c] = None::value();
    for (int c = inTeam; c < flagCount; c += teamThreads)
        flags[c] = 0;
    together();
    for (int i = static_cast<int>(blockIdx.x) * teams + team; i < count;
         i += static_cast<int>(gridDim.x) * teams) {
        const int row = list[i], low = ranges.low[row], window = ranges.window[row];
        const int begin = f.aStart[row], end = f.aStart[row + 1];
        const int part = (end - begin + Warps - 1) / Warps;
        const int from = min(begin + warp * part, end), to = min(from + part, end);
        overProducts<32>(f, from, to, [&](int column, Value a, Value b) {
            const int c = column - low;
            const Value before = own[c];
            own[c] = None::is(before) ? a * b : fma(a, b, before);
            flags[c / 32] = 1;
        });
        together();
        if (warp == 0) {
            int length = 0;
            const long long at = out.at[row];
            const int used = (window + 31) / 32;
            for (int first = 0; first < used; first += 32) {
                const bool flag = first + lane < used && flags[first + lane] != 0;
                if (flag)
                    flags[first + lane] = 0;
                for (unsigned left = __ballot_sync(0xffffffffu, flag); left != 0;
                     left &= left - 1) {
                    const int c = 32 * (first + __ffs(static_cast<int>(left)) - 1) + lane;
                    Value sum = None::value();
#pragma unroll
                    for (int w = 0; w < Warps; ++w) {
                        const Value there = arrays[w * columns + c];
                        arrays[w * columns + c] = None::value();
                        if (!None::is(there))
                            sum = None::is(sum) ? there : sum + there;
                    }
                    const bool has = !None::is(sum);
                    const unsigned found = __ballot_sync(0xffffffffu, has);
                    if (has) {
                        const long long place = at + length + __popc(found & ((1u << lane) - 1));
                        out.column[place] = low + c;
                        out.value[place] = sum;
                    }
                    length += __popc(found);
                }
            }
            if (lane == 0 && out.length)
                out.length[row] = length;
        }
        together();
    }
}

/// Launches as many blocks as the device holds at once, or as there is work for.
template <typename Value, typename... Parameters, typename... Arguments>
void launchResident(const char* name, double bytes, void (*kernel)(Parameters...), int threads,
                    std::size_t shared, int teams, int rows, LaunchLog& log,
                    Arguments&&... arguments) {
    cudaCheck(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(shared)),
              "setting the shared memory of a sparse product");
    int resident = 0;
    cudaCheck(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, shared),
              "counting the blocks of a sparse product");
    const int most = std::max(resident, 1) * log.cuda().device().multiprocessors * 2;
    LaunchShape shape{
        dim3(static_cast<unsigned>(std::min(systole::gpu::divideUp(rows, teams), most))),
        dim3(static_cast<unsigned>(threads))};
    shape.sharedBytes = shared;
    log.launch({name, bytes}, kernel, shape, std::forward<Arguments>(arguments)...);
}

} // namespace

template <typename Value>
void makeRows(Accumulator accumulator, const Factors<Value>& f, const RowRanges& ranges, int count,
              const RowOutput<Value>& out, int widest, LaunchLog& log) {
    const int* const list =
        ranges.lists + static_cast<std::size_t>(accumulator) * static_cast<std::size_t>(f.rows);
    const double bytes = 16.0 * count;
    const auto sorts = [&](auto group, const char* name) {
        constexpr int lanes = decltype(group)::value;
        log.launch({name, bytes}, sortKernel<lanes, Value>,
                   systole::gpu::threadsOver(static_cast<std::size_t>(count) * lanes, blockThreads),
                   f, list, count, out);
    };
    const auto hashes = [&](auto slots, auto group, auto threads, const char* name) {
        constexpr int s = decltype(slots)::value, g = decltype(group)::value,
                      t = decltype(threads)::value;
        launchResident<Value>(name, bytes, hashKernel<s, g, t, Value>, t,
                              static_cast<std::size_t>(t / g) * s * (sizeof(Value) + sizeof(int)),
                              t / g, count, log, f, list, count, out);
    };
    const auto arrays = [&](auto warps, auto threads, int columns, const char* name) {
        constexpr int w = decltype(warps)::value, t = decltype(threads)::value,
                      teams = t / (32 * w);
        const std::size_t shared = static_cast<std::size_t>(teams) *
                                   (static_cast<std::size_t>(w * columns) * sizeof(Value) +
                                    static_cast<std::size_t>(columns / 32));
        launchResident<Value>(name, bytes, arrayKernel<w, t, Value>, t, shared, teams, count, log,
                              f, ranges, list, count, columns, out);
    };
    switch (accumulator) {
    case Sort16:
        return sorts(Number<16>{}, "spgemm, 16 lanes");
    case Sort32:
        return sorts(Number<32>{}, "spgemm, 32 lanes");
    case Hash256:
        return hashes(Number<256>{}, Number<16>{}, Number<256>{}, "spgemm, hash 256");
    case Hash1024:
        return hashes(Number<1024>{}, Number<32>{}, Number<128>{}, "spgemm, hash 1024");
    case Hash4096:
        return hashes(Number<4096>{}, Number<32>{}, Number<32>{}, "spgemm, hash 4096");
    case Array1024:
        return arrays(Number<1>{}, Number<128>{}, 1024, "spgemm, array 1024");
    case Array4096:
        return arrays(Number<1>{}, Number<32>{}, 4096, "spgemm, array 4096");
    case Array12288:
        return arrays(Number<1>{}, Number<32>{}, middleArray, "spgemm, array 12288");
    case LongArray12288: {
        constexpr int warps = warpsOfLongArray<Value>;
        return arrays(Number<warps>{}, Number<32 * warps>{}, middleArray,
                      "spgemm, array 12288 of several warps");
    }
    case WidestArray:
        return arrays(Number<1>{}, Number<32>{}, widest, "spgemm, widest array");
    default:
        return;
    }
}

template void makeRows<float>(Accumulator, const Factors<float>&, const RowRanges&, int,
                              const RowOutput<float>&, int, LaunchLog&);
template void makeRows<double>(Accumulator, const Factors<double>&, const RowRanges&, int,
                               const RowOutput<double>&, int, LaunchLog&);

} // namespace systole::sparse::gpu
