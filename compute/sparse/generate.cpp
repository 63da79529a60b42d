#include "compute/sparse/generate.h"

#include "compute/core/geometry.h"
#include "compute/core/random.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace systole::sparse {
namespace {

/// A value between 0.5 and 1.5, so that no sum is 0.
double valueOf(std::uint64_t seed, std::uint64_t counter) {
    return 0.5 + static_cast<double>(
                     uniformFloat(static_cast<std::uint32_t>(randomBits(seed, 2, counter))));
}

void addRow(CsrMatrix<double>& matrix, std::vector<std::int32_t>& columns, std::uint64_t seed) {
    std::ranges::sort(columns);
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    for (const std::int32_t column : columns) {
        matrix.columnOf.push_back(column);
        matrix.values.push_back(valueOf(seed, matrix.columnOf.size()));
    }
    matrix.rowStart.push_back(static_cast<std::int64_t>(matrix.columnOf.size()));
    columns.clear();
}

/// Points of a grid with `unknowns` at each, coupled with those beside.
CsrMatrix<double> coupled(Size3 size, bool corners, int unknowns) {
    const auto all = static_cast<std::int64_t>(size.voxels()) * unknowns;
    CsrMatrix<double> matrix{all, all, {0}, {}, {}};
    std::vector<std::pair<std::int32_t, bool>> beside;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                beside.clear();
                for (int c = std::max(z - 1, 0); c <= std::min(z + 1, size.z - 1); ++c)
                    for (int b = std::max(y - 1, 0); b <= std::min(y + 1, size.y - 1); ++b)
                        for (int a = std::max(x - 1, 0); a <= std::min(x + 1, size.x - 1); ++a) {
                            const int away = (a != x) + (b != y) + (c != z);
                            if (corners || away < 2)
                                beside.emplace_back(a + size.x * (b + size.y * c), away == 0);
                        }
                for (int unknown = 0; unknown < unknowns; ++unknown) {
                    for (const auto& [point, own] : beside)
                        for (int other = 0; other < unknowns; ++other) {
                            matrix.columnOf.push_back(point * unknowns + other);
                            matrix.values.push_back(own && other == unknown
                                                        ? static_cast<double>(beside.size() - 1)
                                                        : -1.0 / (1 + (other != unknown)));
                        }
                    matrix.rowStart.push_back(static_cast<std::int64_t>(matrix.columnOf.size()));
                }
            }
    return matrix;
}

} // namespace

CsrMatrix<double> stencil2d(int side, bool corners) { return coupled({side, side, 1}, corners, 1); }
CsrMatrix<double> stencil3d(int side, bool corners) {
    return coupled({side, side, side}, corners, 1);
}
CsrMatrix<double> elementBlocks(int side) { return coupled({side, side, side}, true, 3); }

CsrMatrix<double> rmat(int scale, int perRow, std::uint64_t seed) {
    const std::int64_t nodes = std::int64_t{1} << scale, edges = nodes * perRow;
    std::vector<std::pair<std::int32_t, std::int32_t>> all;
    all.reserve(static_cast<std::size_t>(edges));
    for (std::int64_t edge = 0; edge < edges; ++edge) {
        std::int32_t from = 0, to = 0;
        for (int level = 0; level < scale; ++level) {
            const float u = uniformFloat(static_cast<std::uint32_t>(
                randomBits(seed, 3, static_cast<std::uint64_t>(edge * scale + level))));
            const bool down = u >= 0.76f, right = down ? u >= 0.95f : u >= 0.57f;
            from = 2 * from + (down ? 1 : 0);
            to = 2 * to + (right ? 1 : 0);
        }
        all.emplace_back(from, to);
    }
    std::ranges::sort(all);
    CsrMatrix<double> matrix{nodes, nodes, {0}, {}, {}};
    std::vector<std::int32_t> columns;
    std::size_t at = 0;
    for (std::int32_t row = 0; row < nodes; ++row) {
        for (; at < all.size() && all[at].first == row; ++at)
            columns.push_back(all[at].second);
        addRow(matrix, columns, seed);
    }
    return matrix;
}

CsrMatrix<double> banded(int rows, int half, std::uint64_t seed) {
    CsrMatrix<double> matrix{rows, rows, {0}, {}, {}};
    std::vector<std::int32_t> columns;
    for (int row = 0; row < rows; ++row) {
        for (int c = std::max(row - half, 0); c <= std::min(row + half, rows - 1); ++c)
            columns.push_back(c);
        addRow(matrix, columns, seed);
    }
    return matrix;
}

