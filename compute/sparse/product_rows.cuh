// Rows of a product under way: their ranges first, then the rows with room for as many entries as
// they may have, and packed once their lengths are known.
#pragma once

#include "compute/core/error.h"
#include "compute/cuda/kernel_support.cuh"
#include "compute/sparse/product_cuda.cuh"
#include "compute/sparse/scan_cuda.cuh"

#include <algorithm>
#include <string>

namespace systole::sparse::gpu {

/// Max entries and products of a pass; CUB counts with 32 bits.
inline constexpr long long maxEntriesPerPass = 1ll << 30;

inline int sharedBytesOfBlock(const CudaContext& cuda) {
    int bytes = 0;
    cudaCheck(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                     cuda.device().index),
              "asking for the shared memory of a block");
    return bytes;
}

template <typename Value>
Rule ruleOf(int variant, const CudaContext& cuda) {
    const std::string_view name = productFamily.at(variant).name;
    const int bytes = sharedBytesOfBlock(cuda), widest = columnsThatFit<Value>(bytes);
    const bool adaptive = name == "adaptive";
    Rule rule{.sort = adaptive,
              .hash = adaptive || name == "row-hash",
              .narrowArray = adaptive || name == "row-dense",
              .array = adaptive || name == "row-dense",
              .ranked = adaptive || name == "row-ranked",
              .blockSorted = 0,
              .middle = std::min(middleArray, widest),
              .widest = widest,
              .rankedWindow = {}};
    for (int i = 0; i < 4 && adaptive; ++i)
        if (const auto accumulator = static_cast<Accumulator>(BlockSort256 + i);
            bytesOfBlockSort<Value>(accumulator) <= static_cast<std::size_t>(bytes))
            rule.blockSorted = maxProductsOfBlockSort(accumulator);
    for (int i = 0; i < 4; ++i)
        rule.rankedWindow[i] =
            rankedShape(static_cast<Accumulator>(Ranked1 + i), sizeof(Value), bytes).window;
    return rule;
}

/// Rows of a product under way, by accumulator.
template <typename Value>
struct ListedRows {
    Factors<Value> factors;
    RowRanges ranges;
    RowOutput<Value> out;

    RowWork<Value> of(Accumulator accumulator, int count, int window) const {
        return {accumulator,
                factors,
                ranges,
                {ranges.lists +
                     static_cast<std::size_t>(accumulator) * static_cast<std::size_t>(factors.rows),
                 count, window},
                out};
    }
    /// Makes all rows but those of Expand; counts and windows are by accumulator.
    template <typename Counts, typename Windows>
    void make(const Counts& counts, const Windows& windows, LaunchLog& log) const {
        for (std::size_t i = 0; i < Expand; ++i) {
            if (counts[i] == 0)
                continue;
            const auto accumulator = static_cast<Accumulator>(i);
            const RowWork<Value> work = of(accumulator, static_cast<int>(counts[i]), windows[i]);
            if (accumulator <= Sort64)
                sortRows(work, log);
            else if (accumulator <= BlockSort4096)
                blockSortRows(work, log);
            else if (accumulator <= Hash4096)
                hashRows(work, log);
            else if (accumulator <= WidestArray)
                arrayRows(work, log);
            else
                rankedRows(work, sharedBytesOfBlock(log.cuda()), log);
        }
    }
};

/// Rows of B fill a warp on average.
template <typename Value>
bool hasLongRows(const DeviceCsr<Value>& b) {
    constexpr std::int64_t many = 20;
    return b.entries() >= many * b.rows;
}

/// A right factor, and its rows described for the analysis, if that saves more than it costs.
template <typename Value>
struct RightFactor {
    const DeviceCsr<Value>& matrix;
    Buffer<RowOfB> rows;

    RightFactor(const DeviceCsr<Value>& left, const DeviceCsr<Value>& right, const ExecContext& ctx)
        : matrix(right) {
        constexpr std::int64_t manyEntries = 1 << 19;
        if (left.entries() < manyEntries || left.entries() < right.rows)
            return;
        rows = ctx.cuda->devicePool().acquire<RowOfB>(static_cast<std::size_t>(right.rows),
                                                      "sparse product, rows of B");
        loggedCall(ctx, "symbolic", [&](LaunchLog& log) { describeRows(right, rows.data(), log); });
    }
};

template <typename Value>
Factors<Value> factorsOf(const DeviceCsr<Value>& a, const DeviceCsr<Value>& b, int firstRow,
                         int rows) {
    return {rows,
            a.rowStart.data() + firstRow,
            a.columnOf.data(),
            a.values.data(),
            b.rowStart.data(),
            b.columnOf.data(),
            b.values.data(),
            hasLongRows(b)};
}

/// Some rows of a product under way.
template <typename Value>
class RowsOfProduct {
public:
    RowsOfProduct(const DeviceCsr<Value>& a, const RightFactor<Value>& b, int firstRow, int rows,
                  const Rule& rule, const ExecContext& ctx)
        : a_(a)
        , b_(b.matrix)
        , rowsOfB_(b.rows.data())
        , firstRow_(firstRow)
        , rows_(rows)
        , rule_(rule)
        , ctx_(ctx)
        , pool_(ctx.cuda->devicePool()) {
        const std::size_t n = static_cast<std::size_t>(rows);
        bound = pool_.acquire<int>(n + 1, "sparse product, entries at most");
        low = pool_.acquire<int>(n, "sparse product, first columns");
        window = pool_.acquire<int>(n, "sparse product, ranges of columns");
        lists = pool_.acquire<int>(n * accumulators, "sparse product, rows by accumulator");
        at_ = pool_.acquire<long long>(n + 1, "sparse product, where rows are written");
        totals_ = pool_.acquire<Totals>(1, "sparse product, totals");
    }

