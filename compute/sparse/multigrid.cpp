#include "compute/sparse/multigrid.h"

#include "compute/core/elapsed.h"
#include "compute/core/error.h"
#include "compute/core/random.h"
#include "compute/sparse/aggregation.h"
#include "compute/sparse/product.h"
#include "compute/sparse/values.h"

#include <Eigen/SparseCholesky>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace systole::sparse {
namespace {

using Direct = Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>;

std::vector<double> inverseDiagonal(const CsrMatrix<double>& a) {
    std::vector<double> inverse(static_cast<std::size_t>(a.rows));
    for (std::size_t row = 0; row < inverse.size(); ++row) {
        double value = 0;
        for (auto e = static_cast<std::size_t>(a.rowStart[row]);
             e < static_cast<std::size_t>(a.rowStart[row + 1]); ++e)
            if (a.columnOf[e] == static_cast<std::int32_t>(row))
                value = a.values[e];
        if (!std::isfinite(value) || value <= 0)
            throw ComputeError(fmt::format("multigrid needs a positive diagonal; entry {0}, {0} of "
                                           "a matrix is {1}",
                                           row, value));
        inverse[row] = 1 / value;
    }
    return inverse;
}

double normOf(const std::vector<double>& x, const ExecContext& ctx) {
    return std::sqrt(
        parallelSum(ctx, static_cast<int>(x.size()), valuesPerChunk, [&](int begin, int end) {
            return std::inner_product(x.begin() + begin, x.begin() + end, x.begin() + begin, 0.0);
        }));
}

/// The largest sum of sizes in a row of D⁻¹A: no eigenvalue is above it.
double largestRow(const CsrMatrix<double>& a, const std::vector<double>& inverse,
                  const ExecContext& ctx) {
    return parallelMax(ctx, static_cast<int>(inverse.size()), valuesPerChunk,
                       [&](int begin, int end) {
                           double largest = 0;
                           for (auto row = static_cast<std::size_t>(begin);
                                row < static_cast<std::size_t>(end); ++row) {
                               double sum = 0;
                               for (auto e = static_cast<std::size_t>(a.rowStart[row]);
                                    e < static_cast<std::size_t>(a.rowStart[row + 1]); ++e)
                                   sum += std::abs(a.values[e]);
                               largest = std::max(largest, sum * inverse[row]);
                           }
                           return largest;
                       });
}

/// A bound of the eigenvalues of D⁻¹A: from a power iteration, which comes from below, with a
/// margin, or from the rows. The smoother is still contracting a tenth above it.
double largestEigenvalue(const CsrMatrix<double>& a, const std::vector<double>& inverse,
                         ExecContext& ctx) {
    const std::size_t n = inverse.size();
    std::vector<double> x(n), y(n);
    // A vector with every frequency, the same every time.
    for (std::size_t i = 0; i < n; ++i)
        x[i] = static_cast<double>(uniformFloat(static_cast<std::uint32_t>(randomBits(1, 2, i)))) -
               0.5;
    double value = 0;
    constexpr int steps = 25;
    for (int step = 0; step < steps; ++step) {
        ctx.throwIfCancelled();
        const double norm = normOf(x, ctx);
        if (norm == 0)
            break;
        forEach(n, ctx, [&](std::size_t i) { x[i] /= norm; });
        multiply(a, x, y, ctx);
        forEach(n, ctx, [&](std::size_t i) { y[i] *= inverse[i]; });
        value = normOf(y, ctx);
        x.swap(y);
    }
    constexpr double margin = 1.15;
    return std::min(margin * value, largestRow(a, inverse, ctx));
}

/// (I − ω D⁻¹ A) P: the pattern of A P holds that of P, as no diagonal entry is missing.
CsrMatrix<double> smoothed(const CsrMatrix<double>& a, const CsrMatrix<double>& p,
                           const std::vector<double>& inverse, double omega, ExecContext& ctx) {
    CsrMatrix<double> result = multiply(a, p, ctx);
    forEach(inverse.size(), ctx, [&](std::size_t row) {
        auto tentative = static_cast<std::size_t>(p.rowStart[row]);
        const auto last = static_cast<std::size_t>(p.rowStart[row + 1]);
        for (auto e = static_cast<std::size_t>(result.rowStart[row]);
             e < static_cast<std::size_t>(result.rowStart[row + 1]); ++e) {
            result.values[e] *= -omega * inverse[row];
            if (tentative < last && p.columnOf[tentative] == result.columnOf[e])
                result.values[e] += p.values[tentative++];
        }
    });
    return result;
}

Eigen::SparseMatrix<double> toEigen(const CsrMatrix<double>& a) {
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(a.values.size());
    for (std::size_t row = 0; row < static_cast<std::size_t>(a.rows); ++row)
        for (auto e = static_cast<std::size_t>(a.rowStart[row]);
             e < static_cast<std::size_t>(a.rowStart[row + 1]); ++e)
            entries.emplace_back(static_cast<int>(row), a.columnOf[e], a.values[e]);
    Eigen::SparseMatrix<double> result(a.rows, a.columns);
    result.setFromTriplets(entries.begin(), entries.end());
    return result;
}

/// A level, and how the next coarser one is reached.
struct Level {
    CsrMatrix<double> own; ///< empty on the finest, whose matrix is the caller's
    const CsrMatrix<double>* matrix;
    std::vector<double> inverse;            ///< reciprocals of the diagonal
    double largest = 0;                     ///< eigenvalue of D⁻¹A
    CsrMatrix<double> prolong, restriction; ///< empty on the coarsest
    std::vector<double> x, b, r, d;         ///< vectors of a cycle

