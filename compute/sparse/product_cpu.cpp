// Gustavson's row-by-row product, ACM TOMS 4 (1978): a symbolic phase that finds the columns of
// each row, and a numeric phase that adds into them. Both collect a row in a hash table.
#include "compute/core/error.h"
#include "compute/sparse/product.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace systole::sparse {
namespace {

// Chunks depend on the number of rows alone. Few rows each, as one can be as long as all others.
constexpr std::int64_t rowsPerChunk = 128;

int chunksOf(std::int64_t rows) {
    return static_cast<int>((rows + rowsPerChunk - 1) / rowsPerChunk);
}

/// The entries of one row of the product by column: open addressing, at most half full, or one slot
/// per column where that takes no more room.
template <typename Value>
class RowTable {
public:
    /// Empties the table, and makes room for `entries` columns below `columns`.
    void begin(std::int64_t entries, std::int64_t columns) {
        for (const std::int64_t slot : used_)
            columnAt_[static_cast<std::size_t>(slot)] = none;
        used_.clear();
        const auto wanted =
            std::bit_ceil(static_cast<std::uint64_t>(2 * std::max<std::int64_t>(entries, 8)));
        direct_ = wanted >= static_cast<std::uint64_t>(columns);
        mask_ = wanted - 1;
        shift_ = 64 - std::countr_zero(wanted);
        if (columnAt_.size() < wanted) {
            columnAt_.resize(wanted, none);
            valueAt_.resize(wanted);
        }
    }

    void add(std::int32_t column, Value value) {
        const std::size_t slot = find(column);
        if (columnAt_[slot] == column) {
            valueAt_[slot] += value;
            return;
        }
        columnAt_[slot] = column;
        valueAt_[slot] = value;
        used_.push_back(static_cast<std::int64_t>(slot));
    }

    Value value(std::int32_t column) const { return valueAt_[find(column)]; }

    /// Appends the columns of the row, ascending.
    std::int64_t appendColumns(std::vector<std::int32_t>& columns) const {
        const auto before = static_cast<std::ptrdiff_t>(columns.size());
        for (const std::int64_t slot : used_)
            columns.push_back(columnAt_[static_cast<std::size_t>(slot)]);
        std::sort(columns.begin() + before, columns.end());
        return static_cast<std::int64_t>(used_.size());
    }

private:
    static constexpr std::int32_t none = -1;

    /// The slot that holds the column, or the free one where it belongs.
    std::size_t find(std::int32_t column) const {
        const auto key = static_cast<std::uint64_t>(column);
        if (direct_)
            return key;
        // Fibonacci hashing: strides of columns don't pile up.
        std::uint64_t slot = (key * 0x9E3779B97F4A7C15ULL) >> shift_;
        while (columnAt_[slot] != none && columnAt_[slot] != column)
            slot = (slot + 1) & mask_;
        return slot;
    }

    std::vector<std::int32_t> columnAt_;
    std::vector<Value> valueAt_;
    std::vector<std::int64_t> used_;
    std::uint64_t mask_ = 0;
    int shift_ = 0;
    bool direct_ = false;
};

/// Adds all products of row `row` into the table, k ascending.
template <typename Value>
void collectRow(const CsrMatrix<Value>& a, const CsrMatrix<Value>& b, std::int64_t row,
                RowTable<Value>& table) {
    const auto at = [](std::int64_t index) { return static_cast<std::size_t>(index); };
    std::int64_t products = 0;
    for (std::int64_t i = a.rowStart[at(row)]; i < a.rowStart[at(row + 1)]; ++i) {
        const std::int64_t k = a.columnOf[at(i)];
        products += b.rowStart[at(k + 1)] - b.rowStart[at(k)];
    }
    table.begin(std::min(products, b.columns), b.columns);
    for (std::int64_t i = a.rowStart[at(row)]; i < a.rowStart[at(row + 1)]; ++i) {
        const std::int64_t k = a.columnOf[at(i)];
        const Value factor = a.values[at(i)];
        for (std::int64_t j = b.rowStart[at(k)]; j < b.rowStart[at(k + 1)]; ++j)
            table.add(b.columnOf[at(j)], factor * b.values[at(j)]);
    }
}

template <typename Value>
void requireFactors(const CsrMatrix<Value>& a, const CsrMatrix<Value>& b) {
    if (a.columns != b.rows)
        throw ComputeError(
            fmt::format("the left matrix of a product has {} columns and the right one {} rows; "
                        "they must be equal",
                        a.columns, b.rows));
}

} // namespace

