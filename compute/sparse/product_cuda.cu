// The way of a product on the device: ranges of its rows, rows into room for as many entries as
// they may have, and packed into the product once their lengths are known.
#include "compute/core/error.h"
#include "compute/cuda/kernel_support.cuh"
#include "compute/sparse/product_cuda.cuh"

#include <algorithm>
#include <cub/device/device_scan.cuh>
#include <limits>
#include <string>
#include <vector>

namespace systole::sparse {
namespace {

using namespace gpu;

constexpr std::int64_t mostEntries = std::numeric_limits<std::int32_t>::max();
/// Entries and products of a pass at most; CUB counts with 32 bits.
constexpr long long mostOfPass = 1ll << 30;

/// A group of lanes per row.
template <int Group, typename Value>
__global__ void packKernel(int rows, const long long* from, const int* fromColumn,
                           const Value* fromValue, const long long* to, int* toColumn,
                           Value* toValue, int* rowStart) {
    const long long row = (blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x) / Group;
    const int lane = static_cast<int>(threadIdx.x % Group);
    if (row > rows)
        return;
    if (lane == 0)
        rowStart[row] = static_cast<int>(to[row]);
    if (row == rows)
        return;
    const long long length = to[row + 1] - to[row];
    for (long long i = lane; i < length; i += Group) {
        toColumn[to[row] + i] = fromColumn[from[row] + i];
        toValue[to[row] + i] = fromValue[from[row] + i];
    }
}

/// Its prefix sums as wide numbers: `count` of them.
void prefixSums(const int* from, long long* to, int count, BufferPool& pool, LaunchLog& log) {
    std::size_t bytes = 0;
    const auto run = [&](void* memory) {
        cudaCheck(cub::DeviceScan::ExclusiveScan(memory, bytes, from, to, PlusLong{}, 0ll, count,
                                                 log.stream()),
                  "numbering the entries of a product");
    };
    run(nullptr);
    Buffer<std::byte> memory = pool.acquire<std::byte>(bytes, "sparse product, prefix sum");
    log.begin({"spgemm, prefix sum", 12.0 * count}, nullptr, {});
    run(memory.data());
    log.end();
}

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
    const int widest = columnsThatFit<Value>(sharedBytesOfBlock(cuda));
    return {.sort = name == "adaptive",
            .hash = name == "adaptive" || name == "row-hash",
            .array = name == "adaptive" || name == "row-dense",
            .middle = std::min(middleArray, widest),
            .widest = widest};
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
    RowsOfProduct(const DeviceCsr<Value>& a, const DeviceCsr<Value>& b, int firstRow, int rows,
                  const Rule& rule, const ExecContext& ctx)
        : a_(a)
        , b_(b)
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
            analyzeRows(factors(), rule_, ranges(), log);
            prefixSums(bound.data(), at_.data(), rows_ + 1, pool_, log);
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
            (2 * (8 + sizeof(Value)) + 8.0) * static_cast<double>(totals.expanded[0]);
        return totals.bound <= mostOfPass && totals.expanded[0] <= mostOfPass && bytes < 0.9 * free;
    }

    /// Makes the rows at `writeAt`.
    void make(const long long* writeAt, int* column, Value* value, int* length) {
        const RowOutput<Value> out{writeAt, column, value, length};
        loggedCall(ctx_, "numeric", [&](LaunchLog& log) {
            for (int i = 0; i < Expand; ++i)
                if (totals.counts[i] > 0)
                    makeRows(static_cast<Accumulator>(i), factors(), ranges(), totals.counts[i],
                             out, rule_.widest, hasLongRows(b_), log);
            if (totals.counts[Expand] > 0)
                expandRows(factors(), ranges(), totals.counts[Expand], totals.expanded[0],
                           totals.expanded[1], b_.columns, out, log);
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
            prefixSums(lengths.data(), packed.data(), rows_ + 1, pool_, log);
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
            const KernelNote note{"spgemm, pack",
                                  2.0 * (4 + sizeof(Value)) * static_cast<double>(entries)};
            const auto pack = [&](auto kernel, std::size_t group) {
                log.launch(note, kernel, systole::gpu::threadsOver((n + 1) * group), rows_,
                           at_.data(), columns.data(), values.data(), packed.data(),
                           c.columnOf.data(), c.values.data(), c.rowStart.data());
            };
            if (entries < 16ll * rows_)
                pack(packKernel<8, Value>, 8);
            else
                pack(packKernel<32, Value>, 32);
        });
        return c;
    }

