// Sparse matrices on disk: Matrix Market's coordinate format (.mtx, .mtx.gz).
//
// A header line "%%MatrixMarket matrix coordinate real|integer|pattern general|symmetric|
// skew-symmetric", comment lines, a line with rows, columns and entries, then one entry a line:
// row, column, both from 1, and the value unless the file is a pattern.
#pragma once

#include "compute/sparse/csr_matrix.h"

#include <string>

namespace systole {

/// A matrix as it was read.
struct StoredMatrix {
    sparse::CsrMatrix<double> matrix;
    std::string field;              ///< "real", "integer", "pattern"
    std::string symmetry;           ///< "general", "symmetric", "skew-symmetric"
    std::int64_t storedEntries = 0; ///< lines of the file
    std::int64_t duplicates = 0;    ///< entries that were added to an earlier one
};

/// Both halves of a symmetric matrix; entries of a pattern are 1; entries that occur more than once
/// are added, in the order of the file. Throws FileError, with the line where there is one: for
/// another header (dense, complex and Hermitian matrices among them), more than 2^28 rows or
/// columns, or more than 2^23 of them with less than an entry for 16, numbers that are none or not
/// finite, places outside the matrix or in the half that a symmetric file leaves out, and fewer or
/// more entries than announced.
StoredMatrix readMatrixMarket(const std::string& path);

/// General, real, rows in order; numbers as short as they can be read back to the same bits.
/// Compressed if the name ends with .gz. Throws FileError.
template <typename Value>
void writeMatrixMarket(const std::string& path, const sparse::CsrMatrix<Value>& matrix);

} // namespace systole
