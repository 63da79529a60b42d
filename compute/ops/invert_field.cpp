#include "compute/ops/invert_field.h"

#include "compute/core/affine_map.h"
#include "compute/core/error.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/sample.h"
#include "compute/ops/two_grids.h"

#include <Eigen/Dense>

#include <algorithm>
#include <array>
#include <cmath>

namespace systole {
namespace {

/// T(x) = x + d(x) in voxels as an affine map and what deviates from it.
class ForwardMap {
public:
    explicit ForwardMap(FieldView<const float> field) : field_(field), fit_(fit(field)) {
        const std::optional<AffineMap> inverse = AffineMap{fit_.matrix, {}}.inverse();
        if (!inverse || std::abs(determinant(fit_.matrix)) < 1e-6)
            throw ComputeError("the displacement has no inverse: it squeezes space flat");
        inverse_ = inverse->matrix;
    }

    Vec3 operator()(Vec3 x) const {
        Vec3 inside;
        for (int axis = 0; axis < 3; ++axis)
            inside[axis] = std::clamp(x[axis], 0.0, field_.size[axis] - 1.0);
        const TrilinearSample sample(field_.size, static_cast<float>(inside.x),
                                     static_cast<float>(inside.y), static_cast<float>(inside.z));
        const Vec3 displacement{static_cast<double>(sample.of(field_.u)),
                                static_cast<double>(sample.of(field_.v)),
                                static_cast<double>(sample.of(field_.w))};
        return inside + displacement + fit_.matrix * (x - inside);
    }
    /// Where the affine map takes y back to.
    Vec3 start(Vec3 y) const { return inverse_ * (y - fit_.offset); }
    Vec3 step(Vec3 error) const { return inverse_ * error; }
    /// The same by the derivatives of T at x, where they can be inverted.
    Vec3 localStep(Vec3 x, Vec3 error) const {
        constexpr double half = 0.5;
        AffineMap local;
        for (std::size_t column = 0; column < 3; ++column) {
            Vec3 along;
            along[static_cast<int>(column)] = half;
            const Vec3 derivative = (*this)(x + along) - (*this)(x - along);
            for (std::size_t row = 0; row < 3; ++row)
                local.matrix[row][column] = derivative[static_cast<int>(row)];
        }
        constexpr double flattest = 1e-3;
        if (std::abs(determinant(local.matrix)) < flattest)
            return step(error);
        return local.inverse()->matrix * error;
    }
    bool covers(Vec3 x) const {
        for (int axis = 0; axis < 3; ++axis)
            if (!(x[axis] >= -0.5 && x[axis] <= field_.size[axis] - 0.5))
                return false;
        return true;
    }

private:
    /// Least squares over the voxels of a coarse lattice; an axis of one voxel keeps its unit.
    static AffineMap fit(FieldView<const float> field) {
        constexpr int mostPerAxis = 32;
        Eigen::Matrix4d normal = Eigen::Matrix4d::Zero();
        Eigen::Matrix<double, 4, 3> right = Eigen::Matrix<double, 4, 3>::Zero();
        const auto stride = [](int n) { return std::max(1, n / mostPerAxis); };
        for (int z = 0; z < field.size.z; z += stride(field.size.z))
            for (int y = 0; y < field.size.y; y += stride(field.size.y))
                for (int x = 0; x < field.size.x; x += stride(field.size.x)) {
                    const std::size_t i = field.componentView(0).offset(x, y, z);
                    const Eigen::Vector4d at(x, y, z, 1);
                    const Eigen::RowVector3d displacement(static_cast<double>(field.u[i]),
                                                          static_cast<double>(field.v[i]),
                                                          static_cast<double>(field.w[i]));
                    normal += at * at.transpose();
                    right += at * displacement;
                }
        const Eigen::Matrix<double, 4, 3> solved =
            normal.completeOrthogonalDecomposition().solve(right);
        AffineMap map;
        for (int row = 0; row < 3; ++row) {
            for (int column = 0; column < 3; ++column)
                map.matrix[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] =
                    solved(column, row) + (row == column ? 1 : 0);
            map.offset[row] = solved(3, row);
        }
        return map;
    }