    /// degree steps of Chebyshev's iteration for A x = b in x, over the upper part of the spectrum.
    void smooth(int degree, bool fromZero, ExecContext& ctx) {
        // Part of the spectrum, up to the largest eigenvalue, that the coarser level can't correct.
        constexpr double upperPart = 0.1;
        const double high = largest, low = upperPart * largest;
        const double middle = (high + low) / 2, half = (high - low) / 2, sigma = middle / half;
        double rho = 1 / sigma;
        const std::size_t n = b.size();
        const auto residual = [&] {
            multiply(*matrix, x, r, ctx);
            forEach(n, ctx, [&](std::size_t i) { r[i] = b[i] - r[i]; });
        };
        if (fromZero) {
            std::fill(x.begin(), x.end(), 0.0);
            r = b;
        } else {
            residual();
        }
        forEach(n, ctx, [&](std::size_t i) {
            d[i] = inverse[i] * r[i] / middle;
            x[i] += d[i];
        });
        for (int step = 1; step < degree; ++step) {
            const double next = 1 / (2 * sigma - rho);
            residual();
            forEach(n, ctx, [&](std::size_t i) {
                d[i] = next * rho * d[i] + 2 * next / half * inverse[i] * r[i];
                x[i] += d[i];
            });
            rho = next;
        }
    }
};

} // namespace

struct Multigrid::Impl {
    MultigridOptions options;
    std::vector<std::unique_ptr<Level>> levels;
    std::vector<MultigridLevel> sizes;
    std::unique_ptr<Direct> direct; ///< solver of the coarsest level
    double setUp = 0, products = 0;

    void addLevel(CsrMatrix<double> own, const CsrMatrix<double>* finest) {
        auto level = std::make_unique<Level>();
        level->own = std::move(own);
        level->matrix = finest ? finest : &level->own;
        const auto n = static_cast<std::size_t>(level->matrix->rows);
        for (std::vector<double>* v : {&level->x, &level->b, &level->r, &level->d})
            v->resize(n);
        sizes.push_back({level->matrix->rows, level->matrix->entries()});
        levels.push_back(std::move(level));
    }

    /// Adds the next coarser level; false if the last one can't be made smaller.
    bool coarsen(NodeStarts& nodes, NearKernel& kernel, double strength, ExecContext& ctx) {
        Level& fine = *levels.back();
        TentativeProlongator tentative =
            prolongatorOf(aggregateNodes(*fine.matrix, nodes, strength, ctx), nodes, kernel, ctx);
        constexpr double minReduction = 0.9;
        if (static_cast<double>(tentative.matrix.columns) >
            minReduction * static_cast<double>(fine.matrix->rows))
            return false;
        fine.inverse = inverseDiagonal(*fine.matrix);
        fine.largest = largestEigenvalue(*fine.matrix, fine.inverse, ctx);
        constexpr double damping = 4.0 / 3;
        fine.prolong =
            smoothed(*fine.matrix, tentative.matrix, fine.inverse, damping / fine.largest, ctx);
        fine.restriction = transpose(fine.prolong);
        const auto begin = std::chrono::steady_clock::now();
        CsrMatrix<double> coarse = multiply(fine.restriction, *fine.matrix, fine.prolong, ctx);
        products += secondsSince(begin);
        addLevel(std::move(coarse), nullptr);
        nodes = std::move(tentative.coarseNodes);
        kernel = std::move(tentative.coarseKernel);
        return true;
    }

