#include "compute/sparse/product_statistics.h"

#include <algorithm>

namespace systole::sparse {
namespace {

constexpr std::int64_t tileSide = 8;

} // namespace

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
