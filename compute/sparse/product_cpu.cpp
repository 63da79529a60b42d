// Gustavson's row-by-row product, ACM TOMS 4 (1978): the entries of a row are collected in a hash
// table, and written in the order of their columns.
#include "compute/core/error.h"
#include "compute/sparse/product.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace systole::sparse {
namespace {

constexpr std::int64_t tileSide = 8;

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

constexpr std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

/// Empties the table, with room for row `row` of A B.
template <typename Value, typename Entry>
void beginRow(const CsrMatrix<Value>& a, const CsrMatrix<Value>& b, std::int64_t row,
              RowTable<Entry>& table) {
    std::int64_t products = 0;
    for (std::int64_t i = a.rowStart[at(row)]; i < a.rowStart[at(row + 1)]; ++i) {
        const std::int64_t k = a.columnOf[at(i)];
        products += b.rowStart[at(k + 1)] - b.rowStart[at(k)];
    }
    table.begin(std::min(products, b.columns), b.columns);
}

/// Adds `factor` times row k of B.
template <typename Value>
void addRow(Value factor, const CsrMatrix<Value>& b, std::int64_t k, RowTable<Value>& table) {
    for (std::int64_t j = b.rowStart[at(k)]; j < b.rowStart[at(k + 1)]; ++j)
        table.add(b.columnOf[at(j)], factor * b.values[at(j)]);
}

/// Collects row `row` of A B, k ascending.
template <typename Value>
void collectRow(const CsrMatrix<Value>& a, const CsrMatrix<Value>& b, std::int64_t row,
                RowTable<Value>& table) {
    beginRow(a, b, row, table);
    for (std::int64_t i = a.rowStart[at(row)]; i < a.rowStart[at(row + 1)]; ++i)
        addRow(a.values[at(i)], b, a.columnOf[at(i)], table);
}

/// The value of an entry where only patterns are asked for.
struct Nothing {
    Nothing& operator+=(Nothing) { return *this; }
};

/// The entries of some rows, one behind another.
template <typename Value>
struct Stretch {
    std::vector<std::int32_t> columns;
    std::vector<Value> values;
};

/// A matrix whose rows are collected one by one: collect(row, table) in tables of a thread's own,
/// which start() makes.
template <typename Value, typename Start>
CsrMatrix<Value> collected(std::int64_t rows, std::int64_t columns, ExecContext& ctx,
                           const Start& start) {
    CsrMatrix<Value> c;
    c.rows = rows;
    c.columns = columns;
    c.rowStart.assign(at(rows) + 1, 0);
    const int chunks = chunksOf(rows);
    std::vector<Stretch<Value>> stretches(at(chunks));
    parallelFor(ctx, chunks, 1, [&](int begin, int end) {
        RowTable<Value> table;
        auto collect = start();
        for (int chunk = begin; chunk < end; ++chunk) {
            ctx.throwIfCancelled();
            auto& own = stretches[at(chunk)];
            const std::int64_t last = std::min(rows, (chunk + 1) * rowsPerChunk);
            for (std::int64_t row = chunk * rowsPerChunk; row < last; ++row) {
                collect(row, table);
                c.rowStart[at(row) + 1] = table.appendColumns(own.columns);
                for (std::size_t i = own.values.size(); i < own.columns.size(); ++i)
                    own.values.push_back(table.value(own.columns[i]));
            }
        }
    });
    for (std::size_t row = 0; row < at(rows); ++row)
        c.rowStart[row + 1] += c.rowStart[row];
    c.columnOf.resize(at(c.rowStart.back()));
    c.values.resize(c.columnOf.size());
    parallelFor(ctx, chunks, 1, [&](int begin, int end) {
        for (int chunk = begin; chunk < end; ++chunk) {
            auto& own = stretches[at(chunk)];
            const std::int64_t first = c.rowStart[at(chunk * rowsPerChunk)];
            std::copy(own.columns.begin(), own.columns.end(), c.columnOf.begin() + first);
            std::copy(own.values.begin(), own.values.end(), c.values.begin() + first);
            own = {};
        }
    });
    return c;
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
    CsrMatrix<Nothing> pattern = collected<Nothing>(a.rows, b.columns, ctx, [&] {
        return [&](std::int64_t row, RowTable<Nothing>& table) {
            beginRow(a, b, row, table);
            for (std::int64_t i = a.rowStart[at(row)]; i < a.rowStart[at(row + 1)]; ++i) {
                const std::int64_t k = a.columnOf[at(i)];
                for (std::int64_t j = b.rowStart[at(k)]; j < b.rowStart[at(k + 1)]; ++j)
                    table.add(b.columnOf[at(j)], {});
            }
        };
    });
    return {a.rows, a.columns, b.columns, std::move(pattern.rowStart), std::move(pattern.columnOf)};
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
                const auto first = static_cast<std::size_t>(c.rowStart[at(row)]);
                const auto stop = static_cast<std::size_t>(c.rowStart[at(row) + 1]);
                for (std::size_t entry = first; entry < stop; ++entry)
                    c.values[entry] = table.value(c.columnOf[entry]);
            }
        }
    });
    return c;
}

