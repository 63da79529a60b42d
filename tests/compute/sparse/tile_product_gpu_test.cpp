// Products by tiles on the device: the processor's pattern, and its sums as far as the arithmetic
// of a variant goes.
#include "compute/core/error.h"
#include "compute/sparse/generate.h"
#include "compute/sparse/product.h"
#include "compute/sparse/tile_product.h"
#include "tests/support/gpu_support.h"

#include <cmath>
#include <cstring>

namespace systole::sparse {
namespace {

CsrMatrix<float> single(const CsrMatrix<double>& matrix) {
    return {matrix.rows, matrix.columns, matrix.rowStart, matrix.columnOf,
            std::vector<float>(matrix.values.begin(), matrix.values.end())};
}
/// The matrix in the device's single precision.
CsrMatrix<double> rounded(CsrMatrix<double> matrix) {
    for (double& value : matrix.values)
        value = static_cast<double>(static_cast<float>(value));
    return matrix;
}
CsrMatrix<double> magnitudes(CsrMatrix<double> matrix) {
    for (double& value : matrix.values)
        value = std::abs(value);
    return matrix;
}

class TileProduct : public test::OnDevice {
protected:
    /// Tolerance as a fraction of the sum of the products' magnitudes: 2^-11 for each of two
    /// factors that are rounded to half precision.
    static double shareOf(const char* variant) {
        return std::strcmp(variant, "tile-tensor") == 0 ? 1e-3 : 1e-6;
    }
    void expectProduct(const CsrMatrix<double>& left, const CsrMatrix<double>& right) {
        ExecContext host = resources.context();
        const ExecContext ctx = context();
        const CsrMatrix<double> expected = multiply(rounded(left), rounded(right), host),
                                sizes = multiply(magnitudes(left), magnitudes(right), host);
        const DeviceCsr<float> a = toDevice(single(left), ctx), b = toDevice(single(right), ctx);
        for (int variant = 0; variant < tileProductFamily.count(); ++variant) {
            const char* name = tileProductFamily.at(variant).name;
            SCOPED_TRACE(name);
            const CsrMatrix<float> found = toHost(multiplyTilesOnDevice(a, b, variant, ctx), ctx);
            ASSERT_EQ(found.rows, expected.rows);
            ASSERT_EQ(found.columns, expected.columns);
            ASSERT_EQ(found.rowStart, expected.rowStart);
            ASSERT_EQ(found.columnOf, expected.columnOf);
            for (std::size_t i = 0; i < found.values.size(); ++i)
                ASSERT_NEAR(static_cast<double>(found.values[i]), expected.values[i],
                            shareOf(name) * sizes.values[i])
                    << i;
            EXPECT_EQ(toHost(multiplyTilesOnDevice(a, b, variant, ctx), ctx).values, found.values);
        }
    }
    void expectSquare(const CsrMatrix<double>& matrix) { expectProduct(matrix, matrix); }
};

TEST_F(TileProduct, OfGridsAndElements) {
    expectSquare(stencil2d(40, false));
    expectSquare(stencil2d(31, true));
    expectSquare(stencil3d(12, true));
    expectSquare(elementBlocks(6));
}

TEST_F(TileProduct, OfGraphsAndRandomRows) {
    expectSquare(rmat(11, 8, 1));
    expectSquare(randomRows(3000, 3000, 5, 2));
    expectSquare(banded(1500, 40, 5));
}

TEST_F(TileProduct, OfSizesThatDontFillTheirTiles) {
    expectProduct(randomRows(301, 1203, 20, 6), randomRows(1203, 77, 9, 7));
    expectProduct(randomRows(9, 15, 3, 1), randomRows(15, 1, 1, 2));
    expectProduct(randomRows(3, 20000, 900, 6), randomRows(20000, 9001, 30, 7));
}

TEST_F(TileProduct, OfEmptyRowsAndMatrices) {
    const CsrMatrix<double> none{500, 70, std::vector<std::int64_t>(501, 0), {}, {}};
    expectProduct(randomRows(400, 500, 2, 8), none);
    expectProduct(CsrMatrix<double>{0, 500, {0}, {}, {}}, none);
    expectProduct(CsrMatrix<double>{2, 0, {0, 0, 0}, {}, {}}, CsrMatrix<double>{0, 5, {0}, {}, {}});
    // The only pair of tiles shares no place: column 0 of A, row 1 of B.
    expectProduct(CsrMatrix<double>{8, 8, {0, 1, 1, 1, 1, 1, 1, 1, 1}, {0}, {2}},
                  CsrMatrix<double>{8, 8, {0, 0, 1, 1, 1, 1, 1, 1, 1}, {3}, {5}});
}

// 7e8 and 1e-9 have no place in half precision; a tile's own range does.
TEST_F(TileProduct, OfValuesBeyondHalfPrecision) {
    for (const double scale : {7e8, 1e-9, 1e15, 1e-15}) {
        SCOPED_TRACE(scale);
        CsrMatrix<double> matrix = elementBlocks(4);
        for (double& value : matrix.values)
            value *= scale;
        expectSquare(matrix);
    }
}

TEST_F(TileProduct, OfOtherSizesIsRefused) {
    const ExecContext ctx = context();
    const DeviceCsr<float> a = toDevice(single(randomRows(10, 20, 2, 1)), ctx);
    EXPECT_THROW(multiplyTilesOnDevice(a, a, 0, ctx), ComputeError);
}

} // namespace
} // namespace systole::sparse
