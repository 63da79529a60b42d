// Figures of a product against counting in dense matrices.
#include "compute/sparse/product.h"

#include <gtest/gtest.h>

#include <random>

namespace systole::sparse {
namespace {

/// Random matrix with about one entry in `rarity` places.
CsrMatrix<double> randomMatrix(int rows, int columns, int rarity, unsigned seed) {
    std::mt19937 random(seed);
    CsrMatrix<double> matrix{rows, columns, {0}, {}, {}};
    for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column)
            if (random() % static_cast<unsigned>(rarity) == 0) {
                matrix.columnOf.push_back(column);
                matrix.values.push_back(1);
            }
        matrix.rowStart.push_back(static_cast<std::int64_t>(matrix.columnOf.size()));
    }
    return matrix;
}

std::vector<std::vector<int>> dense(const CsrMatrix<double>& m) {
    std::vector<std::vector<int>> all(static_cast<std::size_t>(m.rows),
                                      std::vector<int>(static_cast<std::size_t>(m.columns), 0));
    for (std::size_t row = 0; row < all.size(); ++row)
        for (auto i = static_cast<std::size_t>(m.rowStart[row]);
             i < static_cast<std::size_t>(m.rowStart[row + 1]); ++i)
            all[row][static_cast<std::size_t>(m.columnOf[i])] = 1;
    return all;
}

TEST(ProductStatistics, CountEveryMultiplication) {
    const CsrMatrix<double> a = randomMatrix(19, 33, 5, 1), b = randomMatrix(33, 21, 4, 2);
    const auto da = dense(a), db = dense(b);
    std::int64_t products = 0;
    for (std::size_t i = 0; i < da.size(); ++i)
        for (std::size_t k = 0; k < db.size(); ++k)
            for (std::size_t j = 0; j < db[k].size(); ++j)
                products += da[i][k] * db[k][j];
    EXPECT_EQ(productsOf(a, b), products);
    EXPECT_EQ(productsOf(CsrMatrix<double>{}, CsrMatrix<double>{}), 0);
}

TEST(ProductStatistics, CountTilesThatHoldAnEntry) {
    for (const int rarity : {3, 40, 1000}) {
        const CsrMatrix<double> a = randomMatrix(37, 50, rarity, 3);
        const auto da = dense(a);
        std::vector<int> seen(5 * 7, 0);
        for (std::size_t i = 0; i < da.size(); ++i)
            for (std::size_t j = 0; j < da[i].size(); ++j)
                seen[i / 8 * 7 + j / 8] |= da[i][j];
        EXPECT_EQ(tilesOf(a), std::count(seen.begin(), seen.end(), 1)) << rarity;
    }
}

} // namespace
} // namespace systole::sparse
