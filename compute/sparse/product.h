// C = A B of two sparse matrices on the host.
#pragma once

#include "compute/core/exec.h"
#include "compute/sparse/csr_matrix.h"

namespace systole::sparse {

/// The product, row by row: entry (i, j) is the sum over the entries (i, k) of `a`, k ascending, of
/// a(i, k) b(k, j), so the same bits come from any number of threads. Its pattern is that of the
/// factors' patterns: entries that cancel to zero stay. Throws ComputeError if a.columns isn't
/// b.rows, and Cancelled.
template <typename Value>
CsrMatrix<Value> multiply(const CsrMatrix<Value>& a, const CsrMatrix<Value>& b, ExecContext& ctx);

/// Rows become columns; columns of the result are ascending.
template <typename Value>
CsrMatrix<Value> transpose(const CsrMatrix<Value>& a);

} // namespace systole::sparse
