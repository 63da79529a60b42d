#include "compute/landmarks/spectral_matching.h"

#include "compute/core/median.h"
#include "compute/cuda/context.h"
#include "compute/sparse/device_product.h"
#include "compute/sparse/product.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace systole {
namespace {

using Matrix = sparse::CsrMatrix<double>;

constexpr int rowsPerChunk = 256;
constexpr int maxIterations = 200;
constexpr double settled = 1e-4; ///< greatest change of a step, of a component's largest value

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

std::span<const std::int32_t> columnsOf(const Matrix& matrix, std::size_t row) {
    return {matrix.columnOf.data() + matrix.rowStart[row],
            matrix.columnOf.data() + matrix.rowStart[row + 1]};
}

/// Symmetric pattern of A, all ones: each match that counts with its nearest ones that count and
/// those that it is near to, itself included.
Matrix neighborPattern(const std::vector<int>& members, std::span<const unsigned char> counts,
                       const NeighborTable& table, int neighbors) {
    std::vector<std::int32_t> rowOf(counts.size(), -1);
    for (std::size_t row = 0; row < members.size(); ++row)
        rowOf[at(members[row])] = static_cast<std::int32_t>(row);
    std::vector<std::vector<std::int32_t>> near(members.size());
    for (std::size_t row = 0; row < members.size(); ++row) {
        near[row].push_back(static_cast<std::int32_t>(row));
        int found = 0;
        for (const int other : table.of(members[row])) {
            const std::int32_t column = rowOf[at(other)];
            if (column < 0)
                continue;
            near[row].push_back(column);
            near[at(column)].push_back(static_cast<std::int32_t>(row));
            if (++found == neighbors)
                break;
        }
    }
    Matrix pattern;
    pattern.rows = pattern.columns = static_cast<std::int64_t>(members.size());
    for (auto& columns : near) {
        std::ranges::sort(columns);
        const auto twice = std::ranges::unique(columns);
        columns.erase(twice.begin(), twice.end());
        pattern.columnOf.insert(pattern.columnOf.end(), columns.begin(), columns.end());
        pattern.rowStart.push_back(static_cast<std::int64_t>(pattern.columnOf.size()));
    }
    pattern.values.assign(pattern.columnOf.size(), 1.0);
    return pattern;
}

/// The squares of A and of its pattern, which have one pattern.
std::array<Matrix, 2> squares(const Matrix& affinity, const Matrix& pattern,
                              const ExecContext& ctx) {
    if (ctx.backend == Backend::Cuda) {
        if constexpr (cudaIsBuilt) {
            const auto a = sparse::toDevice(affinity, ctx), n = sparse::toDevice(pattern, ctx);
            const int variant = sparse::productFamily.standardVariant();
            return {sparse::toHost(sparse::multiplyOnDevice(a, a, variant, ctx), ctx),
                    sparse::toHost(sparse::multiplyOnDevice(n, n, variant, ctx), ctx)};
        }
    }
    ExecContext own = ctx;
    const sparse::ProductPlan plan = sparse::planProduct(pattern, pattern, own);
    return {sparse::multiply(affinity, affinity, plan, own),
            sparse::multiply(pattern, pattern, plan, own)};
}

/// One judgment, of the matches that count.
class Spectrum {
public:
    Spectrum(std::span<const Vec3> points, std::span<const Vec3> displacements,
             std::span<const unsigned char> counts, const NeighborTable& table,
             const SpectralSettings& settings, const ExecContext& ctx)
        : settings_(settings), ctx_(ctx) {
        for (std::size_t i = 0; i < counts.size(); ++i)
            if (counts[i])
                members_.push_back(static_cast<int>(i));
        pattern_ = neighborPattern(members_, counts, table, settings.neighbors);
        link(affinity(points, displacements));
        findComponents();
    }

    SpectralReport judge(std::span<unsigned char> agrees) {
        SpectralReport report;
        report.components =
            static_cast<int>(std::ranges::count_if(sizes_, [](int size) { return size > 1; }));
        const std::vector<double> confidence = principal(report.iterations);
        const std::vector<int> around = largestAround();
        for (std::size_t row = 0; row < members_.size(); ++row) {
            if (static_cast<int>(columnsOf(pattern_, row).size()) - 1 < settings_.fewestNeighbors)
                continue;
            const auto component = at(componentOf_[row]);
            const bool small = sizes_[component] < settings_.smallest * around[component];
            const bool weak = !small && isWeak(row, confidence);
            report.rejectedAsComponent += small;
            report.rejectedAsWeak += weak;
            if (small || weak)
                agrees[at(members_[row])] = 0;
        }
        return report;
    }

private:
    Matrix affinity(std::span<const Vec3> points, std::span<const Vec3> displacements) const {
        Matrix matrix = pattern_;
        forRows([&](std::size_t row) {
            const auto i = at(members_[row]);
            for (auto e = at(matrix.rowStart[row]); e < at(matrix.rowStart[row + 1]); ++e) {
                const auto j = at(members_[at(matrix.columnOf[e])]);
                const double allowed =
                    settings_.noise + settings_.gradient * length(points[i] - points[j]);
                const double apart = length(displacements[i] - displacements[j]) / allowed;
                matrix.values[e] =
                    std::ldexp(std::round(std::ldexp(std::exp(-0.5 * apart * apart), 16)), -16);
            }
        });
        return matrix;
    }

