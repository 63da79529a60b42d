// What the kernels of a product on the device share.
#pragma once

#include "compute/cuda/launch.cuh"
#include "compute/sparse/device_product.h"

#include <cstdint>

namespace systole::sparse::gpu {

/// Accumulators, in the order of DeviceProductFigures::names.
enum Accumulator {
    Sort16,
    Sort32,
    Hash256,
    Hash1024,
    Hash4096,
    Array1024,
    Array4096,
    Array12288,
    LongArray12288,
    WidestArray,
    Expand,
    accumulators
};
static_assert(accumulators == DeviceProductFigures::accumulators);

/// Columns of an array in the shared memory of a block, and their flags.
template <typename Value>
constexpr int columnsThatFit(int sharedBytes) {
    constexpr int reserved = 1024;
    return (sharedBytes - reserved) / static_cast<int>(sizeof(Value) + 1) / 1024 * 1024;
}
inline constexpr int middleArray = 12288;

/// Two factors, rows of the left one from the first of a pass.
template <typename Value>
struct Factors {
    int rows;
    const int* aStart; ///< of the pass's first row
    const int* aColumn;
    const Value* aValue;
    const int* bStart;
    const int* bColumn;
    const Value* bValue;
};

/// What is known of the rows before their entries: at most `bound` in the columns from low to
/// low + window − 1. bound has a 0 at the end.
struct RowRanges {
    int* bound;
    int* low;
    int* window;
    int* lists;          ///< rows by accumulator: accumulators × rows
    int* counts;         ///< of each list
    long long* expanded; ///< products and entries of A in rows of Expand
};

/// Which accumulators may be chosen.
struct Rule {
    bool sort, hash, array;
    int middle; ///< columns that an array of middle size has; fewer where it doesn't fit
    int widest; ///< columns of the widest array
};

template <typename Value>
struct RowOutput {
    const long long* at; ///< where a row's entries are written
    int* column;
    Value* value;
    int* length; ///< of each row; null: not wanted
};

template <typename Value>
void analyzeRows(const Factors<Value>& factors, const Rule& rule, const RowRanges& ranges,
                 LaunchLog& log);

/// Rows of lists[accumulator], `count` of them; not for Expand. longRowsOfB: they fill a warp.
template <typename Value>
void makeRows(Accumulator accumulator, const Factors<Value>& factors, const RowRanges& ranges,
              int count, const RowOutput<Value>& out, int widest, bool longRowsOfB, LaunchLog& log);

/// Rows of Expand: `products` and entries of A in all of them.
template <typename Value>
void expandRows(const Factors<Value>& factors, const RowRanges& ranges, int count,
                long long products, long long entriesOfA, std::int64_t columns,
                const RowOutput<Value>& out, LaunchLog& log);

struct PlusLong {
    __host__ __device__ long long operator()(long long a, long long b) const { return a + b; }
};

} // namespace systole::sparse::gpu