    /// Finds the ranges of the rows, and waits for their numbers.
    void analyze() {
        CudaContext& cuda = *ctx_.cuda;
        cuda.zero(totals_.data(), sizeof(Totals), CudaStream::Compute);
        loggedCall(ctx_, "symbolic", [&](LaunchLog& log) {
            analyzeRows(factors(), rowsOfB_,
                        static_cast<double>(a_.entries()) / static_cast<double>(a_.rows), rule_,
                        ranges(), &totals_.data()->rows, log);
            sumsBefore(bound.data(), at_.data(), rows_ + 1, log);
        });
        cuda.copyOnDevice(at_.data() + rows_, &totals_.data()->bound, sizeof(long long),
                          CudaStream::Compute);
        cuda.download(totals_.data(), &totals, sizeof totals, CudaStream::Compute);
        cuda.synchronize(CudaStream::Compute);
    }

    /// Enough memory, and few enough for one pass.
    bool fits() const {
        const BufferPool::Usage usage = pool_.usage();
        const auto free = static_cast<double>(
            usage.budgetBytes > usage.usedBytes ? usage.budgetBytes - usage.usedBytes : 0);
        const double entry = sizeof(int) + sizeof(Value);
        // Products that are written out and sorted are stored twice, with a number each.
        const double bytes =
            entry * 2 * static_cast<double>(totals.bound) +
            (2 * (8 + sizeof(Value)) + 8.0) * static_cast<double>(totals.rows.expanded[0]);
        return totals.bound <= maxEntriesPerPass && totals.rows.expanded[0] <= maxEntriesPerPass &&
               bytes < 0.9 * free;
    }

    /// Throws ComputeError for a single row that is too long.
    void checkLengths() const {
        if (totals.rows.expanded[0] > maxEntriesPerPass)
            throw ComputeError("a row of " + std::to_string(totals.rows.expanded[0]) +
                               " products is too long for the device; at most 2^30 can be sorted "
                               "there");
    }

    /// Makes the rows at `writeAt`.
    void make(const long long* writeAt, int* column, Value* value, int* length) {
        const ListedRows<Value> listed{factors(), ranges(), {writeAt, column, value, length}};
        loggedCall(ctx_, "numeric", [&](LaunchLog& log) {
            listed.make(totals.rows.counts, totals.rows.windows, log);
            if (totals.rows.counts[Expand] > 0)
                expandRows(listed.of(Expand, totals.rows.counts[Expand], 0),
                           {totals.rows.expanded[0], totals.rows.expanded[1], b_.columns}, log);
        });
    }

    DeviceCsr<Value> product() {
        CudaContext& cuda = *ctx_.cuda;
        const std::size_t n = static_cast<std::size_t>(rows_),
                          room = static_cast<std::size_t>(totals.bound);
        Buffer<int> columns = pool_.acquire<int>(room, "sparse product, columns");
        Buffer<Value> values = pool_.acquire<Value>(room, "sparse product, values");
        Buffer<int> lengths = pool_.acquire<int>(n + 1, "sparse product, lengths of rows");
        cuda.zero(lengths.data(), (n + 1) * sizeof(int), CudaStream::Compute);
        make(at_.data(), columns.data(), values.data(), lengths.data());
        packed = pool_.acquire<long long>(n + 1, "sparse product, starts of rows");
        loggedCall(ctx_, "pack", [&](LaunchLog& log) {
            sumsBefore(lengths.data(), packed.data(), rows_ + 1, log);
        });
        long long entries = 0;
        cuda.download(packed.data() + rows_, &entries, sizeof entries, CudaStream::Compute);
        cuda.synchronize(CudaStream::Compute);
        DeviceCsr<Value> c;
        c.rows = rows_;
        c.columns = b_.columns;
        c.rowStart = pool_.acquire<int>(n + 1, "sparse matrix, starts of rows");
        c.columnOf =
            pool_.acquire<int>(static_cast<std::size_t>(entries), "sparse matrix, columns");
        c.values = pool_.acquire<Value>(static_cast<std::size_t>(entries), "sparse matrix, values");
        loggedCall(ctx_, "pack", [&](LaunchLog& log) {
            packRows<Value>({rows_, at_.data(), packed.data(), columns.data(), values.data(),
                             c.columnOf.data(), c.values.data()},
                            entries, totals.rows.longest, c.rowStart.data(), log);
        });
        return c;
    }

    void addTo(DeviceProductFigures& figures) const {
        for (std::size_t i = 0; i < DeviceProductFigures::accumulators; ++i)
            figures.rows[i] += totals.rows.counts[i];
        figures.boundEntries += totals.bound;
        ++figures.passes;
    }

    struct Totals {
        RowTotals rows;
        long long bound;
    };
    Totals totals{};
    Buffer<int> bound, low, window, lists;
    Buffer<long long> packed; ///< starts of the rows of product()

private:
    Factors<Value> factors() const { return factorsOf(a_, b_, firstRow_, rows_); }
    RowRanges ranges() { return {bound.data(), low.data(), window.data(), lists.data()}; }

    const DeviceCsr<Value>&a_, &b_;
    const RowOfB* rowsOfB_;
    int firstRow_, rows_;
    Rule rule_;
    const ExecContext& ctx_;
    BufferPool& pool_;
    Buffer<long long> at_;
    Buffer<Totals> totals_;
};

} // namespace systole::sparse::gpu
