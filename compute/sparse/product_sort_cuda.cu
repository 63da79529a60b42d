// The products of a short row, sorted in the registers of a group of lanes.
#include "compute/sparse/product_reading.cuh"

namespace systole::sparse::gpu {
namespace {

constexpr int blockThreads = 256;

/// Ascending, by a bitonic network: number i is register i / Group of lane i % Group.
template <int Group, int PerLane>
__device__ void sortKeys(unsigned mask, unsigned (&key)[PerLane]) {
    const int lane = static_cast<int>(threadIdx.x % Group);
#pragma unroll
    for (int size = 2; size <= Group * PerLane; size *= 2)
#pragma unroll
        for (int step = size / 2; step > 0; step /= 2) {
            if (step == Group) {
                const unsigned less = min(key[0], key[PerLane - 1]);
                key[PerLane - 1] = max(key[0], key[PerLane - 1]);
                key[0] = less;
                continue;
            }
#pragma unroll
            for (int e = 0; e < PerLane; ++e) {
                const unsigned other = __shfl_xor_sync(mask, key[e], step, Group);
                const bool wantsLess = (((e * Group + lane) & size) == 0) == ((lane & step) == 0);
                key[e] = wantsLess ? min(key[e], other) : max(key[e], other);
            }
        }
}

/// sum[e] of a head becomes the sum of the products from there on that have its column; a run has
/// at most Group of them.
template <int Group, int PerLane, typename Value>
__device__ void addRuns(unsigned mask, const int (&column)[PerLane], const bool (&head)[PerLane],
                        const Value (&product)[PerLane], Value (&sum)[PerLane]) {
    const int lane = static_cast<int>(threadIdx.x % Group);
    for (int step = 1; step < Group; ++step) {
        const bool within = lane + step < Group;
        int there[PerLane];
        Value value[PerLane];
#pragma unroll
        for (int e = 0; e < PerLane; ++e) {
            there[e] = __shfl_sync(mask, column[e], lane + step, Group);
            value[e] = __shfl_sync(mask, product[e], lane + step, Group);
        }
        bool more = false;
#pragma unroll
        for (int e = 0; e < PerLane; ++e) {
            const int next = min(e + 1, PerLane - 1);
            const bool alike = head[e] && (within || e + 1 < PerLane) &&
                               (within ? there[e] : there[next]) == column[e];
            sum[e] += alike ? (within ? value[e] : value[next]) : Value{0};
            more = more || alike;
        }
        if (!__any_sync(mask, more))
            break;
    }
}

/// Sums a row with at most Group entries of A and Group · PerLane products. A key is a product's
/// column, counted from the row's first one, and its number.
template <int Group, int PerLane, typename Value>
__global__ void __launch_bounds__(blockThreads)
    sortKernel(const Factors<Value> f, const int* low, const int* list, int count,
               const RowOutput<Value> out) {
    constexpr int most = Group * PerLane, bits = most == 8    ? 3
                                                 : most == 16 ? 4
                                                 : most == 32 ? 5
                                                              : 6;
    static_assert(most == 1 << bits && (PerLane == 1 || Group == 32));
    constexpr unsigned none = 0xffffffffu;
    const int lane = static_cast<int>(threadIdx.x % Group);
    const unsigned mask = groupMask<Group>(), below = (1u << (threadIdx.x % 32)) - 1;
    const int groups = static_cast<int>(gridDim.x) * blockThreads / Group;
    for (int i = static_cast<int>(blockIdx.x * blockThreads + threadIdx.x) / Group; i < count;
         i += groups) {
        const int row = list[i];
        const Products<Group, Value> products(f, f.aStart[row], f.aStart[row + 1]);
        unsigned key[PerLane];
        Value product[PerLane];
#pragma unroll
        for (int e = 0; e < PerLane; ++e) {
            int column;
            products.read(e * Group + lane, column, product[e]);
            key[e] = column >= 0 ? static_cast<unsigned>(column - low[row]) << bits |
                                       static_cast<unsigned>(e * Group + lane)
                                 : none;
        }
        sortKeys<Group>(mask, key);
        // Sums of equal columns, in the order of A's entries, where the first of them stands.
        int column[PerLane];
        Value value[PerLane], sum[PerLane];
        bool head[PerLane];
#pragma unroll
        for (int e = 0; e < PerLane; ++e) {
            const int from = static_cast<int>(key[e] % Group);
            value[e] = __shfl_sync(mask, product[0], from, Group);
            if constexpr (PerLane == 2) {
                const Value other = __shfl_sync(mask, product[1], from, Group);
                value[e] = (key[e] >> 5 & 1) != 0 ? other : value[e];
            }
            column[e] = key[e] != none ? static_cast<int>(key[e] >> bits) : -1;
            int previous = __shfl_up_sync(mask, column[e], 1, Group);
            if (lane == 0)
                previous = -1;
            if constexpr (PerLane == 2) {
                const int last = __shfl_sync(mask, column[0], 31);
                if (e == 1 && lane == 0)
                    previous = last;
            }
            head[e] = column[e] >= 0 && previous != column[e];
            sum[e] = value[e];
        }
        addRuns<Group>(mask, column, head, value, sum);
        int before = 0;
#pragma unroll
        for (int e = 0; e < PerLane; ++e) {
            const unsigned heads = __ballot_sync(mask, head[e]) & mask;
            if (head[e]) {
                const long long to = out.at[row] + before + __popc(heads & below);
                out.column[to] = low[row] + column[e];
                out.value[to] = sum[e];
            }
            before += __popc(heads);
        }
        if (lane == 0 && out.length)
            out.length[row] = before;
    }
}

} // namespace

template <typename Value>
void sortRows(const RowWork<Value>& work, LaunchLog& log) {
    const auto launch = [&]<int Group, int PerLane>(const char* name) {
        log.launch({name, 16.0 * work.list.count}, sortKernel<Group, PerLane, Value>,
                   systole::gpu::threadsOver(static_cast<std::size_t>(work.list.count) * Group,
                                             blockThreads),
                   work.factors, work.ranges.low, work.list.rows, work.list.count, work.out);
    };
    if (work.accumulator == Sort8)
        launch.template operator()<8, 1>("spgemm, sort 8");
    else if (work.accumulator == Sort16)
        launch.template operator()<16, 1>("spgemm, sort 16");
    else if (work.accumulator == Sort32)
        launch.template operator()<32, 1>("spgemm, sort 32");
    else
        launch.template operator()<32, 2>("spgemm, sort 64");
}

template void sortRows(const RowWork<float>&, LaunchLog&);
template void sortRows(const RowWork<double>&, LaunchLog&);

} // namespace systole::sparse::gpu
