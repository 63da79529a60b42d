#include "compute/sparse/conjugate_gradients.h"

#include "compute/core/error.h"
#include "compute/sparse/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace systole::sparse {
namespace {

using Values = std::span<const double>;

double dot(Values a, Values b, const ExecContext& ctx) {
    return parallelSum(ctx, int(a.size()), valuesPerChunk, [&](int begin, int end) {
        double sum = 0;
        for (auto i = std::size_t(begin); i < std::size_t(end); ++i)
            sum += a[i] * b[i];
        return sum;
    });
}

void requireSystem(const CsrMatrix<double>& a, Values b, Values x) {
    const auto rows = std::size_t(a.rows);
    if (a.rows != a.columns || b.size() != rows || x.size() != rows)
        throw ComputeError(fmt::format("a linear system has a {} × {} matrix, a right side of {} "
                                       "values and {} unknowns; they must be equal",
                                       a.rows, a.columns, b.size(), x.size()));
}

/// A number that is positive for every vector but zero if the matrix is positive definite.
double requirePositive(double value) {
    if (!std::isfinite(value) || value <= 0)
        throw ComputeError("the matrix or preconditioner given to conjugate gradients isn't "
                           "positive definite");
    return value;
}

} // namespace

void multiply(const CsrMatrix<double>& a, std::span<const double> x, std::span<double> y,
              ExecContext& ctx) {
    if (x.size() != std::size_t(a.columns) || y.size() != std::size_t(a.rows))
        throw ComputeError(fmt::format(
            "a {} × {} matrix can't be multiplied by a vector of {} values into one of {}", a.rows,
            a.columns, x.size(), y.size()));
    parallelFor(ctx, int(a.rows), 1024, [&](int begin, int end) {
        for (auto row = std::size_t(begin); row < std::size_t(end); ++row) {
            double sum = 0;
            for (auto e = std::size_t(a.rowStart[row]); e < std::size_t(a.rowStart[row + 1]); ++e)
                sum += a.values[e] * x[std::size_t(a.columnOf[e])];
            y[row] = sum;
        }
    });
}

Preconditioner jacobiPreconditioner(const CsrMatrix<double>& a) {
    std::vector<double> diagonal(std::size_t(a.rows), 0);
    for (std::size_t row = 0; row < diagonal.size(); ++row) {
        const auto first = a.columnOf.begin() + a.rowStart[row];
        const auto last = a.columnOf.begin() + a.rowStart[row + 1];
        const auto found = std::lower_bound(first, last, std::int32_t(row));
        if (found != last && *found == std::int32_t(row))
            diagonal[row] = a.values[std::size_t(found - a.columnOf.begin())];
    }
    return jacobiPreconditioner(diagonal);
}

Preconditioner jacobiPreconditioner(std::span<const double> diagonal) {
    std::vector<double> inverse;
    for (const double value : diagonal) {
        if (!std::isfinite(value) || value <= 0)
            throw ComputeError(
                fmt::format("entry {0}, {0} of a matrix is {1}; Jacobi needs a positive diagonal",
                            inverse.size(), value));
        inverse.push_back(1 / value);
    }
    return [inverse = std::move(inverse)](std::span<const double> r, std::span<double> z) {
        std::transform(r.begin(), r.end(), inverse.begin(), z.begin(), std::multiplies<>());
    };
}

ConjugateGradientReport solveByConjugateGradients(const CsrMatrix<double>& a,
                                                  std::span<const double> b, std::span<double> x,
                                                  const Preconditioner& preconditioner,
                                                  const ConjugateGradientOptions& options,
                                                  ExecContext& ctx) {
    requireSystem(a, b, x);
    const Product product = [&](Values of, std::span<double> to) { multiply(a, of, to, ctx); };
    return solveByConjugateGradients(product, b, x, preconditioner, options, ctx);
}

ConjugateGradientReport solveByConjugateGradients(const Product& product, std::span<const double> b,
                                                  std::span<double> x,
                                                  const Preconditioner& preconditioner,
                                                  const ConjugateGradientOptions& options,
                                                  ExecContext& ctx) {
    ConjugateGradientReport report;
    const std::size_t n = b.size();
    const double scale = std::sqrt(dot(b, b, ctx));
    if (scale == 0) {
        std::fill(x.begin(), x.end(), 0.0);
        report.converged = true;
        return report;
    }
    std::vector<double> r(n), z(n), p(n), ap(n);
    const auto residual = [&] {
        product(x, r);
        forEach(n, ctx, [&](std::size_t i) { r[i] = b[i] - r[i]; });
        return std::sqrt(dot(r, r, ctx)) / scale;
    };
    const auto precondition = [&] {
        if (preconditioner)
            preconditioner(r, z);
        else
            z = r;
    };
    report.converged = residual() <= options.tolerance;
    double rz = 0;
    while (!report.converged && report.iterations < options.maxIterations) {
        ctx.throwIfCancelled();
        precondition();
        const double before = rz;
        rz = requirePositive(dot(r, z, ctx));
        const double beta = report.iterations == 0 ? 0 : rz / before;
        forEach(n, ctx, [&](std::size_t i) { p[i] = z[i] + beta * p[i]; });
        product(p, ap);
        const double alpha = rz / requirePositive(dot(p, ap, ctx));
        forEach(n, ctx, [&](std::size_t i) {
            x[i] += alpha * p[i];
            r[i] -= alpha * ap[i];
        });
        ++report.iterations;
        report.converged = std::sqrt(dot(r, r, ctx)) <= options.tolerance * scale;
    }
    report.relativeResidual = residual();
    return report;
}

} // namespace systole::sparse
