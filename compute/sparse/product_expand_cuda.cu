// Rows whose products are written out in the order of A's entries, sorted by column, equal ones
// left in their order, and added up: for rows of any size.
#include "compute/core/error.h"
#include "compute/cuda/kernel_support.cuh"
#include "compute/sparse/product_cuda.cuh"

#include <bit>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

namespace systole::sparse::gpu {
namespace {

using Key = unsigned long long;

/// The rows of the list, one behind another; positions count their entries of A, or their products.
struct Expanded {
    const int* list;
    int rows;
    const long long* entryStart;   ///< by row of the list, and the end
    const long long* productStart; ///< by entry, and the end
    int columnBits;

    __device__ long long firstProduct(int row) const { return productStart[entryStart[row]]; }
};

template <typename Value>
__global__ void countEntriesKernel(const Factors<Value> f, const int* list, int rows,
                                   long long* entries) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i <= rows)
        entries[i] = i < rows ? f.aStart[list[i] + 1] - f.aStart[list[i]] : 0;
}

/// The row of the list that holds a position.
__device__ int rowOf(const long long* start, int rows, long long position) {
    int low = 0, high = rows - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (start[middle] <= position)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

template <typename Value>
__global__ void countProductsKernel(const Factors<Value> f, const Expanded x, long long entries,
                                    long long* products) {
    const long long e = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    if (e > entries)
        return;
    if (e == entries) {
        products[e] = 0;
        return;
    }
    const int i = rowOf(x.entryStart, x.rows, e);
    const int k = f.aColumn[f.aStart[x.list[i]] + (e - x.entryStart[i])];
    products[e] = f.bStart[k + 1] - f.bStart[k];
}

/// A warp per entry of A.
template <typename Value>
__global__ void expandKernel(const Factors<Value> f, const Expanded x, long long entries, Key* keys,
                             Value* values) {
    const long long e = (blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x) / 32;
    const int lane = static_cast<int>(threadIdx.x % 32);
    if (e >= entries)
        return;
    const int i = rowOf(x.entryStart, x.rows, e);
    const long long at = f.aStart[x.list[i]] + (e - x.entryStart[i]);
    const int k = f.aColumn[at], first = f.bStart[k], length = f.bStart[k + 1] - first;
    const Value a = f.aValue[at];
    const long long to = x.productStart[e];
    for (int t = lane; t < length; t += 32) {
        keys[to + t] = static_cast<Key>(i) << x.columnBits | static_cast<Key>(f.bColumn[first + t]);
        values[to + t] = a * f.bValue[first + t];
    }
}

__global__ void markKernel(const Key* keys, long long products, int* isFirst) {
    const long long p = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    if (p <= products)
        isFirst[p] = p < products && (p == 0 || keys[p] != keys[p - 1]) ? 1 : 0;
}

/// A thread per product; the first of each column adds all of them, in their order.
template <typename Value>
__global__ void addKernel(const Expanded x, const Key* keys, const Value* values,
                          long long products, const int* before, const RowOutput<Value> out) {
    const long long p = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    if (p >= products || before[p + 1] == before[p])
        return;
    const Key key = keys[p];
    Value sum = values[p];
    for (long long q = p + 1; q < products && keys[q] == key; ++q)
        sum += values[q];
    const int i = static_cast<int>(key >> x.columnBits);
    const long long to = out.at[x.list[i]] + before[p] - before[x.firstProduct(i)];
    out.column[to] = static_cast<int>(key & ((Key{1} << x.columnBits) - 1));
    out.value[to] = sum;
}

template <typename Value>
__global__ void lengthKernel(const Expanded x, const int* before, const RowOutput<Value> out) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < x.rows && out.length)
        out.length[x.list[i]] = before[x.firstProduct(i + 1)] - before[x.firstProduct(i)];
}

/// Sums of all before, in place.
template <typename Number, typename Plus>
void scan(Number* values, long long count, Number zero, const Plus& plus, BufferPool& pool,
          LaunchLog& log) {
    std::size_t bytes = 0;
    const auto run = [&](void* memory) {
        cudaCheck(cub::DeviceScan::ExclusiveScan(memory, bytes, values, values, plus, zero,
                                                 static_cast<int>(count), log.stream()),
                  "numbering the products of rows");
    };
    run(nullptr);
    Buffer<std::byte> memory = pool.acquire<std::byte>(bytes, "sparse product, prefix sum");
    log.begin({"spgemm, prefix sum", 2.0 * sizeof(Number) * static_cast<double>(count)}, nullptr,
              {});
    run(memory.data());
    log.end();
}