template <typename Value>
ProductPlan planProduct(const CsrMatrix<Value>& a, const CsrMatrix<Value>& b, ExecContext& ctx) {
    requireFactors(a, b);
    ProductPlan plan{a.rows, a.columns, b.columns, {}, {}};
    plan.rowStart.assign(static_cast<std::size_t>(a.rows) + 1, 0);
    const int chunks = chunksOf(a.rows);
    std::vector<std::vector<std::int32_t>> columnsOf(static_cast<std::size_t>(chunks));
    parallelFor(ctx, chunks, 1, [&](int begin, int end) {
        RowTable<Value> table;
        for (int chunk = begin; chunk < end; ++chunk) {
            ctx.throwIfCancelled();
            auto& columns = columnsOf[static_cast<std::size_t>(chunk)];
            const std::int64_t last = std::min(a.rows, (chunk + 1) * rowsPerChunk);
            for (std::int64_t row = chunk * rowsPerChunk; row < last; ++row) {
                collectRow(a, b, row, table);
                plan.rowStart[static_cast<std::size_t>(row) + 1] = table.appendColumns(columns);
            }
        }
    });
    for (std::size_t row = 0; row < static_cast<std::size_t>(a.rows); ++row)
        plan.rowStart[row + 1] += plan.rowStart[row];
    plan.columnOf.resize(static_cast<std::size_t>(plan.rowStart.back()));
    parallelFor(ctx, chunks, 1, [&](int begin, int end) {
        for (int chunk = begin; chunk < end; ++chunk) {
            auto& columns = columnsOf[static_cast<std::size_t>(chunk)];
            const auto first = static_cast<std::size_t>(chunk * rowsPerChunk);
            std::copy(columns.begin(), columns.end(), plan.columnOf.begin() + plan.rowStart[first]);
            columns = {};
        }
    });
    return plan;
}

template <typename Value>
CsrMatrix<Value> multiply(const CsrMatrix<Value>& a, const CsrMatrix<Value>& b,
                          const ProductPlan& plan, ExecContext& ctx) {
    requireFactors(a, b);
    if (plan.rows != a.rows || plan.inner != a.columns || plan.columns != b.columns)
        throw ComputeError(fmt::format("the plan of a product is for {} × {} by {} × {} matrices, "
                                       "and these are {} × {} by {} × {}",
                                       plan.rows, plan.inner, plan.inner, plan.columns, a.rows,
                                       a.columns, b.rows, b.columns));
    CsrMatrix<Value> c{a.rows, b.columns, plan.rowStart, plan.columnOf, {}};
    c.values.resize(c.columnOf.size());
    parallelFor(ctx, chunksOf(a.rows), 1, [&](int begin, int end) {
        RowTable<Value> table;
        for (int chunk = begin; chunk < end; ++chunk) {
            ctx.throwIfCancelled();
            const std::int64_t last = std::min(a.rows, (chunk + 1) * rowsPerChunk);
            for (std::int64_t row = chunk * rowsPerChunk; row < last; ++row) {
                collectRow(a, b, row, table);
                const auto first = static_cast<std::size_t>(c.rowStart[std::size_t(row)]);
                const auto stop = static_cast<std::size_t>(c.rowStart[std::size_t(row) + 1]);
                for (std::size_t entry = first; entry < stop; ++entry)
                    c.values[entry] = table.value(c.columnOf[entry]);
            }
        }
    });
    return c;
}

template <typename Value>
CsrMatrix<Value> multiply(const CsrMatrix<Value>& a, const CsrMatrix<Value>& b, ExecContext& ctx) {
    return multiply(a, b, planProduct(a, b, ctx), ctx);
}

template <typename Value>
CsrMatrix<Value> transpose(const CsrMatrix<Value>& a) {
    CsrMatrix<Value> t;
    t.rows = a.columns;
    t.columns = a.rows;
    t.rowStart.assign(static_cast<std::size_t>(a.columns) + 1, 0);
    t.columnOf.resize(a.columnOf.size());
    t.values.resize(a.values.size());
    for (const std::int32_t column : a.columnOf)
        ++t.rowStart[static_cast<std::size_t>(column) + 1];
    for (std::size_t row = 0; row < static_cast<std::size_t>(t.rows); ++row)
        t.rowStart[row + 1] += t.rowStart[row];
    std::vector<std::int64_t> next(t.rowStart.begin(), t.rowStart.end() - 1);
    for (std::int64_t row = 0; row < a.rows; ++row)
        for (auto entry = static_cast<std::size_t>(a.rowStart[std::size_t(row)]);
             entry < static_cast<std::size_t>(a.rowStart[std::size_t(row) + 1]); ++entry) {
            const auto to =
                static_cast<std::size_t>(next[static_cast<std::size_t>(a.columnOf[entry])]++);
            t.columnOf[to] = static_cast<std::int32_t>(row);
            t.values[to] = a.values[entry];
        }
    return t;
}

template ProductPlan planProduct(const CsrMatrix<float>&, const CsrMatrix<float>&, ExecContext&);
template ProductPlan planProduct(const CsrMatrix<double>&, const CsrMatrix<double>&, ExecContext&);
template CsrMatrix<float> multiply(const CsrMatrix<float>&, const CsrMatrix<float>&,
                                   const ProductPlan&, ExecContext&);
template CsrMatrix<double> multiply(const CsrMatrix<double>&, const CsrMatrix<double>&,
                                    const ProductPlan&, ExecContext&);
template CsrMatrix<float> multiply(const CsrMatrix<float>&, const CsrMatrix<float>&, ExecContext&);
template CsrMatrix<double> multiply(const CsrMatrix<double>&, const CsrMatrix<double>&,
                                    ExecContext&);
template CsrMatrix<float> transpose(const CsrMatrix<float>&);
template CsrMatrix<double> transpose(const CsrMatrix<double>&);

} // namespace systole::sparse
