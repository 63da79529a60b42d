// Products on the device: the processor's pattern, its sums, and the same bits run after run.
#include "compute/core/error.h"
#include "compute/sparse/device_product.h"
#include "compute/sparse/generate.h"
#include "compute/sparse/product.h"
#include "compute/sparse/tile_product.h"
#include "tests/support/gpu_support.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace systole::sparse {
namespace {

template <typename Value>
CsrMatrix<Value> as(const CsrMatrix<double>& matrix) {
    CsrMatrix<Value> copy{matrix.rows, matrix.columns, matrix.rowStart, matrix.columnOf, {}};
    for (const double value : matrix.values)
        copy.values.push_back(static_cast<Value>(value));
    return copy;
}

CsrMatrix<double> magnitudes(CsrMatrix<double> matrix) {
    for (double& value : matrix.values)
        value = std::abs(value);
    return matrix;
}

/// Rows in another order.
CsrMatrix<double> permuted(const CsrMatrix<double>& matrix, unsigned seed) {
    std::vector<std::size_t> order(static_cast<std::size_t>(matrix.rows));
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    CsrMatrix<double> out{matrix.rows, matrix.columns, {0}, {}, {}};
    for (const std::size_t row : order) {
        for (auto e = static_cast<std::size_t>(matrix.rowStart[row]);
             e < static_cast<std::size_t>(matrix.rowStart[row + 1]); ++e) {
            out.columnOf.push_back(matrix.columnOf[e]);
            out.values.push_back(matrix.values[e]);
        }
        out.rowStart.push_back(static_cast<std::int64_t>(out.columnOf.size()));
    }
    return out;
}

/// Row 3 is full.
CsrMatrix<double> withFullRow(int rows) {
    const CsrMatrix<double> base = randomRows(rows, rows, 4, 9);
    CsrMatrix<double> out{base.rows, base.columns, {0}, {}, {}};
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
        for (auto e = static_cast<std::size_t>(base.rowStart[row]);
             row != 3 && e < static_cast<std::size_t>(base.rowStart[row + 1]); ++e) {
            out.columnOf.push_back(base.columnOf[e]);
            out.values.push_back(base.values[e]);
        }
        for (int column = 0; row == 3 && column < rows; ++column) {
            out.columnOf.push_back(column);
            out.values.push_back(1 + column % 7);
        }
        out.rowStart.push_back(static_cast<std::int64_t>(out.columnOf.size()));
    }
    return out;
}

/// The matrix with each column replaced by `by` columns, of which the first is used.
CsrMatrix<double> spread(CsrMatrix<double> matrix, int by) {
    matrix.columns *= by;
    for (auto& column : matrix.columnOf)
        column *= by;
    return matrix;
}