    void addTo(DeviceProductFigures& figures) const {
        for (std::size_t i = 0; i < DeviceProductFigures::accumulators; ++i)
            figures.rows[i] += totals.counts[i];
        figures.boundEntries += totals.bound;
        ++figures.passes;
    }

    struct Totals {
        int counts[accumulators];
        long long expanded[2];
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
                b_.values.data()};
    }
    RowRanges ranges() {
        return {bound.data(),           low.data(),
                window.data(),          lists.data(),
                totals_.data()->counts, totals_.data()->expanded};
    }

    const DeviceCsr<Value>&a_, &b_;
    int firstRow_, rows_;
    Rule rule_;
    const ExecContext& ctx_;
    BufferPool& pool_;
    Buffer<long long> at_;
    Buffer<Totals> totals_;
};

/// One below the other.
template <typename Value>
DeviceCsr<Value> stacked(const std::vector<DeviceCsr<Value>>& parts, std::int64_t columns,
                         const ExecContext& ctx) {
    CudaContext& cuda = *ctx.cuda;
    BufferPool& pool = cuda.devicePool();
    DeviceCsr<Value> all;
    all.columns = columns;
    std::int64_t entries = 0;
    for (const DeviceCsr<Value>& part : parts) {
        all.rows += part.rows;
        entries += part.entries();
    }
    if (entries > mostEntries)
        throw ComputeError("a product of " + std::to_string(entries) +
                           " entries is too large for the device, which counts to 2^31 - 1");
    all.rowStart =
        pool.acquire<int>(static_cast<std::size_t>(all.rows) + 1, "sparse matrix, starts of rows");
    all.columnOf = pool.acquire<int>(static_cast<std::size_t>(entries), "sparse matrix, columns");
    all.values = pool.acquire<Value>(static_cast<std::size_t>(entries), "sparse matrix, values");
    std::vector<int> starts;
    starts.reserve(static_cast<std::size_t>(all.rows) + 1);
    std::size_t at = 0;
    for (const DeviceCsr<Value>& part : parts) {
        std::vector<int> own(static_cast<std::size_t>(part.rows) + 1);
        cuda.download(part.rowStart.data(), own.data(), own.size() * sizeof(int),
                      CudaStream::Compute);
        cuda.synchronize(CudaStream::Compute);
        for (std::size_t row = 0; row + 1 < own.size(); ++row)
            starts.push_back(static_cast<int>(at) + own[row]);
        cuda.copyOnDevice(part.columnOf.data(), all.columnOf.data() + at,
                          part.columnOf.size() * sizeof(int), CudaStream::Compute);
        cuda.copyOnDevice(part.values.data(), all.values.data() + at,
                          part.values.size() * sizeof(Value), CudaStream::Compute);
        at += part.columnOf.size();
    }
    starts.push_back(static_cast<int>(at));
    cuda.upload(starts.data(), all.rowStart.data(), starts.size() * sizeof(int),
                CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);
    return all;
}