    /// W: s of the pairs that hang together, 0 for the others.
    void link(const Matrix& affinity) {
        const auto [both, all] = squares(affinity, pattern_, ctx_);
        weights_ = pattern_;
        forRows([&](std::size_t row) {
            auto place = at(both.rowStart[row]);
            for (auto e = at(weights_.rowStart[row]); e < at(weights_.rowStart[row + 1]); ++e) {
                // The pattern's columns are among the square's: the diagonal is never empty.
                while (both.columnOf[place] != weights_.columnOf[e])
                    ++place;
                const double support = both.values[place] / all.values[place];
                const bool self = weights_.columnOf[e] == static_cast<std::int32_t>(row);
                weights_.values[e] = !self && support >= settings_.link ? support : 0;
            }
        });
    }

    void findComponents() {
        componentOf_.assign(members_.size(), -1);
        std::vector<std::size_t> open;
        for (std::size_t first = 0; first < members_.size(); ++first) {
            if (componentOf_[first] >= 0)
                continue;
            const auto component = static_cast<int>(sizes_.size());
            sizes_.push_back(0);
            componentOf_[first] = component;
            open.push_back(first);
            while (!open.empty()) {
                const std::size_t row = open.back();
                open.pop_back();
                ++sizes_.back();
                forLinks(row, [&](std::size_t other, double) {
                    if (componentOf_[other] < 0) {
                        componentOf_[other] = component;
                        open.push_back(other);
                    }
                });
            }
        }
    }

    /// The principal eigenvector of each component of D^-½ W D^-½ over √D, D the numbers of
    /// neighbors: where all agree fully it is constant. By power iteration, all components at once,
    /// on ½ (1 + D^-½ W D^-½), which has no eigenvalue below 0 that could be as large.
    std::vector<double> principal(int& iterations) const {
        std::vector<double> inverseRoot(members_.size()), x(members_.size()), y(members_.size());
        for (std::size_t row = 0; row < members_.size(); ++row) {
            const auto neighbors = static_cast<double>(columnsOf(pattern_, row).size() - 1);
            inverseRoot[row] = neighbors > 0 ? 1 / std::sqrt(neighbors) : 1;
            x[row] = 1 / inverseRoot[row];
        }
        std::vector<double> largest(sizes_.size());
        for (iterations = 0; iterations < maxIterations; ++iterations) {
            forRows([&](std::size_t row) {
                double sum = 0;
                forLinks(row, [&](std::size_t other, double weight) {
                    sum += weight * inverseRoot[other] * x[other];
                });
                y[row] = 0.5 * (x[row] + inverseRoot[row] * sum);
            });
            std::ranges::fill(largest, 0);
            for (std::size_t row = 0; row < y.size(); ++row) {
                double& most = largest[at(componentOf_[row])];
                most = std::max(most, y[row] * inverseRoot[row]);
            }
            double change = 0;
            for (std::size_t row = 0; row < y.size(); ++row) {
                y[row] /= largest[at(componentOf_[row])];
                change = std::max(change, std::abs(y[row] - x[row]) * inverseRoot[row]);
            }
            std::swap(x, y);
            if (change < settled)
                break;
        }
        for (std::size_t row = 0; row < x.size(); ++row)
            x[row] *= inverseRoot[row];
        return x;
    }

    /// Per component: matches of the largest one among its members' neighbors, itself included.
    std::vector<int> largestAround() const {
        std::vector<int> around = sizes_;
        for (std::size_t row = 0; row < members_.size(); ++row)
            for (const std::int32_t other : columnsOf(pattern_, row)) {
                int& most = around[at(componentOf_[row])];
                most = std::max(most, sizes_[at(componentOf_[at(other)])]);
            }
        return around;
    }

    bool isWeak(std::size_t row, const std::vector<double>& confidence) const {
        std::vector<double> near;
        forLinks(row, [&](std::size_t other, double) { near.push_back(confidence[other]); });
        return !near.empty() && confidence[row] < settings_.confidence * median(std::move(near));
    }

    void forLinks(std::size_t row, const auto& use) const {
        for (auto e = at(weights_.rowStart[row]); e < at(weights_.rowStart[row + 1]); ++e)
            if (weights_.values[e] > 0)
                use(at(weights_.columnOf[e]), weights_.values[e]);
    }

    void forRows(const auto& use) const {
        parallelFor(ctx_, static_cast<int>(members_.size()), rowsPerChunk, [&](int begin, int end) {
            ctx_.throwIfCancelled();
            for (int row = begin; row < end; ++row)
                use(at(row));
        });
    }

    const SpectralSettings& settings_;
    const ExecContext& ctx_;
    std::vector<int> members_; ///< indices of the matches that count: the rows of all matrices
    Matrix pattern_, weights_;
    std::vector<int> componentOf_, sizes_;
};

} // namespace

SpectralReport judgeSpectrally(std::span<const Vec3> points, std::span<const Vec3> displacements,
                               std::span<const unsigned char> counts, const NeighborTable& table,
                               const SpectralSettings& settings, std::span<unsigned char> agrees,
                               const ExecContext& ctx) {
    std::ranges::copy(counts, agrees.begin());
    return Spectrum(points, displacements, counts, table, settings, ctx).judge(agrees);
}

} // namespace systole
