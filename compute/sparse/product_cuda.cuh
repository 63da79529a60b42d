// Common parts of the kernels of a product on the device.
#pragma once

#include "compute/cuda/launch.cuh"
#include "compute/sparse/device_product.h"

#include <cstdint>
#include <vector>

namespace systole::sparse::gpu {

/// Accumulators, in the order of DeviceProductFigures::names.
enum Accumulator {
    Sort8,
    Sort16,
    Sort32,
    Sort64,
    BlockSort256,
    BlockSort512,
    BlockSort1024,
    BlockSort4096,
    Hash256,
    Hash1024,
    Hash4096,
    Array1024,
    Array4096,
    Array12288,
    LongArray12288,
    WidestArray,
    Ranked1,
    Ranked4,
    Ranked8,
    Ranked16,
    Expand,
    accumulators
};
static_assert(accumulators == DeviceProductFigures::accumulators);

/// Columns of the widest array in the shared memory of a block, with their flags.
template <typename Value>
int columnsThatFit(int sharedBytes);
inline constexpr int middleArray = 12288;

/// Two factors, rows of the left one from the first of a pass.
template <typename Value>
struct Factors {
    int rows;
    const int* aStart; ///< start of the pass's first row
    const int* aColumn;
    const Value* aValue;
    const int* bStart;
    const int* bColumn;
    const Value* bValue;
    bool longRowsOfB; ///< they fill a warp on average
};

/// A row of B: how many entries it has, its first and last column.
struct alignas(16) RowOfB {
    int length, low, high, unused;
};

/// Bounds of the rows before their entries are known: at most `bound` entries in the columns from
/// low to low + window − 1. bound has a 0 at the end.
struct RowRanges {
    int* bound;
    int* low;
    int* window;
    int* lists; ///< rows by accumulator: accumulators × rows
};

/// Totals over the rows that the host reads; 0 at first.
struct RowTotals {
    int counts[accumulators];  ///< rows of each list
    int windows[accumulators]; ///< the widest range of columns in each
    int longest;               ///< entries that a row may have at most
    long long expanded[2];     ///< products and entries of A in rows of Expand
};

/// Which accumulators may be chosen.
struct Rule {
    bool sort, hash, narrowArray, array, ranked;
    int blockSorted;     ///< products of a row that a block can sort
    int middle;          ///< columns that an array of middle size has; fewer where it doesn't fit
    int widest;          ///< columns of the widest array
    int rankedWindow[4]; ///< columns for Ranked1 to Ranked16
};

/// Rows of one accumulator.
struct RowList {
    const int* rows;
    int count;
    int window;                  ///< the widest range of columns among them
    const char* name = nullptr;  ///< name of the launch; null: the accumulator's
    double bytes = 16.0 * count; ///< and flops that the launch declares
    double flops = 0;
};

/// Shape of Ranked1 to Ranked16: sums that shared memory has room for, and columns that their
/// bitmaps may have within so many bytes of shared memory.
struct RankedShape {
    int sums, window;
};
RankedShape rankedShape(Accumulator accumulator, std::size_t bytesOfValue, int sharedBytes);

/// Products of a row that a block can sort, and the shared memory that it needs for them.
constexpr int maxProductsOfBlockSort(Accumulator accumulator) {
    return accumulator == BlockSort4096 ? 4096 : 256 << (accumulator - BlockSort256);
}
template <typename Value>
std::size_t bytesOfBlockSort(Accumulator accumulator);

template <typename Value>
struct RowOutput {
    const long long* at; ///< where a row's entries are written
    int* column;
    Value* value;
    int* length; ///< entries of each row; null: not wanted
};

/// Rows of one accumulator, and where they go.
template <typename Value>
struct RowWork {
    Accumulator accumulator;
    Factors<Value> factors;
    RowRanges ranges;
    RowList list;
    RowOutput<Value> out;
};

/// The rows of a matrix, for analyzeRows().
template <typename Value>
void describeRows(const DeviceCsr<Value>& b, RowOfB* rows, LaunchLog& log);

/// Fills the ranges and lists of the rows, and adds to `totals`. Without rowsOfB (null) they are
/// read from B.
template <typename Value>
void analyzeRows(const Factors<Value>& factors, const RowOfB* rowsOfB, double entriesPerRow,
                 const Rule& rule, const RowRanges& ranges, RowTotals* totals, LaunchLog& log);

// Rows by one kind of accumulator.
template <typename Value>
void sortRows(const RowWork<Value>& work, LaunchLog& log);
template <typename Value>
void blockSortRows(const RowWork<Value>& work, LaunchLog& log);
template <typename Value>
void hashRows(const RowWork<Value>& work, LaunchLog& log);
template <typename Value>
void arrayRows(const RowWork<Value>& work, LaunchLog& log);
/// sharedBytes: of a block at most.
template <typename Value>
void rankedRows(const RowWork<Value>& work, int sharedBytes, LaunchLog& log);

/// Products and entries of A in all rows of Expand, and columns of B.
struct ExpandedSize {
    long long products, entriesOfA;
    std::int64_t columns;
};
template <typename Value>
void expandRows(const RowWork<Value>& work, const ExpandedSize& size, LaunchLog& log);

/// Rows with room around them, into rows one behind another.
template <typename Value>
struct Packing {
    int rows;
    const long long *from, *to; ///< where rows begin; `to` with the end
    const int* fromColumn;
    const Value* fromValue;
    int* toColumn;
    Value* toValue;
};

/// Packs rows of at most `longest` entries, and writes where they begin.
template <typename Value>
void packRows(const Packing<Value>& packing, long long entries, int longest, int* rowStart,
              LaunchLog& log);

/// A matrix of zeros alone.
template <typename Value>
DeviceCsr<Value> withoutEntries(std::int64_t rows, std::int64_t columns, const ExecContext& ctx);

/// Matrices one below the other. Throws ComputeError if they have 2^31 entries or more.
template <typename Value>
DeviceCsr<Value> stacked(const std::vector<DeviceCsr<Value>>& parts, std::int64_t columns,
                         const ExecContext& ctx);

} // namespace systole::sparse::gpu