class ProductOnDevice : public test::OnDevice {
protected:
    /// The accumulator that `adaptive` takes for most rows.
    std::string mostlyMadeBy(const CsrMatrix<double>& left, const CsrMatrix<double>& right) {
        DeviceProductFigures figures;
        multiplyOnDevice(toDevice(as<float>(left), context()),
                         toDevice(as<float>(right), context()), productFamily.standardVariant(),
                         context(), &figures);
        return DeviceProductFigures::names[std::ranges::max_element(figures.rows) -
                                           figures.rows.begin()];
    }
    template <typename Value>
    void expectProduct(const CsrMatrix<double>& left, const CsrMatrix<double>& right,
                       const ExecContext& ctx) {
        ExecContext host = resources.context();
        const CsrMatrix<double> expected = multiply(left, right, host),
                                sizes = multiply(magnitudes(left), magnitudes(right), host);
        const DeviceCsr<Value> a = toDevice(as<Value>(left), ctx),
                               b = toDevice(as<Value>(right), ctx);
        const double most = sizeof(Value) == 4 ? 1e-6 : 1e-14;
        for (int variant = 0; variant < productFamily.count(); ++variant) {
            SCOPED_TRACE(productFamily.at(variant).name);
            DeviceProductFigures figures;
            const CsrMatrix<Value> found =
                toHost(multiplyOnDevice(a, b, variant, ctx, &figures), ctx);
            ASSERT_EQ(found.rows, expected.rows);
            ASSERT_EQ(found.columns, expected.columns);
            ASSERT_EQ(found.rowStart, expected.rowStart);
            ASSERT_EQ(found.columnOf, expected.columnOf);
            for (std::size_t i = 0; i < found.values.size(); ++i)
                ASSERT_NEAR(static_cast<double>(found.values[i]), expected.values[i],
                            most * sizes.values[i])
                    << i;
            EXPECT_EQ(toHost(multiplyOnDevice(a, b, variant, ctx), ctx).values, found.values);
            if (variant == productFamily.standardVariant() && figures.passes == 1 &&
                figures.rows.back() == 0) {
                const DeviceProductPlan plan = planOnDevice(a, b, ctx);
                const CsrMatrix<Value> planned = toHost(multiplyOnDevice(a, b, plan, ctx), ctx);
                EXPECT_EQ(planned.rowStart, found.rowStart);
                EXPECT_EQ(planned.columnOf, found.columnOf);
                EXPECT_EQ(planned.values, found.values);
            }
        }
    }
    void expectProducts(const CsrMatrix<double>& left, const CsrMatrix<double>& right) {
        expectProduct<float>(left, right, context());
        expectProduct<double>(left, right, context());
    }
    void expectSquare(const CsrMatrix<double>& matrix) { expectProducts(matrix, matrix); }
};

TEST_F(ProductOnDevice, OfGrids) {
    expectSquare(stencil2d(40, false));
    expectSquare(stencil2d(31, true));
    expectSquare(stencil3d(12, true));
    expectSquare(elementBlocks(6));
}

TEST_F(ProductOnDevice, OfGraphsAndRandomRows) {
    expectSquare(rmat(11, 8, 1));
    expectSquare(randomRows(3000, 3000, 5, 2));
    expectSquare(permuted(stencil3d(10, true), 4));
    expectSquare(banded(1500, 40, 5));
}

// Rows of every accumulator: the widths grow past each limit.
TEST_F(ProductOnDevice, OfRowsOfEverySize) {
    for (const int perRow : {1, 3, 5, 10, 20, 40, 90, 300}) {
        SCOPED_TRACE(perRow);
        expectProducts(randomRows(300, 20000, perRow, 6), randomRows(20000, 100000, perRow, 7));
    }
    expectProducts(randomRows(200, 9000, 200, 6), randomRows(9000, 9000, 60, 7));
}

TEST_F(ProductOnDevice, OfRowsScatteredOverManyColumns) {
    struct Rows {
        int perRow, perRowOfB;
        const char* madeBy;
    };
    for (const auto& [perRow, perRowOfB, madeBy] : {
             Rows{2, 3, "sort 8"},
             Rows{12, 16, "block sort 256"},
             Rows{20, 20, "block sort 512"},
             Rows{28, 28, "block sort 1024"},
             Rows{50, 60, "block sort 4096"},
         }) {
        SCOPED_TRACE(madeBy);
        const CsrMatrix<double> left = randomRows(200, 5000, perRow, 6);
        // Keys of 32 bits and of 64.
        for (const int columns : {200000, 3000000}) {
            const CsrMatrix<double> right = randomRows(5000, columns, perRowOfB, 7);
            expectProducts(left, right);
            EXPECT_EQ(mostlyMadeBy(left, right), madeBy);
        }
        // Many products for an entry.
        expectProducts(left, spread(randomRows(5000, 40, std::min(perRowOfB, 20), 8), 75000));
    }
    expectProducts(randomRows(5000, 5000, 4, 6), randomRows(5000, 3000000, 5, 7));
}

