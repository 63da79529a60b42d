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

/// R A P, row by row: a row of R A is multiplied by P at once, and R A as a whole is never there.
/// The sums of R A, then those of (R A) P, each as in A B. Same bits and errors.
template <typename Value>
CsrMatrix<Value> multiply(const CsrMatrix<Value>& r, const CsrMatrix<Value>& a,
                          const CsrMatrix<Value>& p, ExecContext& ctx);

/// The pattern of a product: made once, used again for factors of the same patterns and other
/// values. Laid out as in CsrMatrix.
struct ProductPlan {
    std::int64_t rows = 0;
    std::int64_t inner = 0; ///< columns of the left factor, rows of the right one
    std::int64_t columns = 0;
    std::vector<std::int64_t> rowStart = {0};
    std::vector<std::int32_t> columnOf;
};
template <typename Value>
ProductPlan planProduct(const CsrMatrix<Value>& a, const CsrMatrix<Value>& b, ExecContext& ctx);

/// The product of factors that have the patterns which the plan was made of: the same bits as
/// without a plan. Throws ComputeError if the sizes aren't the plan's, and Cancelled.
template <typename Value>
CsrMatrix<Value> multiply(const CsrMatrix<Value>& a, const CsrMatrix<Value>& b,
                          const ProductPlan& plan, ExecContext& ctx);

/// Rows become columns; columns of the result are ascending.
template <typename Value>
CsrMatrix<Value> transpose(const CsrMatrix<Value>& a);

/// Multiplications of A B: for every entry (i, k) of `a` the entries of row k of `b`. Twice as many
/// are the floating-point operations. The sizes must fit.
template <typename Value>
std::int64_t productsOf(const CsrMatrix<Value>& a, const CsrMatrix<Value>& b);

/// Tiles of 8 × 8 places, aligned to the first row and column, that hold an entry.
template <typename Value>
std::int64_t tilesOf(const CsrMatrix<Value>& matrix);

} // namespace systole::sparse