/// Adds the product of some rows; halves of them where they don't fit.
template <typename Value>
void addRows(const DeviceCsr<Value>& a, const DeviceCsr<Value>& b, int first, int rows,
             const Rule& rule, const ExecContext& ctx, DeviceProductFigures& figures,
             std::vector<DeviceCsr<Value>>& parts) {
    ctx.throwIfCancelled();
    {
        RowsOfProduct<Value> work(a, b, first, rows, rule, ctx);
        work.analyze();
        if (work.fits() || rows == 1) {
            if (work.totals.expanded[0] > mostOfPass)
                throw ComputeError("a row of " + std::to_string(work.totals.expanded[0]) +
                                   " products is too long for the device; at most 2^30 can be "
                                   "sorted there");
            work.addTo(figures);
            parts.push_back(work.product());
            return;
        }
    }
    addRows(a, b, first, rows / 2, rule, ctx, figures, parts);
    addRows(a, b, first + rows / 2, rows - rows / 2, rule, ctx, figures, parts);
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

template <typename Value>
DeviceCsr<Value> empty(std::int64_t rows, std::int64_t columns, const ExecContext& ctx) {
    DeviceCsr<Value> c;
    c.rows = rows;
    c.columns = columns;
    c.rowStart = ctx.cuda->devicePool().acquire<int>(static_cast<std::size_t>(rows) + 1,
                                                     "sparse matrix, starts of rows");
    ctx.cuda->zero(c.rowStart.data(), c.rowStart.size() * sizeof(int), CudaStream::Compute);
    return c;
}

} // namespace

template <typename Value>
DeviceCsr<Value> toDevice(const CsrMatrix<Value>& matrix, const ExecContext& ctx) {
    if (matrix.entries() > mostEntries || matrix.rows >= mostEntries)
        throw ComputeError("a matrix of " + std::to_string(matrix.entries()) +
                           " entries is too large for the device, which counts to 2^31 - 1");
    CudaContext& cuda = *ctx.cuda;
    BufferPool& pool = cuda.devicePool();
    DeviceCsr<Value> copy;
    copy.rows = matrix.rows;
    copy.columns = matrix.columns;
    const std::vector<int> starts(matrix.rowStart.begin(), matrix.rowStart.end());
    copy.rowStart = pool.acquire<int>(starts.size(), "sparse matrix, starts of rows");
    copy.columnOf = pool.acquire<int>(matrix.columnOf.size(), "sparse matrix, columns");
    copy.values = pool.acquire<Value>(matrix.values.size(), "sparse matrix, values");
    const auto upload = [&](const auto& from, auto& to) {
        if (!from.empty())
            cuda.upload(from.data(), to.data(), from.size() * sizeof from[0], CudaStream::Compute);
    };
    upload(starts, copy.rowStart);
    upload(matrix.columnOf, copy.columnOf);
    upload(matrix.values, copy.values);
    cuda.synchronize(CudaStream::Compute);
    return copy;
}

template <typename Value>
CsrMatrix<Value> toHost(const DeviceCsr<Value>& matrix, const ExecContext& ctx) {
    CudaContext& cuda = *ctx.cuda;
    std::vector<int> starts(matrix.rowStart.size());
    CsrMatrix<Value> copy;
    copy.rows = matrix.rows;
    copy.columns = matrix.columns;
    copy.columnOf.resize(matrix.columnOf.size());
    copy.values.resize(matrix.values.size());
    const auto download = [&](const auto& from, auto& to) {
        if (!to.empty())
            cuda.download(from.data(), to.data(), to.size() * sizeof to[0], CudaStream::Compute);
    };
    download(matrix.rowStart, starts);
    download(matrix.columnOf, copy.columnOf);
    download(matrix.values, copy.values);
    cuda.synchronize(CudaStream::Compute);
    copy.rowStart.assign(starts.begin(), starts.end());
    return copy;
}