// The whole device shares rows with more entries than a block goes through.
TEST_F(ProductOnDevice, OfLongRowsWithManyProductsForAnEntry) {
    const CsrMatrix<double> left = randomRows(40, 6000, 5000, 6),
                            right = spread(randomRows(6000, 30, 8, 7), 90000);
    expectProducts(left, right);
    EXPECT_EQ(mostlyMadeBy(left, right), "expand and sort");
}

TEST_F(ProductOnDevice, OfEmptyRowsAndMatrices) {
    CsrMatrix<double> holes = randomRows(400, 500, 6, 8);
    // Every third row and the columns that it would need are empty.
    CsrMatrix<double> a{400, 500, {0}, {}, {}};
    for (std::size_t row = 0; row < 400; ++row) {
        for (auto e = static_cast<std::size_t>(holes.rowStart[row]);
             row % 3 != 0 && e < static_cast<std::size_t>(holes.rowStart[row + 1]); ++e) {
            a.columnOf.push_back(holes.columnOf[e]);
            a.values.push_back(holes.values[e]);
        }
        a.rowStart.push_back(static_cast<std::int64_t>(a.columnOf.size()));
    }
    CsrMatrix<double> none{500, 70, std::vector<std::int64_t>(501, 0), {}, {}};
    expectProducts(a, randomRows(500, 70, 2, 3));
    expectProducts(a, none);
    expectProducts(CsrMatrix<double>{0, 500, {0}, {}, {}}, none);
    expectProducts(CsrMatrix<double>{2, 0, {0, 0, 0}, {}, {}},
                   CsrMatrix<double>{0, 5, {0}, {}, {}});
}

TEST_F(ProductOnDevice, OfAMatrixWithADenseRow) { expectSquare(withFullRow(6000)); }

TEST_F(ProductOnDevice, ThatDoesntFitIsMadeInPasses) {
    CudaContext small(CudaContext::Options{.deviceBudget = std::size_t{9} << 19});
    ExecContext ctx = context();
    ctx.cuda = &small;
    const CsrMatrix<double> matrix = stencil3d(22, true);
    ExecContext host = resources.context();
    const DeviceCsr<float> a = toDevice(as<float>(matrix), ctx);
    // The product itself takes more than the budget leaves: only its rows do.
    const CsrMatrix<double> few{
        200,
        matrix.columns,
        {matrix.rowStart.begin(), matrix.rowStart.begin() + 201},
        {matrix.columnOf.begin(), matrix.columnOf.begin() + matrix.rowStart[200]},
        {matrix.values.begin(), matrix.values.begin() + matrix.rowStart[200]}};
    const DeviceCsr<float> top = toDevice(as<float>(few), ctx);
    DeviceProductFigures figures;
    const int sorted = productFamily.named("expand-sort");
    const CsrMatrix<float> found = toHost(multiplyOnDevice(top, a, sorted, ctx, &figures), ctx);
    EXPECT_GT(figures.passes, 1);
    const CsrMatrix<double> wanted = multiply(few, matrix, host);
    EXPECT_EQ(found.rowStart, wanted.rowStart);
    EXPECT_EQ(found.columnOf, wanted.columnOf);
}

