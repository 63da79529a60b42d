#include "compute/landmarks/agreement.h"

#include "compute/core/median.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <numeric>
#include <utility>

namespace systole {
namespace {

constexpr int fitsPerChunk = 32;
constexpr int refits = 3;

/// The neighbors of one point that count.
struct Neighborhood {
    std::vector<Vec3> offsets; ///< offsets from the point
    std::vector<Vec3> displacements;
    std::vector<double> residuals; ///< scratch

    double medianResidual(const auto& prediction) {
        residuals.resize(offsets.size());
        for (std::size_t i = 0; i < offsets.size(); ++i)
            residuals[i] = length(displacements[i] - prediction(offsets[i]));
        return median(residuals);
    }
};

/// Median by component.
Vec3 medianDisplacement(const Neighborhood& near) {
    Vec3 middle;
    std::vector<double> values(near.displacements.size());
    for (int axis = 0; axis < 3; ++axis) {
        std::ranges::transform(near.displacements, values.begin(),
                               [axis](const Vec3& d) { return d[axis]; });
        middle[axis] = median(values);
    }
    return middle;
}

/// d(offset) = constant + gradient · offset.
struct AffineMotion {
    Eigen::Matrix<double, 4, 3> coefficients; ///< rows: constant, slopes along x, y, z
    Vec3 operator()(Vec3 offset) const {
        const Eigen::RowVector4d basis(1, offset.x, offset.y, offset.z);
        const Eigen::RowVector3d d = basis * coefficients;
        return {d[0], d[1], d[2]};
    }
};

/// Weights 1 / (1 + (r / scale)²) (Cauchy) against the fit before, the median at first. A ridge on
/// the gradient, of a hundredth of the neighbors' spread, settles what points in a plane leave
/// open.
AffineMotion fitAffine(Neighborhood& near, Vec3 middle, double tolerance) {
    AffineMotion fit;
    fit.coefficients.setZero();
    fit.coefficients.row(0) << middle.x, middle.y, middle.z;
    for (int round = 0; round < refits; ++round) {
        const double scale = near.medianResidual(fit) + tolerance;
        Eigen::Matrix4d normal = Eigen::Matrix4d::Zero();
        Eigen::Matrix<double, 4, 3> right = Eigen::Matrix<double, 4, 3>::Zero();
        for (std::size_t i = 0; i < near.offsets.size(); ++i) {
            const double r = near.residuals[i] / scale, weight = 1 / (1 + r * r);
            const Vec3 o = near.offsets[i], d = near.displacements[i];
            const Eigen::Vector4d basis(1, o.x, o.y, o.z);
            normal += weight * basis * basis.transpose();
            right += weight * basis * Eigen::RowVector3d(d.x, d.y, d.z);
        }
        const double spread = normal.diagonal().tail<3>().sum();
        normal.diagonal().tail<3>().array() += 0.01 * spread + 1e-12;
        fit.coefficients = normal.ldlt().solve(right);
    }
    return fit;
}

bool agreesWith(Neighborhood& near, Vec3 displacement, const AgreementSettings& settings) {
    const auto normalized = [&](const auto& prediction) {
        return length(displacement - prediction(Vec3{})) /
               (near.medianResidual(prediction) + settings.tolerance);
    };
    const Vec3 middle = medianDisplacement(near);
    if (normalized([&](Vec3) { return middle; }) <= settings.threshold)
        return true;
    return normalized(fitAffine(near, middle, settings.tolerance)) <= settings.threshold;
}

} // namespace

NeighborTable nearestNeighbors(std::span<const Vec3> points, int count, const ExecContext& ctx) {
    const int n = static_cast<int>(points.size());
    NeighborTable table;
    table.stride = std::max(std::min(count, n - 1), 0);
    if (table.stride == 0)
        return table;
    table.indices.resize(points.size() * static_cast<std::size_t>(table.stride));
    // Points in the order of x: the search goes outwards and ends where x alone is too far.
    std::vector<int> order(points.size());
    std::iota(order.begin(), order.end(), 0);
    const auto point = [&](int i) { return points[static_cast<std::size_t>(i)]; };
    std::ranges::sort(order, {}, [&](int i) { return std::pair(point(i).x, i); });
    parallelFor(ctx, n, fitsPerChunk, [&](int begin, int end) {
        ctx.throwIfCancelled();
        using Near = std::pair<double, int>; // squared distance, index
        std::vector<Near> heap;              // the farthest on top
        for (int rank = begin; rank < end; ++rank) {
            const int i = order[static_cast<std::size_t>(rank)];
            heap.clear();
            const auto full = [&] { return static_cast<int>(heap.size()) == table.stride; };
            /// False if no farther point can be nearer than those found.
            const auto offer = [&](int other) {
                const int j = order[static_cast<std::size_t>(other)];
                const Vec3 apart = point(j) - point(i);
                if (full() && apart.x * apart.x > heap.front().first)
                    return false;
                const Near candidate{dot(apart, apart), j};
                if (full() && candidate >= heap.front())
                    return true;
                if (full()) {
                    std::ranges::pop_heap(heap);
                    heap.pop_back();
                }
                heap.push_back(candidate);
                std::ranges::push_heap(heap);
                return true;
            };
            int below = rank - 1, above = rank + 1;
            while (below >= 0 || above < n) {
                if (below >= 0)
                    below = offer(below) ? below - 1 : -1;
                if (above < n)
                    above = offer(above) ? above + 1 : n;
            }
            std::ranges::sort_heap(heap);
            int* out = table.indices.data() + std::ptrdiff_t{i} * table.stride;
            for (const Near& near : heap)
                *out++ = near.second;
        }
    });
    return table;
}

void judgeAgreement(std::span<const Vec3> points, std::span<const Vec3> displacements,
                    std::span<const unsigned char> counts, const NeighborTable& table,
                    const AgreementSettings& settings, std::span<unsigned char> agrees,
                    const ExecContext& ctx) {
    // Twice: the second time without those that the first one rejected, who may have misled it.
    std::vector<unsigned char> trusted(counts.begin(), counts.end());
    for (int round = 0; round < 2; ++round) {
        parallelFor(ctx, static_cast<int>(points.size()), fitsPerChunk, [&](int begin, int end) {
            ctx.throwIfCancelled();
            Neighborhood near;
            for (int i = begin; i < end; ++i) {
                const auto at = static_cast<std::size_t>(i);
                agrees[at] = counts[at];
                if (!counts[at])
                    continue;
                near.offsets.clear();
                near.displacements.clear();
                for (const int j : table.of(i)) {
                    const auto other = static_cast<std::size_t>(j);
                    if (!trusted[other])
                        continue;
                    near.offsets.push_back(points[other] - points[at]);
                    near.displacements.push_back(displacements[other]);
                    if (static_cast<int>(near.offsets.size()) == settings.neighbors)
                        break;
                }
                if (static_cast<int>(near.offsets.size()) >= settings.fewestNeighbors)
                    agrees[at] = agreesWith(near, displacements[at], settings);
            }
        });
        std::ranges::copy(agrees, trusted.begin());
    }
}

} // namespace systole
