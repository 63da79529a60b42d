// The accumulators of a row's products: sorted in registers, a hash table, an array over the row's
// columns. In all of them products are added in an order that the factors alone decide.
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

/// Products of a row, in the order of A's entries: one for each lane of a group, whatever the
/// lengths of B's rows.
template <int Group, typename Value>
class Products {
public:
    /// Of the group's next entries of A, from `from` on.
    __device__ Products(const Factors<Value>& f, int from, int end)
        : f_(f), own_(f, from + lane(), from + lane() < end), after_(own_.length) {
        for (int step = 1; step < Group; step *= 2) {
            const int other = __shfl_up_sync(mask(), after_, step, Group);
            after_ += lane() >= step ? other : 0;
        }
        count_ = __shfl_sync(mask(), after_, Group - 1, Group);
        offset_ = own_.first - (after_ - own_.length);
    }
    __device__ int count() const { return count_; }

    /// The product at a position; a negative column beyond the last.
    __device__ void read(int position, int& column, Value& product) const {
        int source = 0; // entries whose products all lie before
#pragma unroll
        for (int step = Group / 2; step > 0; step /= 2)
            source += __shfl_sync(mask(), after_, source + step - 1, Group) <= position ? step : 0;
        const int at = position + __shfl_sync(mask(), offset_, source, Group);
        const Value a = __shfl_sync(mask(), own_.value, source, Group);
        column = -1 - lane();
        product = 0;
        if (position < count_) {
            column = f_.bColumn[at];
            product = a * f_.bValue[at];
        }
    }
    /// Adds up those of one column in the group, in their order; true in the lane that has the sum.
    __device__ static bool merge(int column, Value& product) {
        const int ofWarp = static_cast<int>(threadIdx.x % 32);
        const unsigned alike = __match_any_sync(mask(), column);
        const bool leads = column >= 0 && __ffs(static_cast<int>(alike)) - 1 == ofWarp;
        unsigned others = leads ? alike & (alike - 1) : 0;
        const Value own = product;
        while (__any_sync(mask(), others != 0)) {
            const int source = others != 0 ? __ffs(static_cast<int>(others)) - 1 : ofWarp;
            const Value there = __shfl_sync(mask(), own, source);
            product += others != 0 ? there : Value{0};
            others &= others - 1;
        }
        return leads;
    }

private:
    __device__ static int lane() { return static_cast<int>(threadIdx.x % Group); }
    __device__ static unsigned mask() { return groupMask<Group>(); }

    const Factors<Value>& f_;
    EntryOfA<Value> own_;
    int after_;      ///< products up to this lane's entry
    int count_ = 0;  ///< of all entries
    int offset_ = 0; ///< from a position to where its entry of B stands
};

/// Calls add(column, sum) in the lanes of a group for the entries from `begin` to `end` of A, at
/// any time for different columns.
template <int Group, typename Value, typename Add>
__device__ void overProducts(const Factors<Value>& f, int begin, int end, const Add& add) {
    constexpr int ahead = 4; // reads under way
    const int lane = static_cast<int>(threadIdx.x % Group);
    for (int from = begin; from < end; from += Group) {
        const Products<Group, Value> products(f, from, end);
        for (int p = 0; p < products.count(); p += ahead * Group) {
            int column[ahead];
            Value product[ahead];
#pragma unroll
            for (int u = 0; u < ahead; ++u)
                products.read(p + u * Group + lane, column[u], product[u]);
#pragma unroll
            for (int u = 0; u < ahead; ++u) {
                if (p + u * Group >= products.count())
                    break;
                if (Products<Group, Value>::merge(column[u], product[u]))
                    add(column[u], product[u]);
                __syncwarp(groupMask<Group>());
            }
        }
    }
}

/// The same by one warp, a row of B at a time, whose columns differ: for long rows of B. The first
/// entries of several rows are read at once.
template <typename Value, typename Add>
__device__ void overRowsOfB(const Factors<Value>& f, int begin, int end, const Add& add) {
    constexpr int ahead = 4;
    constexpr unsigned every = 0xffffffffu;
    const int lane = static_cast<int>(threadIdx.x % 32);
    for (int from = begin; from < end; from += 32) {
        const EntryOfA<Value> own(f, from + lane, from + lane < end);
        const int entries = min(32, end - from);
        for (int j = 0; j < entries; j += ahead) {
            int first[ahead], length[ahead], column[ahead];
            Value a[ahead], b[ahead];
#pragma unroll
            for (int u = 0; u < ahead; ++u) {
                first[u] = __shfl_sync(every, own.first, j + u);
                length[u] = j + u < entries ? __shfl_sync(every, own.length, j + u) : 0;
                a[u] = __shfl_sync(every, own.value, j + u);
                if (lane < length[u]) {
                    column[u] = f.bColumn[first[u] + lane];
                    b[u] = f.bValue[first[u] + lane];
                }
            }
#pragma unroll
            for (int u = 0; u < ahead; ++u) {
                if (lane < length[u])
                    add(column[u], a[u] * b[u]);
                for (int t = lane + 32; t < length[u]; t += 32)
                    add(f.bColumn[first[u] + t], a[u] * f.bValue[first[u] + t]);
                __syncwarp();
            }
        }
    }
}