template <typename Value>
DeviceCsr<Value> multiplyOnDevice(const DeviceCsr<Value>& a, const DeviceCsr<Value>& b, int variant,
                                  const ExecContext& ctx, DeviceProductFigures* figures) {
    checkSizes(a, b);
    if (a.rows == 0 || a.entries() == 0 || b.entries() == 0)
        return empty<Value>(a.rows, b.columns, ctx);
    DeviceProductFigures done;
    std::vector<DeviceCsr<Value>> parts;
    addRows(a, b, 0, static_cast<int>(a.rows), ruleOf<Value>(variant, *ctx.cuda), ctx, done, parts);
    if (figures)
        *figures = done;
    return parts.size() == 1 ? std::move(parts.front()) : stacked(parts, b.columns, ctx);
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
        plan.rowStart = empty<Value>(a.rows, b.columns, ctx).rowStart;
        return plan;
    }
    RowsOfProduct<Value> work(a, b, 0, static_cast<int>(a.rows),
                              ruleOf<Value>(productFamily.standardVariant(), *ctx.cuda), ctx);
    work.analyze();
    if (work.totals.counts[Expand] > 0)
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
    return plan;
}

template <typename Value>
DeviceCsr<Value> multiplyOnDevice(const DeviceCsr<Value>& a, const DeviceCsr<Value>& b,
                                  const DeviceProductPlan& plan, const ExecContext& ctx) {
    checkSizes(a, b);
    if (a.rows != plan.rows || a.columns != plan.inner || b.columns != plan.columns)
        throw ComputeError("the plan of a product is of factors of other sizes");
    DeviceCsr<Value> c = empty<Value>(a.rows, b.columns, ctx);
    if (plan.entries == 0)
        return c;
    CudaContext& cuda = *ctx.cuda;
    BufferPool& pool = cuda.devicePool();
    c.columnOf =
        pool.acquire<int>(static_cast<std::size_t>(plan.entries), "sparse matrix, columns");
    c.values = pool.acquire<Value>(static_cast<std::size_t>(plan.entries), "sparse matrix, values");
    cuda.copyOnDevice(plan.rowStart.data(), c.rowStart.data(), c.rowStart.size() * sizeof(int),
                      CudaStream::Compute);
    const Rule rule = ruleOf<Value>(productFamily.standardVariant(), cuda);
    const Factors<Value> factors{static_cast<int>(a.rows), a.rowStart.data(), a.columnOf.data(),
                                 a.values.data(),          b.rowStart.data(), b.columnOf.data(),
                                 b.values.data()};
    // Only read.
    const RowRanges ranges{const_cast<int*>(plan.bound.data()),
                           const_cast<int*>(plan.low.data()),
                           const_cast<int*>(plan.window.data()),
                           const_cast<int*>(plan.lists.data()),
                           nullptr,
                           nullptr};
    const RowOutput<Value> out{plan.writeAt.data(), c.columnOf.data(), c.values.data(), nullptr};
    loggedCall(ctx, "numeric", [&](LaunchLog& log) {
        for (int i = 0; i < Expand; ++i)
            if (plan.figures.rows[static_cast<std::size_t>(i)] > 0)
                makeRows(static_cast<Accumulator>(i), factors, ranges,
                         static_cast<int>(plan.figures.rows[static_cast<std::size_t>(i)]), out,
                         rule.widest, hasLongRows(b), log);
    });
    return c;
}

#define SYSTOLE_PRODUCTS_OF(Value)                                                                 \
    template DeviceCsr<Value> toDevice(const CsrMatrix<Value>&, const ExecContext&);               \
    template CsrMatrix<Value> toHost(const DeviceCsr<Value>&, const ExecContext&);                 \
    template DeviceCsr<Value> multiplyOnDevice(const DeviceCsr<Value>&, const DeviceCsr<Value>&,   \
                                               int, const ExecContext&, DeviceProductFigures*);    \
    template DeviceProductPlan planOnDevice(const DeviceCsr<Value>&, const DeviceCsr<Value>&,      \
                                            const ExecContext&);                                   \
    template DeviceCsr<Value> multiplyOnDevice(const DeviceCsr<Value>&, const DeviceCsr<Value>&,   \
                                               const DeviceProductPlan&, const ExecContext&);
SYSTOLE_PRODUCTS_OF(float)
SYSTOLE_PRODUCTS_OF(double)
#undef SYSTOLE_PRODUCTS_OF

} // namespace systole::sparse
