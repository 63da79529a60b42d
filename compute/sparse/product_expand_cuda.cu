// Rows whose products are written out in the order of A's entries, sorted by column, equal ones
// left in their order, and added up: for rows of any size.
#include "compute/core/error.h"
#include "compute/cuda/kernel_support.cuh"
#include "compute/sparse/product_cuda.cuh"
#include "compute/sparse/scan_cuda.cuh"

#include <bit>

namespace systole::sparse::gpu {
namespace {

/// The rows of the list, one behind another; positions count their entries of A, or their products.
struct Expanded {
    const int* list;
    int rows;
    const long long* entryStart;   ///< first entry of each row of the list, and the end
    const long long* productStart; ///< first product of each entry, and the end
    const int* rowOfEntry;         ///< index in the list
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

/// The last of `count` ascending starts that isn't behind a position.
__device__ long long lastUpTo(const long long* start, long long count, long long position) {
    long long low = 0, high = count - 1;
    while (low < high) {
        const long long middle = (low + high + 1) / 2;
        if (start[middle] <= position)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

template <typename Value>
__global__ void countProductsKernel(const Factors<Value> f, const Expanded x, long long entries,
                                    long long* products, int* rowOfEntry) {
    const long long e = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    if (e > entries)
        return;
    if (e == entries) {
        products[e] = 0;
        return;
    }
    const int i = static_cast<int>(lastUpTo(x.entryStart, x.rows, e));
    const int k = f.aColumn[f.aStart[x.list[i]] + (e - x.entryStart[i])];
    products[e] = f.bStart[k + 1] - f.bStart[k];
    rowOfEntry[e] = i;
}

constexpr int productsOfWarp = 512;

/// A warp writes a stretch of the products, whatever the lengths of B's rows.
template <typename Key, typename Value>
__global__ void expandKernel(const Factors<Value> f, const Expanded x, long long entries,
                             long long products, Key* keys, Value* values) {
    constexpr unsigned every = 0xffffffffu;
    const long long warp = (blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x) / 32;
    const int lane = static_cast<int>(threadIdx.x % 32);
    long long at = warp * productsOfWarp;
    const long long end = min(at + productsOfWarp, products);
    if (at >= products)
        return;
    for (long long first = lastUpTo(x.productStart, entries, at); at < end; first += 32) {
        // An entry of A in each lane.
        const long long e = first + lane;
        long long behind = products;
        int row = 0;
        long long fromB = 0;
        Value a = 0;
        if (e < entries) {
            row = x.rowOfEntry[e];
            const long long entry = f.aStart[x.list[row]] + (e - x.entryStart[row]);
            behind = x.productStart[e + 1];
            fromB = f.bStart[f.aColumn[entry]] - x.productStart[e];
            a = f.aValue[entry];
        }
        const long long last = min(end, __shfl_sync(every, behind, 31));
        for (; at < last; at += 32) {
            const long long p = at + lane;
            int source = 0; // entries whose products all lie before
#pragma unroll
            for (int step = 16; step > 0; step /= 2)
                source += __shfl_sync(every, behind, source + step - 1) <= p ? step : 0;
            const int i = __shfl_sync(every, row, source);
            const long long b = p + __shfl_sync(every, fromB, source);
            const Value factor = __shfl_sync(every, a, source);
            if (p < last) {
                keys[p] = static_cast<Key>(i) << x.columnBits | static_cast<Key>(f.bColumn[b]);
                values[p] = factor * f.bValue[b];
            }
        }
        at = last;
    }
}

template <typename Key>
__global__ void markKernel(const Key* keys, long long products, int* isFirst) {
    const long long p = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    if (p <= products)
        isFirst[p] = p < products && (p == 0 || keys[p] != keys[p - 1]) ? 1 : 0;
}

/// A thread per product; the first of each column adds the next few, and its warp those behind
/// them. The order depends on nothing but a product's place among those of its column: where rows
/// stand differs from run to run.
template <typename Key, typename Value>
__global__ void addKernel(const Expanded x, const Key* keys, const Value* values,
                          long long products, const int* before, const RowOutput<Value> out) {
    constexpr unsigned every = 0xffffffffu;
    constexpr int alone = 8;
    const long long p = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    const int lane = static_cast<int>(threadIdx.x % 32);
    const bool first = p < products && before[p + 1] != before[p];
    Key key = 0;
    Value sum = 0;
    bool more = false;
    if (first) {
        key = keys[p];
        sum = values[p];
        int taken = 1;
        for (; taken < alone && p + taken < products && keys[p + taken] == key; ++taken)
            sum += values[p + taken];
        more = taken == alone;
    }
    for (unsigned left = __ballot_sync(every, more); left != 0; left &= left - 1) {
        const int source = __ffs(static_cast<int>(left)) - 1;
        const Key shared = __shfl_sync(every, key, source);
        Value part = 0;
        bool alike = true;
        for (long long q = __shfl_sync(every, p, source) + alone + lane; __all_sync(every, alike);
             q += 32) {
            alike = q < products && keys[q] == shared;
            part += alike ? values[q] : Value{0};
        }
        for (int step = 16; step > 0; step /= 2)
            part += __shfl_xor_sync(every, part, step);
        sum += lane == source ? part : Value{0};
    }
    if (!first)
        return;
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

/// Writes the products out, sorts them by keys of that type, and adds them.
template <typename Key, typename Value>
void sortExpanded(const Factors<Value>& f, const Expanded& x, int bits, long long entries,
                  long long products, const RowOutput<Value>& out, LaunchLog& log) {
    BufferPool& pool = log.cuda().devicePool();
    const auto size = static_cast<std::size_t>(products);
    const auto numbers = static_cast<double>(products);
    Buffer<Key> keys = pool.acquire<Key>(size, "sparse product, keys"),
                otherKeys = pool.acquire<Key>(size, "sparse product, sorted keys");
    Buffer<Value> values = pool.acquire<Value>(size, "sparse product, products"),
                  otherValues = pool.acquire<Value>(size, "sparse product, sorted products");
    constexpr double moved = sizeof(Key) + sizeof(Value);
    log.launch({"spgemm, expand", (moved + 4 + sizeof(Value)) * numbers}, expandKernel<Key, Value>,
               systole::gpu::threadsOver(32 * ((size + productsOfWarp - 1) / productsOfWarp)), f, x,
               entries, products, keys.data(), values.data());
    sortPairs<Key, Value>(
        {keys.data(), otherKeys.data(), values.data(), otherValues.data(), products}, bits, log);
    Buffer<int> before = pool.acquire<int>(size + 1, "sparse product, columns before");
    log.launch({"spgemm, mark columns", (sizeof(Key) + 4.0) * numbers}, markKernel<Key>,
               systole::gpu::threadsOver(size + 1), otherKeys.data(), products, before.data());
    sumsBefore(before.data(), before.data(), products + 1, log);
    log.launch({"spgemm, add", (2 * moved + 4) * numbers}, addKernel<Key, Value>,
               systole::gpu::threadsOver(size), x, otherKeys.data(), otherValues.data(), products,
               before.data(), out);
    if (out.length)
        log.launch({"spgemm, lengths", 16.0 * x.rows}, lengthKernel<Value>,
                   systole::gpu::threadsOver(static_cast<std::size_t>(x.rows)), x, before.data(),
                   out);
}

} // namespace

template <typename Value>
void expandRows(const RowWork<Value>& work, const ExpandedSize& size, LaunchLog& log) {
    const Factors<Value>& f = work.factors;
    const RowList& list = work.list;
    const long long entriesOfA = size.entriesOfA;
    BufferPool& pool = log.cuda().devicePool();
    const auto room = [](long long n) { return static_cast<std::size_t>(n); };
    Buffer<long long> entryStart =
        pool.acquire<long long>(room(list.count) + 1, "sparse product, entries of rows");
    Buffer<long long> productStart =
        pool.acquire<long long>(room(entriesOfA) + 1, "sparse product, products of entries");
    Buffer<int> rowOfEntry = pool.acquire<int>(room(entriesOfA), "sparse product, rows of entries");
    const Expanded x{list.rows,
                     list.count,
                     entryStart.data(),
                     productStart.data(),
                     rowOfEntry.data(),
                     static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size.columns)))};
    log.launch({"spgemm, entries of rows", 12.0 * list.count}, countEntriesKernel<Value>,
               systole::gpu::threadsOver(room(list.count) + 1), f, x.list, list.count,
               entryStart.data());
    sumsBefore(entryStart.data(), entryStart.data(), list.count + 1ll, log);
    log.launch({"spgemm, products of entries", 24.0 * static_cast<double>(entriesOfA)},
               countProductsKernel<Value>, systole::gpu::threadsOver(room(entriesOfA) + 1), f, x,
               entriesOfA, productStart.data(), rowOfEntry.data());
    sumsBefore(productStart.data(), productStart.data(), entriesOfA + 1, log);
    const int bits =
        x.columnBits + static_cast<int>(std::bit_width(static_cast<unsigned>(list.count)));
    if (bits <= 32)
        sortExpanded<std::uint32_t>(f, x, bits, entriesOfA, size.products, work.out, log);
    else
        sortExpanded<std::uint64_t>(f, x, bits, entriesOfA, size.products, work.out, log);
}

template void expandRows(const RowWork<float>&, const ExpandedSize&, LaunchLog&);
template void expandRows(const RowWork<double>&, const ExpandedSize&, LaunchLog&);

} // namespace systole::sparse::gpu