/// The same by a block of warps that share what is added to: each reads its own products, then they
/// add in turn.
template <int Warps, typename Value, typename Add>
__device__ void overProductsInTurn(const Factors<Value>& f, int begin, int end, const Add& add) {
    constexpr int ahead = 2, batch = 32 * Warps;
    const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
    for (int from = begin; from < end; from += 32) {
        const Products<32, Value> products(f, from, end);
        for (int p = 0; p < products.count(); p += ahead * batch) {
            int column[ahead];
            Value product[ahead];
#pragma unroll
            for (int u = 0; u < ahead; ++u)
                products.read(p + u * batch + 32 * warp + lane, column[u], product[u]);
#pragma unroll
            for (int u = 0; u < ahead; ++u) {
                if (p + u * batch >= products.count())
                    break;
                const bool leads = Products<32, Value>::merge(column[u], product[u]);
                const int turns = min(Warps, (products.count() - p - u * batch + 31) / 32);
                for (int turn = 0; turn < turns; ++turn) {
                    if (turn == warp && leads)
                        add(column[u], product[u]);
                    __syncthreads();
                }
            }
        }
    }
}

/// Sorts keys with their values by a warp, PerLane in each lane: number i is register i / 32 of
/// lane i % 32.
template <int PerLane, typename Value>
__device__ void sortRegisters(int (&keys)[PerLane], Value (&values)[PerLane]) {
    const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
    for (int size = 2; size <= 32 * PerLane; size *= 2)
#pragma unroll
        for (int step = size / 2; step > 0; step /= 2) {
            if (step >= 32) {
#pragma unroll
                for (int e = 0; e < PerLane; ++e) {
                    const int other = e ^ (step / 32);
                    if (other > e) {
                        const bool ascending = ((32 * e) & size) == 0;
                        if ((keys[e] > keys[other]) == ascending) {
                            const int key = keys[e];
                            keys[e] = keys[other];
                            keys[other] = key;
                            const Value value = values[e];
                            values[e] = values[other];
                            values[other] = value;
                        }
                    }
                }
            } else {
#pragma unroll
                for (int e = 0; e < PerLane; ++e) {
                    const int i = 32 * e + lane;
                    const int otherKey = __shfl_xor_sync(0xffffffffu, keys[e], step);
                    const Value other = __shfl_xor_sync(0xffffffffu, values[e], step);
                    const bool wantsLess = ((i & size) == 0) == ((lane & step) == 0);
                    if ((otherKey < keys[e]) == wantsLess) {
                        keys[e] = otherKey;
                        values[e] = other;
                    }
                }
            }
        }
}

/// Sorts a table of at most 32 · PerLane keys into the row of the product.
template <int PerLane, typename Value>
__device__ void writeSorted(const int* keys, const Value* values, int length, int* column,
                            Value* value) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    int key[PerLane];
    Value held[PerLane];
#pragma unroll
    for (int e = 0; e < PerLane; ++e) {
        const int i = 32 * e + lane;
        key[e] = i < length ? keys[i] : INT_MAX;
        held[e] = i < length ? values[i] : Value{0};
    }
    sortRegisters<PerLane>(key, held);