struct PlusInt {
    __host__ __device__ int operator()(int a, int b) const { return a + b; }
};

} // namespace

template <typename Value>
void expandRows(const Factors<Value>& f, const RowRanges& ranges, int count, long long products,
                long long entriesOfA, std::int64_t columns, const RowOutput<Value>& out,
                LaunchLog& log) {
    BufferPool& pool = log.cuda().devicePool();
    const auto size = [](long long n) { return static_cast<std::size_t>(n); };
    Buffer<long long> entryStart =
        pool.acquire<long long>(size(count) + 1, "sparse product, entries of rows");
    Buffer<long long> productStart =
        pool.acquire<long long>(size(entriesOfA) + 1, "sparse product, products of entries");
    Expanded x{ranges.lists + size(Expand) * size(f.rows), count, entryStart.data(),
               productStart.data(),
               static_cast<int>(std::bit_width(static_cast<std::uint64_t>(columns)))};
    const auto over = [](long long n) {
        return systole::gpu::threadsOver(static_cast<std::size_t>(n));
    };
    const auto numbers = static_cast<double>(products);
    log.launch({"spgemm, entries of rows", 12.0 * count}, countEntriesKernel<Value>,
               over(count + 1), f, x.list, count, entryStart.data());
    scan(entryStart.data(), count + 1, 0ll, PlusLong{}, pool, log);
    log.launch({"spgemm, products of entries", 20.0 * static_cast<double>(entriesOfA)},
               countProductsKernel<Value>, over(entriesOfA + 1), f, x, entriesOfA,
               productStart.data());
    scan(productStart.data(), entriesOfA + 1, 0ll, PlusLong{}, pool, log);

    Buffer<Key> keys = pool.acquire<Key>(size(products), "sparse product, keys"),
                otherKeys = pool.acquire<Key>(size(products), "sparse product, sorted keys");
    Buffer<Value> values = pool.acquire<Value>(size(products), "sparse product, products"),
                  otherValues =
                      pool.acquire<Value>(size(products), "sparse product, sorted products");
    log.launch({"spgemm, expand", (16.0 + 2 * sizeof(Value)) * numbers}, expandKernel<Value>,
               over(32 * entriesOfA), f, x, entriesOfA, keys.data(), values.data());
    std::size_t bytes = 0;
    const int bits = x.columnBits + static_cast<int>(std::bit_width(static_cast<unsigned>(count)));
    const auto sort = [&](void* memory) {
        cudaCheck(cub::DeviceRadixSort::SortPairs(
                      memory, bytes, keys.data(), otherKeys.data(), values.data(),
                      otherValues.data(), static_cast<int>(products), 0, bits, log.stream()),
                  "sorting the products of rows");
    };
    sort(nullptr);
    Buffer<std::byte> memory = pool.acquire<std::byte>(bytes, "sparse product, sorting");
    log.begin({"spgemm, sort", 2.0 * (8 + sizeof(Value)) * numbers}, nullptr, {});
    sort(memory.data());
    log.end();
    Buffer<int> before = pool.acquire<int>(size(products) + 1, "sparse product, columns before");
    log.launch({"spgemm, mark columns", 12 * numbers}, markKernel, over(products + 1),
               otherKeys.data(), products, before.data());
    scan(before.data(), products + 1, 0, PlusInt{}, pool, log);
    log.launch({"spgemm, add", (16.0 + 2 * sizeof(Value)) * numbers}, addKernel<Value>,
               over(products), x, otherKeys.data(), otherValues.data(), products, before.data(),
               out);
    log.launch({"spgemm, lengths", 16.0 * count}, lengthKernel<Value>, over(count), x,
               before.data(), out);
}

template void expandRows<float>(const Factors<float>&, const RowRanges&, int, long long, long long,
                                std::int64_t, const RowOutput<float>&, LaunchLog&);
template void expandRows<double>(const Factors<double>&, const RowRanges&, int, long long,
                                 long long, std::int64_t, const RowOutput<double>&, LaunchLog&);

} // namespace systole::sparse::gpu
