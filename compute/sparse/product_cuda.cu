// The way of a product on the device: its rows in as many parts as fit, or by a plan.
#include "compute/core/error.h"
#include "compute/sparse/product_rows.cuh"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace systole::sparse {
namespace {

using namespace gpu;

constexpr std::int64_t maxEntries = std::numeric_limits<std::int32_t>::max();

/// A product that is made in parts, one below another.
template <typename Value>
class PartsOfProduct {
public:
    PartsOfProduct(int variant, const ExecContext& ctx)
        : rule_(ruleOf<Value>(variant, *ctx.cuda)), ctx_(ctx) {}

    /// Adds the product of some rows; halves of them where they don't fit.
    void add(const DeviceCsr<Value>& a, const RightFactor<Value>& b, int first, int rows) {
        ctx_.throwIfCancelled();
        {
            RowsOfProduct<Value> work(a, b, first, rows, rule_, ctx_);
            work.analyze();
            if (work.fits() || rows == 1) {
                work.checkLengths();
                work.addTo(figures_);
                parts_.push_back(work.product());
                return;
            }
        }
        add(a, b, first, rows / 2);
        add(a, b, first + rows / 2, rows - rows / 2);
    }

    /// Adds rows of R A P: R A is made for so few rows at a time that it stays small.
    void addTriple(const DeviceCsr<Value>& r, const RightFactor<Value>& a,
                   const RightFactor<Value>& p, int first, int rows) {
        ctx_.throwIfCancelled();
        constexpr long long smallPart = 1 << 25; // entries
        DeviceCsr<Value> ra;
        {
            RowsOfProduct<Value> work(r, a, first, rows, rule_, ctx_);
            work.analyze();
            if ((work.totals.bound <= smallPart && work.fits()) || rows == 1) {
                work.checkLengths();
                ra = work.product();
            }
        }
        if (ra.rows > 0)
            return add(ra, p, 0, rows);
        addTriple(r, a, p, first, rows / 2);
        addTriple(r, a, p, first + rows / 2, rows - rows / 2);
    }

    /// All that was added; `figures` may be null.
    DeviceCsr<Value> take(std::int64_t columns, DeviceProductFigures* figures) {
        if (figures)
            *figures = figures_;
        return parts_.size() == 1 ? std::move(parts_.front()) : stacked(parts_, columns, ctx_);
    }

private:
    Rule rule_;
    const ExecContext& ctx_;
    DeviceProductFigures figures_;
    std::vector<DeviceCsr<Value>> parts_;
};

template <typename Value>
void checkSizes(const DeviceCsr<Value>& a, const DeviceCsr<Value>& b) {
    if (a.columns != b.rows)
        throw ComputeError(
            "a product needs as many columns on the left as rows on the right, not " +
            std::to_string(a.columns) + " and " + std::to_string(b.rows));
    if (a.rows >= maxEntries)
        throw ComputeError("the device multiplies matrices of less than 2^31 - 1 rows");
}

} // namespace

template <typename Value>
DeviceCsr<Value> multiplyOnDevice(const DeviceCsr<Value>& a, const DeviceCsr<Value>& b, int variant,
                                  const ExecContext& ctx, DeviceProductFigures* figures) {
    checkSizes(a, b);
    if (a.rows == 0 || a.entries() == 0 || b.entries() == 0)
        return withoutEntries<Value>(a.rows, b.columns, ctx);
    PartsOfProduct<Value> product(variant, ctx);
    product.add(a, {a, b, ctx}, 0, static_cast<int>(a.rows));
    return product.take(b.columns, figures);
}

template <typename Value>
DeviceCsr<Value> multiplyOnDevice(const DeviceCsr<Value>& r, const DeviceCsr<Value>& a,
                                  const DeviceCsr<Value>& p, int variant, const ExecContext& ctx,
                                  DeviceProductFigures* figures) {
    checkSizes(r, a);
    checkSizes(a, p);
    if (r.rows == 0 || r.entries() == 0 || a.entries() == 0 || p.entries() == 0)
        return withoutEntries<Value>(r.rows, p.columns, ctx);
    PartsOfProduct<Value> product(variant, ctx);
    const RightFactor<Value> rightA(r, a, ctx), rightP(a, p, ctx);
    product.addTriple(r, rightA, rightP, 0, static_cast<int>(r.rows));
    return product.take(p.columns, figures);
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
    const RightFactor<Value> right(a, b, ctx);
    RowsOfProduct<Value> work(a, right, 0, static_cast<int>(a.rows),
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
    // The ranges are only read.
    const ListedRows<Value> listed{
        factorsOf(a, b, 0, static_cast<int>(a.rows)),
        {const_cast<int*>(plan.bound.data()), const_cast<int*>(plan.low.data()),
         const_cast<int*>(plan.window.data()), const_cast<int*>(plan.lists.data())},
        {plan.writeAt.data(), c.columnOf.data(), c.values.data(), nullptr}};
    loggedCall(ctx, "numeric",
               [&](LaunchLog& log) { listed.make(plan.figures.rows, plan.windows, log); });
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