    void cycle(std::size_t number, ExecContext& ctx) {
        Level& level = *levels[number];
        if (number + 1 == levels.size()) {
            const auto n = static_cast<Eigen::Index>(level.b.size());
            Eigen::Map<Eigen::VectorXd>(level.x.data(), n) =
                direct->solve(Eigen::Map<const Eigen::VectorXd>(level.b.data(), n));
            return;
        }
        level.smooth(options.smootherDegree, true, ctx);
        multiply(*level.matrix, level.x, level.r, ctx);
        forEach(level.b.size(), ctx, [&](std::size_t i) { level.r[i] = level.b[i] - level.r[i]; });
        Level& coarse = *levels[number + 1];
        multiply(level.restriction, level.r, coarse.b, ctx);
        cycle(number + 1, ctx);
        multiply(level.prolong, coarse.x, level.r, ctx);
        forEach(level.x.size(), ctx, [&](std::size_t i) { level.x[i] += level.r[i]; });
        level.smooth(options.smootherDegree, false, ctx);
    }
};

Multigrid::Multigrid(const CsrMatrix<double>& a, const NearKernel& kernel,
                     const MultigridOptions& options, ExecContext& ctx)
    : impl_(std::make_unique<Impl>()) {
    if (a.rows != a.columns || options.blockSize < 1 || a.rows % options.blockSize != 0 ||
        kernel.count < 1 ||
        static_cast<std::int64_t>(kernel.values.size()) != a.rows * kernel.count)
        throw ComputeError(fmt::format(
            "multigrid of a {} × {} matrix in blocks of {} with {} values of {} near kernel "
            "vectors: sizes don't fit",
            a.rows, a.columns, options.blockSize, kernel.values.size(), kernel.count));
    const auto begin = std::chrono::steady_clock::now();
    impl_->options = options;
    impl_->addLevel({}, &a);
    NodeStarts nodes;
    for (std::int64_t unknown = 0; unknown <= a.rows; unknown += options.blockSize)
        nodes.push_back(unknown);
    NearKernel left = kernel;
    double strength = options.strength;
    while (impl_->levels.back()->matrix->rows > options.coarsest &&
           static_cast<int>(impl_->levels.size()) < options.maxLevels &&
           impl_->coarsen(nodes, left, strength, ctx))
        strength /= 2;
    inverseDiagonal(*impl_->levels.back()->matrix); // refuses what isn't positive
    impl_->direct = std::make_unique<Direct>(toEigen(*impl_->levels.back()->matrix));
    if (impl_->direct->info() != Eigen::Success)
        throw ComputeError("the coarsest matrix of a multigrid hierarchy can't be decomposed: the "
                           "matrix isn't positive definite");
    impl_->setUp = secondsSince(begin);
}

Multigrid::~Multigrid() = default;

const std::vector<MultigridLevel>& Multigrid::levels() const { return impl_->sizes; }

double Multigrid::operatorComplexity() const {
    double entries = 0;
    for (const MultigridLevel& level : impl_->sizes)
        entries += static_cast<double>(level.entries);
    return entries / static_cast<double>(std::max<std::int64_t>(impl_->sizes.front().entries, 1));
}

double Multigrid::setUpSeconds() const { return impl_->setUp; }
double Multigrid::productSeconds() const { return impl_->products; }

Preconditioner Multigrid::preconditioner(ExecContext& ctx) {
    return [this, &ctx](std::span<const double> r, std::span<double> z) {
        Level& finest = *impl_->levels.front();
        std::copy(r.begin(), r.end(), finest.b.begin());
        impl_->cycle(0, ctx);
        std::copy(finest.x.begin(), finest.x.end(), z.begin());
    };
}

} // namespace systole::sparse