// Every entry within the band is 1, so that an entry of the square counts the rows that two bands
// share.
TEST_F(ProductOnDevice, OfMoreThanTwoToThe31Products) {
    constexpr int rows = 14000, half = 200;
    CsrMatrix<float> ones{rows, rows, {0}, {}, {}};
    for (int row = 0; row < rows; ++row) {
        for (int column = std::max(row - half, 0); column <= std::min(row + half, rows - 1);
             ++column)
            ones.columnOf.push_back(column);
        ones.rowStart.push_back(static_cast<std::int64_t>(ones.columnOf.size()));
    }
    ones.values.assign(ones.columnOf.size(), 1.0f);
    ASSERT_GT(productsOf(ones, ones), std::int64_t{1} << 31);
    const ExecContext ctx = context();
    const DeviceCsr<float> a = toDevice(ones, ctx);
    const auto expectCounts = [&](const DeviceCsr<float>& square) {
        const CsrMatrix<float> found = toHost(square, ctx);
        std::size_t e = 0;
        for (int row = 0; row < rows; ++row) {
            const int first = std::max(row - 2 * half, 0),
                      last = std::min(row + 2 * half, rows - 1);
            ASSERT_EQ(found.rowStart[static_cast<std::size_t>(row) + 1],
                      static_cast<std::int64_t>(e) + last - first + 1);
            for (int column = first; column <= last; ++column, ++e) {
                ASSERT_EQ(found.columnOf[e], column);
                ASSERT_EQ(found.values[e],
                          static_cast<float>(std::min({row, column, rows - 1 - half}) + half -
                                             std::max({row, column, half}) + half + 1));
            }
        }
    };
    for (const char* variant : {"expand-sort", "row-ranked", "adaptive"}) {
        SCOPED_TRACE(variant);
        DeviceProductFigures figures;
        expectCounts(multiplyOnDevice(a, a, productFamily.named(variant), ctx, &figures));
        EXPECT_EQ(figures.passes > 1, std::string(variant) == "expand-sort");
    }
    SCOPED_TRACE("tiles");
    expectCounts(multiplyTilesOnDevice(a, a, tileProductFamily.named("tile-accurate"), ctx));
}

TEST_F(ProductOnDevice, TripleProductIsTheProcessors) {
    ExecContext host = resources.context();
    const CsrMatrix<double> a = elementBlocks(7), p = randomRows(1029, 60, 3, 5), r = transpose(p),
                            expected = multiply(r, a, p, host),
                            sizes = multiply(magnitudes(r), magnitudes(a), magnitudes(p), host);
    const auto expectTriple = [&](const ExecContext& ctx, bool several) {
        for (int variant = 0; variant < productFamily.count(); ++variant) {
            SCOPED_TRACE(productFamily.at(variant).name);
            DeviceProductFigures figures;
            const CsrMatrix<double> found =
                toHost(multiplyOnDevice(toDevice(r, ctx), toDevice(a, ctx), toDevice(p, ctx),
                                        variant, ctx, &figures),
                       ctx);
            EXPECT_TRUE(figures.passes > 1 || !several || variant > 0);
            ASSERT_EQ(found.rowStart, expected.rowStart);
            ASSERT_EQ(found.columnOf, expected.columnOf);
            for (std::size_t i = 0; i < found.values.size(); ++i)
                ASSERT_NEAR(found.values[i], expected.values[i], 1e-13 * sizes.values[i]) << i;
        }
    };
    expectTriple(context(), false);
    CudaContext small(CudaContext::Options{.deviceBudget = std::size_t{5} << 19});
    ExecContext ctx = context();
    ctx.cuda = &small;
    expectTriple(ctx, true);
    const DeviceCsr<double> wide = toDevice(p, context());
    EXPECT_THROW(multiplyOnDevice(wide, wide, wide, 0, context()), ComputeError);
}

TEST_F(ProductOnDevice, OfOtherSizesIsRefused) {
    const ExecContext ctx = context();
    const DeviceCsr<float> a = toDevice(as<float>(randomRows(10, 20, 2, 1)), ctx),
                           b = toDevice(as<float>(randomRows(20, 10, 2, 1)), ctx);
    EXPECT_THROW(multiplyOnDevice(a, a, 0, ctx), ComputeError);
    const DeviceProductPlan plan = planOnDevice(a, b, ctx);
    EXPECT_THROW(multiplyOnDevice(b, a, plan, ctx), ComputeError);
    EXPECT_THROW(productFamily.named("nothing"), ComputeError);
}

} // namespace
} // namespace systole::sparse
