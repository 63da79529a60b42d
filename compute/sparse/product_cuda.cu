// The way of a product on the device: ranges of its rows, rows into room for as many entries as
// they may have, and packed into the product once their lengths are known.
#include "compute/core/error.h"
#include "compute/cuda/kernel_support.cuh"
#include "compute/sparse/product_cuda.cuh"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace systole::sparse {
namespace {

using namespace gpu;

constexpr std::int64_t mostEntries = std::numeric_limits<std::int32_t>::max();
/// Entries and products of a pass at most; CUB counts with 32 bits.
constexpr long long mostOfPass = 1ll << 30;

int sharedBytesOfBlock(const CudaContext& cuda) {
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
            rule.blockSorted = mostOfBlockSort(accumulator);
    for (int i = 0; i < 4; ++i)
        rule.rankedWindow[i] =
            rankedShape(static_cast<Accumulator>(Ranked1 + i), sizeof(Value), bytes).window;
    return rule;
}

template <typename Value>
void makeRows(Accumulator accumulator, const Factors<Value>& factors, const RowRanges& ranges,
              int count, int window, const RowOutput<Value>& out, LaunchLog& log) {
    const RowList list{ranges.lists + static_cast<std::size_t>(accumulator) *
                                          static_cast<std::size_t>(factors.rows),
                       count, window};
    if (accumulator <= Sort64)
        sortRows(accumulator, factors, ranges, list, out, log);
    else if (accumulator <= BlockSort4096)
        blockSortRows(accumulator, factors, ranges, list, out, log);
    else if (accumulator <= Hash4096)
        hashRows(accumulator, factors, ranges, list, out, log);
    else if (accumulator <= WidestArray)
        arrayRows(accumulator, factors, ranges, list, out, log);
    else
        rankedRows(accumulator, factors, ranges, list, sharedBytesOfBlock(log.cuda()), out, log);
}

/// Rows of B fill a warp on average.
template <typename Value>
bool hasLongRows(const DeviceCsr<Value>& b) {
    constexpr std::int64_t many = 20;
    return b.entries() >= many * b.rows;
}

/// Some rows of a product under way.
template <typename Value>
class RowsOfProduct {
public:
    RowsOfProduct(const DeviceCsr<Value>& a, const DeviceCsr<Value>& b, const RowOfB* rowsOfB,
                  int firstRow, int rows, const Rule& rule, const ExecContext& ctx)
        : a_(a)
        , b_(b)
        , rowsOfB_(rowsOfB)
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
            prefixSums(bound.data(), at_.data(), rows_ + 1, log);
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
        // What is written out and sorted stands twice, with a number each.
        const double bytes =
            entry * 2 * static_cast<double>(totals.bound) +
            (2 * (8 + sizeof(Value)) + 8.0) * static_cast<double>(totals.rows.expanded[0]);
        return totals.bound <= mostOfPass && totals.rows.expanded[0] <= mostOfPass &&
               bytes < 0.9 * free;
    }

    /// Throws ComputeError for a single row that is too long.
    void checkLengths() const {
        if (totals.rows.expanded[0] > mostOfPass)
            throw ComputeError("a row of " + std::to_string(totals.rows.expanded[0]) +
                               " products is too long for the device; at most 2^30 can be sorted "
                               "there");
    }

