// A hash table in shared memory per row, sorted when it is full.
#include "compute/sparse/product_reading.cuh"

#include <climits>

namespace systole::sparse::gpu {
namespace {

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
template <typename Value>
__device__ void sortShared(int* keys, Value* values, int count) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    for (int size = 2; size <= count; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            for (int i = lane; i < count / 2; i += 32) {
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
            __syncwarp();
        }
}

/// A table of a row is as large as it must be for its products, at most Slots.
/// Long because its phases share registers and shared memory.
template <int Slots, int Threads, bool LongRows, typename Value>
__global__ void __launch_bounds__(Threads)
    hashKernel(const Factors<Value> f, const int* bound, const int* list, int count,
               const RowOutput<Value> out) {
    extern __shared__ double memory[];
    constexpr int teams = Threads / 32;
    constexpr unsigned every = 0xffffffffu;
    const int lane = static_cast<int>(threadIdx.x % 32), team = static_cast<int>(threadIdx.x) / 32;
    Value* const values = reinterpret_cast<Value*>(memory) + team * Slots;
    int* const keys =
        reinterpret_cast<int*>(reinterpret_cast<Value*>(memory) + teams * Slots) + team * Slots;
    constexpr int empty = -1;
    for (int s = lane; s < Slots; s += 32)
        keys[s] = empty;
    __syncwarp();
    for (int i = static_cast<int>(blockIdx.x) * teams + team; i < count;
         i += static_cast<int>(gridDim.x) * teams) {
        const int row = list[i];
        const int most = bound[row], needed = most + most / 4;
        const int slots = min(Slots, max(32, needed <= 1 ? 1 : 1 << (32 - __clz(needed - 1))));
        overSums<1, LongRows>(f, f.aStart[row], f.aStart[row + 1], [&](int column, Value product) {
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
        for (int s = lane; s < slots; s += 32) {
            const int key = keys[s];
            const Value value = values[s];
            const unsigned used = __ballot_sync(every, key != empty);
            __syncwarp();
            if (key != empty) {
                const int to = length + __popc(used & ((1u << lane) - 1));
                keys[to] = key;
                values[to] = value;
            }
            length += __popc(used);
            __syncwarp();
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
            for (int s = length + lane; s < sorted; s += 32)
                keys[s] = INT_MAX;
            __syncwarp();
            sortShared(keys, values, sorted);
            for (int s = lane; s < length; s += 32) {
                column[s] = keys[s];
                value[s] = values[s];
            }
        }
        if (lane == 0 && out.length)
            out.length[row] = length;
        __syncwarp();
        for (int s = lane; s < slots; s += 32)
            keys[s] = empty;
        __syncwarp();
    }
}

} // namespace

template <typename Value>
void hashRows(const RowWork<Value>& work, LaunchLog& log) {
    const auto launch = [&]<int Slots, int Threads>(const char* name) {
        constexpr int teams = Threads / 32;
        const TeamLaunch launched{name, true, Threads, teams,
                                  teams * Slots * (sizeof(Value) + sizeof(int))};
        byRowsOfB(work.factors, [&](auto longRows) {
            launchTeams(launched, hashKernel<Slots, Threads, decltype(longRows)::value, Value>,
                        work.list, log, work.factors, work.ranges.bound, work.list.rows,
                        work.list.count, work.out);
        });
    };
    if (work.accumulator == Hash256)
        launch.template operator()<256, 256>("spgemm, hash 256");
    else if (work.accumulator == Hash1024)
        launch.template operator()<1024, 128>("spgemm, hash 1024");
    else
        launch.template operator()<4096, 32>("spgemm, hash 4096");
}

template void hashRows(const RowWork<float>&, LaunchLog&);
template void hashRows(const RowWork<double>&, LaunchLog&);

} // namespace systole::sparse::gpu
