// Sparse matrices as Eigen's, the independent reference of the tests.
#pragma once

#include "compute/sparse/csr_matrix.h"

#include <Eigen/SparseCore>

#include <vector>

namespace systole::test {

inline Eigen::SparseMatrix<double> toEigen(const sparse::CsrMatrix<double>& m) {
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t row = 0; row < static_cast<std::size_t>(m.rows); ++row)
        for (auto e = static_cast<std::size_t>(m.rowStart[row]);
             e < static_cast<std::size_t>(m.rowStart[row + 1]); ++e)
            entries.emplace_back(static_cast<int>(row), m.columnOf[e], m.values[e]);
    Eigen::SparseMatrix<double> result(m.rows, m.columns);
    result.setFromTriplets(entries.begin(), entries.end());
    return result;
}

} // namespace systole::test
