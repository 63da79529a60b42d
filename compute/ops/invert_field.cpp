#include "compute/ops/invert_field.h"

#include "compute/core/affine_map.h"
#include "compute/core/error.h"
#include "compute/core/points.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/sample_at.h"
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
        return inside + vectorAt(field_, inside) + fit_.matrix * (x - inside);
    }
    /// Where the affine map takes y back to.
    Vec3 start(Vec3 y) const { return inverse_ * (y - fit_.offset); }
    Vec3 step(Vec3 error) const { return inverse_ * error; }
    /// Newton's step by the derivatives of T at x, where they can be inverted.
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
    bool covers(Vec3 x) const { return isInside(x, field_.size); }

private:
    /// Least squares over the voxels of a coarse lattice; an axis of one voxel keeps its unit.
    static AffineMap fit(FieldView<const float> field) {
        constexpr int maxPerAxis = 32;
        Eigen::Matrix4d normal = Eigen::Matrix4d::Zero();
        Eigen::Matrix<double, 4, 3> right = Eigen::Matrix<double, 4, 3>::Zero();
        const auto stride = [](int n) { return std::max(1, n / maxPerAxis); };
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
        for (int n = 0; error > options_.tolerance && n < options_.maxIterations; ++n) {
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

/// The report of a plane; the errors are summed.
struct Part : InverseReport {
    void operator+=(const Part& other) {
        inside += other.inside;
        converged += other.converged;
        meanError += other.meanError;
        largestError = std::max(largestError, other.largestError);
        iterations = std::max(iterations, other.iterations);
    }
};

} // namespace

InverseField invertField(const VectorField& forward, const Geometry& target,
                         const InverseOptions& options, const ExecContext& ctx) {
    const ForwardMap map(forward.view());
    const Geometry& grid = forward.geometry;
    const AffineMap toFixed = indexAffine(target, grid);
    const VolumeView<const float> voxels(nullptr, target.size());
    InverseField inverse{
        {target, ctx.pool->acquire<float>(3 * target.voxels(), "inverse field in mm")}, {}};
    float* const vectors = inverse.field.vectors.data();
    const auto invert = [&](Part& plane, int x, int y, int z) {
        ctx.throwIfCancelled();
        const Vec3 at = toFixed(voxelPoint(x, y, z));
        const Inversion solved = solve(map, grid, at, options);
        const std::array<float, 3> back = narrowed(grid.voxelVectorToPhysical(solved.x - at));
        std::ranges::copy(back, vectors + 3 * voxels.offset(x, y, z));
        if (map.covers(solved.x))
            plane += {{1, solved.error <= options.tolerance, solved.error, solved.error,
                       solved.iterations}};
    };
    InverseReport& report = inverse.report;
    report = sumOverVoxels(voxels.size, ctx, Part{}, invert);
    if (report.inside > 0)
        report.meanError /= static_cast<double>(report.inside);
    return inverse;
}

} // namespace systole