template <typename Value>
CsrMatrix<Value> multiply(const CsrMatrix<Value>& a, const CsrMatrix<Value>& b, ExecContext& ctx) {
    requireFactors(a, b);
    return collected<Value>(a.rows, b.columns, ctx, [&] {
        return [&](std::int64_t row, RowTable<Value>& table) { collectRow(a, b, row, table); };
    });
}

template <typename Value>
CsrMatrix<Value> multiply(const CsrMatrix<Value>& r, const CsrMatrix<Value>& a,
                          const CsrMatrix<Value>& p, ExecContext& ctx) {
    requireFactors(r, a);
    requireFactors(a, p);
    return collected<Value>(r.rows, p.columns, ctx, [&] {
        return [&, middle = RowTable<Value>(), columns = std::vector<std::int32_t>()](
                   std::int64_t row, RowTable<Value>& table) mutable {
            collectRow(r, a, row, middle);
            columns.clear();
            middle.appendColumns(columns);
            std::int64_t products = 0;
            for (const std::int32_t k : columns)
                products += p.rowStart[at(k + 1)] - p.rowStart[at(k)];
            table.begin(std::min(products, p.columns), p.columns);
            for (const std::int32_t k : columns)
                addRow(middle.value(k), p, k, table);
        };
    });
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
template CsrMatrix<float> multiply(const CsrMatrix<float>&, const CsrMatrix<float>&,
                                   const CsrMatrix<float>&, ExecContext&);
template CsrMatrix<double> multiply(const CsrMatrix<double>&, const CsrMatrix<double>&,
                                    const CsrMatrix<double>&, ExecContext&);
template CsrMatrix<float> transpose(const CsrMatrix<float>&);
template CsrMatrix<double> transpose(const CsrMatrix<double>&);

template <typename Value>
std::int64_t productsOf(const CsrMatrix<Value>& a, const CsrMatrix<Value>& b) {
    std::int64_t products = 0;
    for (const std::int32_t k : a.columnOf)
        products +=
            b.rowStart[static_cast<std::size_t>(k) + 1] - b.rowStart[static_cast<std::size_t>(k)];
    return products;
}

template <typename Value>
std::int64_t tilesOf(const CsrMatrix<Value>& matrix) {
    std::int64_t tiles = 0;
    std::vector<std::int64_t> columns; // columns of the tiles of a row of tiles
    for (std::int64_t row = 0; row < matrix.rows; row += tileSide) {
        columns.clear();
        const auto begin = static_cast<std::size_t>(matrix.rowStart[static_cast<std::size_t>(row)]);
        const auto end = static_cast<std::size_t>(
            matrix.rowStart[static_cast<std::size_t>(std::min(row + tileSide, matrix.rows))]);
        for (std::size_t i = begin; i < end; ++i)
            columns.push_back(matrix.columnOf[i] / tileSide);
        std::sort(columns.begin(), columns.end());
        tiles += std::unique(columns.begin(), columns.end()) - columns.begin();
    }
    return tiles;
}

template std::int64_t productsOf(const CsrMatrix<float>&, const CsrMatrix<float>&);
template std::int64_t productsOf(const CsrMatrix<double>&, const CsrMatrix<double>&);
template std::int64_t tilesOf(const CsrMatrix<float>&);
template std::int64_t tilesOf(const CsrMatrix<double>&);

} // namespace systole::sparse