    FieldView<const float> field_;
    AffineMap fit_;
    Matrix3 inverse_{};
};

/// Moves towards T(x) = y, voxel by voxel of the target.
class Inversion {
public:
    Inversion(const ForwardMap& map, const Geometry& grid, Vec3 y, const InverseOptions& options)
        : x(map.start(y)), map_(map), grid_(grid), y_(y), options_(options) {
        error_ = map_(x) - y_;
        error = millimeters(error_);
    }

    /// Steps x ← x − part · step(error), the part halved while the error would grow, until the
    /// error is within the tolerance or no part helps.
    template <typename Step>
    void descend(const Step& step) {
        constexpr double smallestPart = 1.0 / 16;
        double part = 1;
        for (int n = 0; error > options_.tolerance && n < options_.mostIterations; ++n) {
            ++iterations;
            const Vec3 to = x - part * step(error_);
            const Vec3 remaining = map_(to) - y_;
            if (millimeters(remaining) < error) {
                x = to;
                error_ = remaining;
                error = millimeters(remaining);
                part = std::min(1.0, 2 * part);
            } else if (part > smallestPart) {
                part /= 2;
            } else {
                return;
            }
        }
    }

    Vec3 x;           ///< voxels of the forward grid
    double error = 0; ///< mm
    int iterations = 0;

private:
    double millimeters(Vec3 voxels) const { return length(grid_.voxelVectorToPhysical(voxels)); }

    const ForwardMap& map_;
    const Geometry& grid_;
    Vec3 y_, error_;
    const InverseOptions& options_;
};

Inversion solve(const ForwardMap& map, const Geometry& grid, Vec3 y,
                const InverseOptions& options) {
    Inversion at(map, grid, y, options);
    at.descend([&](Vec3 error) { return map.step(error); });
    at.descend([&](Vec3 error) { return map.localStep(at.x, error); });
    return at;
}

/// The report of one plane; planes are added in their order.
struct PlaneReport {
    std::size_t inside = 0, converged = 0;
    double sum = 0, largest = 0;
    int iterations = 0;
};

} // namespace

InverseField invertField(const VectorField& forward, const Geometry& target,
                         const InverseOptions& options, const ExecContext& ctx) {
    const ForwardMap map(forward.view());
    const Geometry& grid = forward.geometry;
    const IndexAffine toFixed = indexAffine(target, grid);
    const Size3 size = target.size();
    InverseField inverse{
        {target, ctx.pool->acquire<float>(3 * target.voxels(), "inverse field in mm")}, {}};
    float* const vectors = inverse.field.vectors.data();
    std::vector<PlaneReport> planes(static_cast<std::size_t>(size.z));
    parallelFor(ctx, size.z, 1, [&](int begin, int end) {
        for (int z = begin; z < end; ++z) {
            PlaneReport& plane = planes[static_cast<std::size_t>(z)];
            for (int y = 0; y < size.y; ++y) {
                ctx.throwIfCancelled();
                for (int x = 0; x < size.x; ++x) {
                    const Vec3 at = toFixed(
                        {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
                    const Inversion solved = solve(map, grid, at, options);
                    const Vec3 back = grid.voxelVectorToPhysical(solved.x - at);
                    const std::size_t i = VolumeView<const float>(nullptr, size).offset(x, y, z);
                    for (std::size_t axis = 0; axis < 3; ++axis)
                        vectors[3 * i + axis] = static_cast<float>(back[static_cast<int>(axis)]);
                    if (!map.covers(solved.x))
                        continue;
                    ++plane.inside;
                    plane.converged += solved.error <= options.tolerance;
                    plane.sum += solved.error;
                    plane.largest = std::max(plane.largest, solved.error);
                    plane.iterations = std::max(plane.iterations, solved.iterations);
                }
            }
        }
    });
    InverseReport& report = inverse.report;
    for (const PlaneReport& plane : planes) {
        report.inside += plane.inside;
        report.converged += plane.converged;
        report.meanError += plane.sum;
        report.largestError = std::max(report.largestError, plane.largest);
        report.iterations = std::max(report.iterations, plane.iterations);
    }
    if (report.inside > 0)
        report.meanError /= static_cast<double>(report.inside);
    return inverse;
}

} // namespace systole