CsrMatrix<double> tiledBand(int tileRows, int half, int filled, std::uint64_t seed) {
    constexpr int side = 8, places = side * side;
    CsrMatrix<double> matrix;
    matrix.rows = matrix.columns = std::int64_t{side} * tileRows;
    std::uint64_t random = 0;
    for (int tileRow = 0; tileRow < tileRows; ++tileRow) {
        const int first = std::max(0, tileRow - half),
                  last = std::min(tileRows - 1, tileRow + half);
        std::vector<std::uint64_t> bitmaps;
        for (int tile = first; tile <= last; ++tile) {
            // Floyd's sample without doubles.
            std::uint64_t bits = 0;
            for (int j = places - filled; j < places; ++j) {
                const std::uint64_t place =
                    randomBits(seed, 0, random++) % static_cast<std::uint64_t>(j + 1);
                bits |= std::uint64_t{1}
                        << ((bits >> place & 1) != 0 ? static_cast<std::uint64_t>(j) : place);
            }
            bitmaps.push_back(bits);
        }
        for (int y = 0; y < side; ++y) {
            for (int tile = first; tile <= last; ++tile)
                for (int x = 0; x < side; ++x)
                    if ((bitmaps[static_cast<std::size_t>(tile - first)] >> (side * y + x) & 1) !=
                        0) {
                        matrix.columnOf.push_back(side * tile + x);
                        matrix.values.push_back(
                            2 * uniformFloat(static_cast<std::uint32_t>(
                                    randomBits(seed, 1, matrix.columnOf.size()))) -
                            1);
                    }
            matrix.rowStart.push_back(static_cast<std::int64_t>(matrix.columnOf.size()));
        }
    }
    return matrix;
}

CsrMatrix<double> randomRows(int rows, int columns, int perRow, std::uint64_t seed) {
    CsrMatrix<double> matrix{rows, columns, {0}, {}, {}};
    std::vector<std::int32_t> chosen;
    for (int row = 0; row < rows; ++row) {
        for (int i = 0; i < perRow; ++i)
            chosen.push_back(static_cast<std::int32_t>(
                randomBits(seed, 4,
                           static_cast<std::uint64_t>(row) * 4096 + static_cast<std::uint64_t>(i)) %
                static_cast<std::uint64_t>(columns)));
        addRow(matrix, chosen, seed);
    }
    return matrix;
}

CsrMatrix<double> scaleFree(int rows, int least, int most, double exponent, double near,
                            std::uint64_t seed) {
    constexpr int reach = 100;
    CsrMatrix<double> matrix{rows, rows, {0}, {}, {}};
    std::vector<std::int32_t> chosen;
    std::uint64_t random = 0;
    const auto next = [&] {
        return static_cast<double>(randomBits(seed, 5, random++) >> 11) * 0x1p-53;
    };
    for (int row = 0; row < rows; ++row) {
        const double length = least * std::pow(1 - next(), -1 / (exponent - 1));
        const int edges = static_cast<int>(std::min(length, static_cast<double>(most)));
        for (int i = 0; i < edges; ++i) {
            const bool isNear = next() < near;
            const double where = next();
            const int column = isNear ? row - reach + static_cast<int>(where * (2 * reach + 1))
                                      : static_cast<int>(where * rows);
            chosen.push_back(std::clamp(column, 0, rows - 1));
        }
        addRow(matrix, chosen, seed);
    }
    return matrix;
}

CsrMatrix<double> withDenseRow(int rows, int perRow, int dense, std::uint64_t seed) {
    const CsrMatrix<double> base = randomRows(rows, rows, perRow, seed),
                            row = randomRows(1, rows, dense, seed + 1);
    CsrMatrix<double> matrix{rows, rows, {0}, {}, {}};
    std::vector<std::int32_t> columns;
    for (int i = 0; i < rows; ++i) {
        const CsrMatrix<double>& from = i == rows / 2 ? row : base;
        const auto at = static_cast<std::size_t>(i == rows / 2 ? 0 : i);
        columns.assign(from.columnOf.begin() + from.rowStart[at],
                       from.columnOf.begin() + from.rowStart[at + 1]);
        addRow(matrix, columns, seed);
    }
    return matrix;
}

} // namespace systole::sparse
