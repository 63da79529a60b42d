// Algorithms of CUB over whole arrays, with the memory that they ask for.
#pragma once

#include "compute/cuda/launch.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

namespace systole::sparse::gpu {

/// Calls run(memory, bytes), an algorithm of CUB: without memory, to ask for its size, and with it,
/// as one launch of the log. `memoryName` is the buffer's, `doing` what an error says.
template <typename Run>
void withScratch(const KernelNote& note, const char* memoryName, const char* doing, LaunchLog& log,
                 const Run& run) {
    std::size_t bytes = 0;
    cudaCheck(run(nullptr, bytes), doing);
    Buffer<std::byte> memory = log.cuda().devicePool().acquire<std::byte>(bytes, memoryName);
    log.begin(note, nullptr, {});
    cudaCheck(run(memory.data(), bytes), doing);
    log.end();
}

template <typename Number>
struct Plus {
    __host__ __device__ Number operator()(Number a, Number b) const { return a + b; }
};

/// Sums of all before, in place or not; `count` of them.
template <typename From, typename To>
void sumsBefore(const From* from, To* to, long long count, LaunchLog& log) {
    withScratch({"spgemm, prefix sum",
                 static_cast<double>(sizeof(From) + sizeof(To)) * static_cast<double>(count)},
                "sparse product, prefix sum", "numbering the parts of a product", log,
                [&](void* memory, std::size_t& bytes) {
                    return cub::DeviceScan::ExclusiveScan(memory, bytes, from, to, Plus<To>{},
                                                          To{0}, static_cast<int>(count),
                                                          log.stream());
                });
}

/// Sorts pairs by the lowest `bits` bits of their keys; equal ones stay in their order.
template <typename Key, typename Value>
struct Pairs {
    const Key* keys;
    Key* sortedKeys;
    const Value* values;
    Value* sortedValues;
    long long count;
};
template <typename Key, typename Value>
void sortPairs(const Pairs<Key, Value>& pairs, int bits, LaunchLog& log) {
    withScratch(
        {"spgemm, sort", 2.0 * (sizeof(Key) + sizeof(Value)) * static_cast<double>(pairs.count)},
        "sparse product, sorting", "sorting the parts of a product", log,
        [&](void* memory, std::size_t& bytes) {
            return cub::DeviceRadixSort::SortPairs(
                memory, bytes, pairs.keys, pairs.sortedKeys, pairs.values, pairs.sortedValues,
                static_cast<int>(pairs.count), 0, bits, log.stream());
        });
}

} // namespace systole::sparse::gpu