#pragma unroll
    for (int e = 0; e < PerLane; ++e)
        if (32 * e + lane < length) {
            column[32 * e + lane] = key[e];
            value[32 * e + lane] = held[e];
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

/// A table of a row is as large as it must be for its products, at most Slots.
template <int Slots, int Group, int Threads, typename Value>
__global__ void __launch_bounds__(Threads)
    hashKernel(const Factors<Value> f, const int* bound, const int* list, int count,
               const RowOutput<Value> out) {
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
        const int most = bound[row], needed = most + most / 4;
        const int slots = min(Slots, max(Group, needed <= 1 ? 1 : 1 << (32 - __clz(needed - 1))));
        overProducts<Group>(f, f.aStart[row], f.aStart[row + 1], [&](int column, Value product) {
            for (unsigned slot = static_cast<unsigned>(column) * 2654435761u >> 7;; ++slot) {
                const int s = static_cast<int>(slot) & (slots - 1);
                int there = keys[s];
                if (there == empty)
                    there = atomicCAS(keys + s, empty, column);
                if (there == empty) {
                    values[s] = product;
                    return;
                }
                if (there == column) {
                    values[s] += product;
                    return;
                }
            }
        });
        // The table becomes a list, in place: what is written was read before.
        int length = 0;
        for (int s = lane; s < slots; s += Group) {
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
        const long long at = out.at[row];
        int* const column = out.column + at;
        Value* const value = out.value + at;
        if (length <= 32)
            writeSorted<1>(keys, values, length, column, value);
        else if (length <= 64)
            writeSorted<2>(keys, values, length, column, value);
        else if (length <= 128)
            writeSorted<4>(keys, values, length, column, value);
        else if (length <= 256)
            writeSorted<8>(keys, values, length, column, value);
        else {
            int sorted = 512;
            while (sorted < length)
                sorted *= 2;
            for (int s = length + lane; s < sorted; s += Group)
                keys[s] = INT_MAX;
            __syncwarp(mask);
            sortShared<Group>(keys, values, sorted);
            for (int s = lane; s < length; s += Group) {
                column[s] = keys[s];
                value[s] = values[s];
            }
        }
        if (lane == 0 && out.length)
            out.length[row] = length;
        __syncwarp(mask);
        for (int s = lane; s < slots; s += Group)
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

/// A row by Warps warps, which share an array over its columns. A flag for 32 columns says that
/// something is in them. With Warps = 1 a block has several teams, and LongRows takes B's rows one
/// at a time.
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
        if constexpr (Warps > 1)
            overProductsInTurn<Warps>(f, begin, end, add);
        else if constexpr (LongRows)
            overRowsOfB(f, begin, end, add);
        else
            overProducts<32>(f, begin, end, add);
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
              const RowOutput<Value>& out, int widest, bool longRowsOfB, LaunchLog& log) {
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
                              t / g, count, log, f, ranges.bound, list, count, out);
    };
    const auto arrays = [&](auto warps, auto threads, int columns, const char* name) {
        constexpr int w = decltype(warps)::value, t = decltype(threads)::value,
                      teams = t / (32 * w);
        const std::size_t shared =
            static_cast<std::size_t>(teams) * (static_cast<std::size_t>(columns) * sizeof(Value) +
                                               static_cast<std::size_t>(columns / 32));
        const auto launch = [&](auto kernel) {
            launchResident<Value>(name, bytes, kernel, t, shared, teams, count, log, f, ranges,
                                  list, count, columns, out);
        };
        if (w == 1 && longRowsOfB)
            launch(arrayKernel<w, t, true, Value>);
        else
            launch(arrayKernel<w, t, false, Value>);
    };
    switch (accumulator) {
    case Sort16:
        return sorts(Number<16>{}, "spgemm, 16 lanes");
    case Sort32:
        return sorts(Number<32>{}, "spgemm, 32 lanes");
    case Hash256:
        return hashes(Number<256>{}, Number<32>{}, Number<256>{}, "spgemm, hash 256");
    case Hash1024:
        return hashes(Number<1024>{}, Number<32>{}, Number<128>{}, "spgemm, hash 1024");
    case Hash4096:
        return hashes(Number<4096>{}, Number<32>{}, Number<32>{}, "spgemm, hash 4096");
    case Array1024:
        return arrays(Number<1>{}, Number<128>{}, 1024, "spgemm, array 1024");
    case Array4096:
        return arrays(Number<1>{}, Number<32>{}, 4096, "spgemm, array 4096");
    case Array12288:
        return arrays(Number<4>{}, Number<128>{}, middleArray, "spgemm, array 12288");
    case LongArray12288:
        return arrays(Number<8>{}, Number<256>{}, middleArray, "spgemm, array 12288, long rows");
    case WidestArray:
        return arrays(Number<16>{}, Number<512>{}, widest, "spgemm, widest array");
    default:
        return;
    }
}

template void makeRows<float>(Accumulator, const Factors<float>&, const RowRanges&, int,
                              const RowOutput<float>&, int, bool, LaunchLog&);
template void makeRows<double>(Accumulator, const Factors<double>&, const RowRanges&, int,
                               const RowOutput<double>&, int, bool, LaunchLog&);

} // namespace systole::sparse::gpu
