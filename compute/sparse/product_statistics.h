// What a product of sparse matrices amounts to, before and after it is computed.
#pragma once

#include "compute/sparse/csr_matrix.h"

namespace systole::sparse {

/// Multiplications of A B: for every entry (i, k) of `a` the entries of row k of `b`. Twice as many
/// are the floating-point operations. The sizes must fit.
template <typename Value>
std::int64_t productsOf(const CsrMatrix<Value>& a, const CsrMatrix<Value>& b);

/// Tiles of 8 × 8 places, aligned to the first row and column, that hold an entry.
template <typename Value>
std::int64_t tilesOf(const CsrMatrix<Value>& matrix);

} // namespace systole::sparse
