// How the rows of a product are read: entries of A, the rows of B that they multiply, and their
// products in the order of A's entries, so that every sum has one order.
#pragma once

#include "compute/cuda/kernel_support.cuh"
#include "compute/sparse/product_cuda.cuh"

#include <algorithm>
#include <type_traits>

namespace systole::sparse::gpu {

/// The lanes of a group within its warp.
template <int Group>
__device__ unsigned groupMask() {
    if constexpr (Group == 32)
        return 0xffffffffu;
    else
        return ((1u << Group) - 1) << (threadIdx.x % 32 / Group * Group);
}

/// Sum of the values of the group's lanes up to this one.
template <int Group = 32>
__device__ int sumUpTo(int value, unsigned mask = 0xffffffffu) {
    const int lane = static_cast<int>(threadIdx.x % Group);
    for (int step = 1; step < Group; step *= 2) {
        const int other = __shfl_up_sync(mask, value, step, Group);
        value += lane >= step ? other : 0;
    }
    return value;
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

/// Products of a row, in the order of A's entries: one for each lane of a group, whatever the
/// lengths of B's rows.
template <int Group, typename Value>
class Products {
public:
    /// The products of the group's next entries of A, from `from` on.
    __device__ Products(const Factors<Value>& f, int from, int end)
        : f_(f)
        , own_(f, from + lane(), from + lane() < end)
        , after_(sumUpTo<Group>(own_.length, mask())) {
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
    int count_ = 0;  ///< products of all entries
    int offset_ = 0; ///< difference from a position to the place of its entry of B
};

/// Stretches of 32 products, each of one entry of A, whose columns differ: for rows of B that fill
/// a warp. Lane i has product i of a stretch.
template <typename Value>
class Stretches {
public:
    /// The products of the warp's next entries of A, from `from` on.
    __device__ Stretches(const Factors<Value>& f, int from, int end)
        : f_(f)
        , own_(f, from + lane(), from + lane() < end)
        , ofEntry_((own_.length + 31) / 32)
        , after_(sumUpTo(ofEntry_)) {
        count_ = __shfl_sync(every, after_, 31);
    }
    __device__ int count() const { return count_; }

    /// Where the lane's entry of B stands, -1 beyond the row's end; `a` is what multiplies it.
    __device__ int at(int stretch, Value& a) const {
        const int source = min(31, __popc(__ballot_sync(every, after_ <= stretch)));
        const int before = __shfl_sync(every, after_ - ofEntry_, source);
        const int length = __shfl_sync(every, own_.length, source),
                  first = __shfl_sync(every, own_.first, source);
        a = __shfl_sync(every, own_.value, source);
        const int t = 32 * (stretch - before) + lane();
        return stretch < count_ && t < length ? first + t : -1;
    }
    __device__ void read(int stretch, int& column, Value& product) const {
        Value a;
        const int entry = at(stretch, a);
        column = entry >= 0 ? f_.bColumn[entry] : -1;
        product = entry >= 0 ? a * f_.bValue[entry] : Value{0};
    }

private:
    static constexpr unsigned every = 0xffffffffu;
    __device__ static int lane() { return static_cast<int>(threadIdx.x % 32); }

    const Factors<Value>& f_;
    EntryOfA<Value> own_;
    int ofEntry_, after_, count_;
};

/// Batches of 32 products that a warp reads: stretches of single rows of B, or whatever follows.
template <bool LongRows, typename Value>
class Batches {
public:
    __device__ Batches(const Factors<Value>& f, int from, int end) : source_(f, from, end) {}
    __device__ int count() const {
        return LongRows ? source_.count() : (source_.count() + 31) / 32;
    }
    __device__ void read(int batch, int& column, Value& product) const {
        if constexpr (LongRows)
            source_.read(batch, column, product);
        else
            source_.read(32 * batch + static_cast<int>(threadIdx.x % 32), column, product);
    }
    /// Adds up products of one column; true in the lane that has the sum.
    __device__ static bool merge(int column, Value& product) {
        if constexpr (LongRows)
            return column >= 0;
        else
            return Products<32, Value>::merge(column, product);
    }

private:
    std::conditional_t<LongRows, Stretches<Value>, Products<32, Value>> source_;
};

/// Calls see(column) for every product of the entries from `begin` to `end` of A, in any order, by
/// Warps warps.
template <int Warps, bool LongRows, typename Value, typename See>
__device__ void overColumns(const Factors<Value>& f, int begin, int end, const See& see) {
    constexpr int ahead = 4;
    const int warp = static_cast<int>(threadIdx.x / 32) % Warps;
    for (int from = begin; from < end; from += 32) {
        const Batches<LongRows, Value> batches(f, from, end);
        for (int b = warp; b < batches.count(); b += ahead * Warps) {
            int column[ahead];
            Value product; // not used: nothing of it is read
#pragma unroll
            for (int u = 0; u < ahead; ++u)
                batches.read(b + u * Warps, column[u], product);
#pragma unroll
            for (int u = 0; u < ahead; ++u)
                if (column[u] >= 0)
                    see(column[u]);
        }
    }
}

/// Products of some batches of a block, given to the warps that own their columns: no two warps add
/// to one sum, and each adds in the order of the batches. The block calls it as one.
template <int Warps, int Batches, typename Value>
struct Exchange {
    static constexpr int places = Warps * Batches, room = 32 * Batches,
                         ownerBits = Warps == 16  ? 4
                                     : Warps == 8 ? 3
                                                  : 2;
    static_assert(Warps == 1 << ownerBits && places % 32 == 0);
    /// Products by owner, then by batch: how many, then where they begin, and the end of all.
    /// Twice, as one warp may begin the next round while another still ends this one.
    int start[2][places + 1];
    int column[room];
    Value product[room];

    __device__ static int ownerOf(int column) {
        return static_cast<int>(static_cast<unsigned>(column) * 2654435761u >> (32 - ownerBits));
    }
    /// The lanes of `valid` whose owner is `wanted`; `bits` are ballots over the bits of the owner.
    __device__ static unsigned owned(unsigned valid, const unsigned (&bits)[ownerBits],
                                     int wanted) {
#pragma unroll
        for (int bit = 0; bit < ownerBits; ++bit)
            valid &= (wanted >> bit & 1) != 0 ? bits[bit] : ~bits[bit];
        return valid;
    }

    /// Batch u · Warps + warp has the products [u]; those of a negative column aren't there.
    template <int Own, typename Add>
    __device__ void round(int parity, const int (&columns)[Own], const Value (&products)[Own],
                          const Add& add) {
        static_assert(Own * Warps == Batches);
        constexpr unsigned every = 0xffffffffu;
        const int lane = static_cast<int>(threadIdx.x % 32),
                  warp = static_cast<int>(threadIdx.x / 32) % Warps;
        int* const from = start[parity];
        unsigned alike[Own];
#pragma unroll
        for (int u = 0; u < Own; ++u) {
            const int owner = ownerOf(columns[u]);
            const unsigned valid = __ballot_sync(every, columns[u] >= 0);
            unsigned bits[ownerBits];
#pragma unroll
            for (int bit = 0; bit < ownerBits; ++bit)
                bits[bit] = __ballot_sync(every, (owner >> bit & 1) != 0);
            alike[u] = owned(valid, bits, owner);
            if (lane < Warps)
                from[lane * Batches + u * Warps + warp] = __popc(owned(valid, bits, lane));
        }
        __syncthreads();
        if (warp == 0)
            sumUp(from);
        __syncthreads();
#pragma unroll
        for (int u = 0; u < Own; ++u)
            if (columns[u] >= 0) {
                const int to = from[ownerOf(columns[u]) * Batches + u * Warps + warp] +
                               __popc(alike[u] & ((1u << lane) - 1));
                column[to] = columns[u];
                product[to] = products[u];
            }
        __syncthreads();
        const int end = from[(warp + 1) * Batches];
        for (int first = from[warp * Batches]; first < end; first += 32) {
            const bool there = first + lane < end;
            const int own = there ? column[first + lane] : -1 - lane;
            Value sum = there ? product[first + lane] : Value{0};
            if (Products<32, Value>::merge(own, sum))
                add(own, sum);
            __syncwarp();
        }
    }

private:
    /// Numbers become the sums of all before, by a warp.
    __device__ static void sumUp(int* number) {
        constexpr int perLane = places / 32;
        const int lane = static_cast<int>(threadIdx.x % 32);
        int own[perLane], total = 0;
#pragma unroll
        for (int i = 0; i < perLane; ++i) {
            own[i] = number[lane * perLane + i];
            total += own[i];
        }
        int before = sumUpTo(total) - total;
#pragma unroll
        for (int i = 0; i < perLane; ++i) {
            number[lane * perLane + i] = before;
            before += own[i];
        }
        if (lane == 31)
            number[places] = before;
    }
};

/// Batches that a warp reads at once for several that share sums.
inline constexpr int batchesAtOnce = 2;
template <typename Value>
constexpr int bytesOfExchange(int warps) {
    return warps == 8    ? static_cast<int>(sizeof(Exchange<8, 8 * batchesAtOnce, Value>))
           : warps == 16 ? static_cast<int>(sizeof(Exchange<16, 16 * batchesAtOnce, Value>))
                         : 0;
}

/// Calls add(column, sum) for the entries from `begin` to `end` of A by Warps warps that share what
/// is added to, at any time for different columns: each reads its own products, then they add in
/// turn, or with Exchanged at once. A team of more than one warp is a block.
template <int Warps, bool LongRows, bool Exchanged = false, typename Value, typename Add>
__device__ void overSums(const Factors<Value>& f, int begin, int end, const Add& add) {
    constexpr int ahead = Warps == 1 ? 4 : batchesAtOnce;
    const int warp = static_cast<int>(threadIdx.x / 32) % Warps;
    int parity = 0;
    for (int from = begin; from < end; from += 32) {
        const Batches<LongRows, Value> batches(f, from, end);
        for (int b = 0; b < batches.count(); b += ahead * Warps) {
            int column[ahead];
            Value product[ahead];
#pragma unroll
            for (int u = 0; u < ahead; ++u)
                batches.read(b + u * Warps + warp, column[u], product[u]);
            if constexpr (Exchanged) {
                __shared__ Exchange<Warps, Warps * ahead, Value> exchange;
                exchange.round(parity, column, product, add);
                parity ^= 1;
            } else {
#pragma unroll
                for (int u = 0; u < ahead; ++u) {
                    const int left = batches.count() - b - u * Warps;
                    if (left <= 0)
                        break;
                    const bool leads = Batches<LongRows, Value>::merge(column[u], product[u]);
                    if constexpr (Warps == 1) {
                        if (leads)
                            add(column[u], product[u]);
                        __syncwarp();
                    } else {
                        for (int turn = 0; turn < min(Warps, left); ++turn) {
                            if (turn == warp && leads)
                                add(column[u], product[u]);
                            __syncthreads();
                        }
                    }
                }
            }
        }
    }
}

/// How rows are given to teams of warps: blocks of `threads` with `teams` teams and `shared` bytes
/// of dynamic shared memory, as many as the device holds twice, if `resident`, else one team per
/// row.
struct TeamLaunch {
    const char* name;
    bool resident;
    int threads, teams;
    std::size_t shared;
};
template <typename... Parameters, typename... Arguments>
void launchTeams(const TeamLaunch& launched, void (*kernel)(Parameters...), const RowList& list,
                 LaunchLog& log, Arguments&&... arguments) {
    const auto [name, resident, threads, teams, shared] = launched;
    cudaCheck(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(shared)),
              "setting the shared memory of a sparse product");
    int blocks = systole::gpu::divideUp(list.count, teams);
    if (resident) {
        int held = 0;
        cudaCheck(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&held, kernel, threads, shared),
                  "counting the blocks of a sparse product");
        blocks = std::min(blocks, std::max(held, 1) * log.cuda().device().multiprocessors * 2);
    }
    const LaunchShape shape{dim3(static_cast<unsigned>(blocks)),
                            dim3(static_cast<unsigned>(threads)), shared};
    log.launch({list.name ? list.name : name, list.bytes, list.flops}, kernel, shape,
               std::forward<Arguments>(arguments)...);
}

/// Calls run(std::bool_constant<rows of B are long>{}).
template <typename Value, typename Run>
void byRowsOfB(const Factors<Value>& f, const Run& run) {
    if (f.longRowsOfB)
        run(std::true_type{});
    else
        run(std::false_type{});
}

} // namespace systole::sparse::gpu
