// Sums and sorting of whole arrays.
#pragma once

#include "compute/cuda/scratch.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

namespace systole::sparse::gpu {

template <typename Number>
struct Plus {
    __host__ __device__ Number operator()(Number a, Number b) const { return a + b; }
};

/// Sums of all before, in place or not; `count` of them.
template <typename From, typename To>
void sumsBefore(const From* from, To* to, long long count, LaunchLog& log) {
    const double bytes =
        static_cast<double>(sizeof(From) + sizeof(To)) * static_cast<double>(count);
    systole::gpu::withScratch(
        {"spgemm, prefix sum", bytes}, log, [&](void* memory, std::size_t& size) {
            return cub::DeviceScan::ExclusiveScan(memory, size, from, to, Plus<To>{}, To{0},
                                                  static_cast<int>(count), log.stream());
        });
}

template <typename Key, typename Value>
struct Pairs {
    const Key* keys;
    Key* sortedKeys;
    const Value* values;
    Value* sortedValues;
    long long count;
};
/// Sorts pairs by the lowest `bits` bits of their keys; equal ones stay in their order.
template <typename Key, typename Value>
void sortPairs(const Pairs<Key, Value>& pairs, int bits, LaunchLog& log) {
    const double bytes = 2.0 * (sizeof(Key) + sizeof(Value)) * static_cast<double>(pairs.count);
    systole::gpu::withScratch({"spgemm, sort", bytes}, log, [&](void* memory, std::size_t& size) {
        return cub::DeviceRadixSort::SortPairs(
            memory, size, pairs.keys, pairs.sortedKeys, pairs.values, pairs.sortedValues,
            static_cast<int>(pairs.count), 0, bits, log.stream());
    });
}

} // namespace systole::sparse::gpu