    /// Makes the rows at `writeAt`.
    void make(const long long* writeAt, int* column, Value* value, int* length) {
        const RowOutput<Value> out{writeAt, column, value, length};
        loggedCall(ctx_, "numeric", [&](LaunchLog& log) {
            for (int i = 0; i < Expand; ++i)
                if (totals.rows.counts[i] > 0)
                    makeRows(static_cast<Accumulator>(i), factors(), ranges(),
                             totals.rows.counts[i], totals.rows.windows[i], out, log);
            if (totals.rows.counts[Expand] > 0)
                expandRows(factors(), ranges(), totals.rows.counts[Expand], totals.rows.expanded[0],
                           totals.rows.expanded[1], b_.columns, out, log);
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
            prefixSums(lengths.data(), packed.data(), rows_ + 1, log);
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
    Buffer<long long> packed; ///< of product()

private:
    Factors<Value> factors() const {
        return {rows_,
                a_.rowStart.data() + firstRow_,
                a_.columnOf.data(),
                a_.values.data(),
                b_.rowStart.data(),
                b_.columnOf.data(),
                b_.values.data(),
                hasLongRows(b_)};
    }
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

/// Adds the product of some rows; halves of them where they don't fit.
template <typename Value>
void addRows(const DeviceCsr<Value>& a, const DeviceCsr<Value>& b, const RowOfB* rowsOfB, int first,
             int rows, const Rule& rule, const ExecContext& ctx, DeviceProductFigures& figures,
             std::vector<DeviceCsr<Value>>& parts) {
    ctx.throwIfCancelled();
    {
        RowsOfProduct<Value> work(a, b, rowsOfB, first, rows, rule, ctx);
        work.analyze();
        if (work.fits() || rows == 1) {
            work.checkLengths();
            work.addTo(figures);
            parts.push_back(work.product());
            return;
        }
    }
    addRows(a, b, rowsOfB, first, rows / 2, rule, ctx, figures, parts);
    addRows(a, b, rowsOfB, first + rows / 2, rows - rows / 2, rule, ctx, figures, parts);
}

/// Rows of B described for the analysis, if that saves more than it costs.
template <typename Value>
Buffer<RowOfB> rowsOf(const DeviceCsr<Value>& a, const DeviceCsr<Value>& b,
                      const ExecContext& ctx) {
    constexpr std::int64_t manyEntries = 1 << 19;
    Buffer<RowOfB> rows;
    if (a.entries() < manyEntries || a.entries() < b.rows)
        return rows;
    rows = ctx.cuda->devicePool().acquire<RowOfB>(static_cast<std::size_t>(b.rows),
                                                  "sparse product, rows of B");
    loggedCall(ctx, "symbolic", [&](LaunchLog& log) { describeRows(b, rows.data(), log); });
    return rows;
}

/// Adds rows of R A P: R A is made for so few rows at a time that it stays small.
template <typename Value>
void addTripleRows(const DeviceCsr<Value>& r, const DeviceCsr<Value>& a, const DeviceCsr<Value>& p,
                   const RowOfB* rowsOfA, const RowOfB* rowsOfP, int first, int rows,
                   const Rule& rule, const ExecContext& ctx, DeviceProductFigures& figures,
                   std::vector<DeviceCsr<Value>>& parts) {
    ctx.throwIfCancelled();
    constexpr long long smallPart = 1 << 25; // entries
    DeviceCsr<Value> ra;
    {
        RowsOfProduct<Value> work(r, a, rowsOfA, first, rows, rule, ctx);
        work.analyze();
        if ((work.totals.bound <= smallPart && work.fits()) || rows == 1) {
            work.checkLengths();
            ra = work.product();
        }
    }
    if (ra.rows == 0) {
        addTripleRows(r, a, p, rowsOfA, rowsOfP, first, rows / 2, rule, ctx, figures, parts);
        return addTripleRows(r, a, p, rowsOfA, rowsOfP, first + rows / 2, rows - rows / 2, rule,
                             ctx, figures, parts);
    }
    addRows(ra, p, rowsOfP, 0, rows, rule, ctx, figures, parts);
}

template <typename Value>
void checkSizes(const DeviceCsr<Value>& a, const DeviceCsr<Value>& b) {
    if (a.columns != b.rows)
        throw ComputeError(
            "a product needs as many columns on the left as rows on the right, not " +
            std::to_string(a.columns) + " and " + std::to_string(b.rows));
    if (a.rows >= mostEntries)
        throw ComputeError("the device multiplies matrices of less than 2^31 - 1 rows");
}

} // namespace

template <typename Value>
DeviceCsr<Value> multiplyOnDevice(const DeviceCsr<Value>& a, const DeviceCsr<Value>& b, int variant,
                                  const ExecContext& ctx, DeviceProductFigures* figures) {
    checkSizes(a, b);
    if (a.rows == 0 || a.entries() == 0 || b.entries() == 0)
        return withoutEntries<Value>(a.rows, b.columns, ctx);
    DeviceProductFigures done;
    std::vector<DeviceCsr<Value>> parts;
    const Buffer<RowOfB> rowsOfB = rowsOf(a, b, ctx);
    addRows(a, b, rowsOfB.data(), 0, static_cast<int>(a.rows), ruleOf<Value>(variant, *ctx.cuda),
            ctx, done, parts);
    if (figures)
        *figures = done;
    return parts.size() == 1 ? std::move(parts.front()) : stacked(parts, b.columns, ctx);
}

template <typename Value>
DeviceCsr<Value> multiplyOnDevice(const DeviceCsr<Value>& r, const DeviceCsr<Value>& a,
                                  const DeviceCsr<Value>& p, int variant, const ExecContext& ctx,
                                  DeviceProductFigures* figures) {
    checkSizes(r, a);
    checkSizes(a, p);
    if (r.rows == 0 || r.entries() == 0 || a.entries() == 0 || p.entries() == 0)
        return withoutEntries<Value>(r.rows, p.columns, ctx);
    DeviceProductFigures done;
    std::vector<DeviceCsr<Value>> parts;
    const Buffer<RowOfB> rowsOfA = rowsOf(r, a, ctx), rowsOfP = rowsOf(a, p, ctx);
    addTripleRows(r, a, p, rowsOfA.data(), rowsOfP.data(), 0, static_cast<int>(r.rows),
                  ruleOf<Value>(variant, *ctx.cuda), ctx, done, parts);
    if (figures)
        *figures = done;
    return parts.size() == 1 ? std::move(parts.front()) : stacked(parts, p.columns, ctx);
}

template <typename Value>
DeviceProductPlan planOnDevice(const DeviceCsr<Value>& a, const DeviceCsr<Value>& b,
                               const ExecContext& ctx) {
    checkSizes(a, b);
    DeviceProductPlan plan;
    plan.rows = a.rows;
    plan.inner = a.columns;
    plan.columns = b.columns;
    if (a.rows == 0 || a.entries() == 0 || b.entries() == 0) {
        plan.rowStart = withoutEntries<Value>(a.rows, b.columns, ctx).rowStart;
        return plan;
    }
    const Buffer<RowOfB> rowsOfB = rowsOf(a, b, ctx);
    RowsOfProduct<Value> work(a, b, rowsOfB.data(), 0, static_cast<int>(a.rows),
                              ruleOf<Value>(productFamily.standardVariant(), *ctx.cuda), ctx);
    work.analyze();
    if (work.totals.rows.counts[Expand] > 0)
        throw ComputeError("a product with rows that are expanded and sorted can't be planned");
    if (!work.fits())
        throw OutOfMemory("a product of up to " + std::to_string(work.totals.bound) +
                          " entries can't be planned: it doesn't fit the device in one pass");
    DeviceCsr<Value> pattern = work.product();
    work.addTo(plan.figures);
    plan.entries = pattern.entries();
    plan.rowStart = std::move(pattern.rowStart);
    plan.columnOf = std::move(pattern.columnOf);
    plan.writeAt = std::move(work.packed);
    plan.lists = std::move(work.lists);
    plan.bound = std::move(work.bound);
    plan.low = std::move(work.low);
    plan.window = std::move(work.window);
    std::copy_n(work.totals.rows.windows, accumulators, plan.windows.begin());
    return plan;
}

template <typename Value>
DeviceCsr<Value> multiplyOnDevice(const DeviceCsr<Value>& a, const DeviceCsr<Value>& b,
                                  const DeviceProductPlan& plan, const ExecContext& ctx) {
    checkSizes(a, b);
    if (a.rows != plan.rows || a.columns != plan.inner || b.columns != plan.columns)
        throw ComputeError("the plan of a product is of factors of other sizes");
    DeviceCsr<Value> c = withoutEntries<Value>(a.rows, b.columns, ctx);
    if (plan.entries == 0)
        return c;
    CudaContext& cuda = *ctx.cuda;
    BufferPool& pool = cuda.devicePool();
    c.columnOf =
        pool.acquire<int>(static_cast<std::size_t>(plan.entries), "sparse matrix, columns");
    c.values = pool.acquire<Value>(static_cast<std::size_t>(plan.entries), "sparse matrix, values");
    cuda.copyOnDevice(plan.rowStart.data(), c.rowStart.data(), c.rowStart.size() * sizeof(int),
                      CudaStream::Compute);
    const Factors<Value> factors{static_cast<int>(a.rows), a.rowStart.data(), a.columnOf.data(),
                                 a.values.data(),          b.rowStart.data(), b.columnOf.data(),
                                 b.values.data(),          hasLongRows(b)};
    // Only read.
    const RowRanges ranges{const_cast<int*>(plan.bound.data()), const_cast<int*>(plan.low.data()),
                           const_cast<int*>(plan.window.data()),
                           const_cast<int*>(plan.lists.data())};
    const RowOutput<Value> out{plan.writeAt.data(), c.columnOf.data(), c.values.data(), nullptr};
    loggedCall(ctx, "numeric", [&](LaunchLog& log) {
        for (int i = 0; i < Expand; ++i)
            if (plan.figures.rows[static_cast<std::size_t>(i)] > 0)
                makeRows(static_cast<Accumulator>(i), factors, ranges,
                         static_cast<int>(plan.figures.rows[static_cast<std::size_t>(i)]),
                         plan.windows[static_cast<std::size_t>(i)], out, log);
    });
    return c;
}

#define SYSTOLE_PRODUCTS_OF(Value)                                                                 \
    template DeviceCsr<Value> multiplyOnDevice(const DeviceCsr<Value>&, const DeviceCsr<Value>&,   \
                                               int, const ExecContext&, DeviceProductFigures*);    \
    template DeviceCsr<Value> multiplyOnDevice(const DeviceCsr<Value>&, const DeviceCsr<Value>&,   \
                                               const DeviceCsr<Value>&, int, const ExecContext&,   \
                                               DeviceProductFigures*);                             \
    template DeviceProductPlan planOnDevice(const DeviceCsr<Value>&, const DeviceCsr<Value>&,      \
                                            const ExecContext&);                                   \
    template DeviceCsr<Value> multiplyOnDevice(const DeviceCsr<Value>&, const DeviceCsr<Value>&,   \
                                               const DeviceProductPlan&, const ExecContext&);
SYSTOLE_PRODUCTS_OF(float)
SYSTOLE_PRODUCTS_OF(double)
#undef SYSTOLE_PRODUCTS_OF

} // namespace systole::sparse
