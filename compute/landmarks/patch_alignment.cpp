#include "compute/landmarks/patch_alignment.h"

#include "compute/core/voxel.h"
#include "compute/ops/sample_cubic.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <cmath>
#include <vector>

namespace systole {
namespace {

constexpr int alignmentsPerChunk = 8;
constexpr double near = 0.05, converged = 1e-3; ///< voxels
constexpr int cubicSteps = 4;

/// The patch of one point.
class Patch {
public:
    Patch(VolumeView<const float> fixed, VolumeView<const float> moving,
          const PatchAlignment& settings)
        : fixed_(fixed), moving_(moving), settings_(settings) {
        const Size3 r = settings.radius;
        const auto gauss = [](int k, int radius) {
            const double t = 2.0 * k / radius;
            return std::exp(-0.5 * t * t);
        };
        for (int z = -r.z; z <= r.z; ++z)
            for (int y = -r.y; y <= r.y; ++y)
                for (int x = -r.x; x <= r.x; ++x) {
                    offsets_.push_back({x, y, z});
                    weights_.push_back(gauss(x, r.x) * gauss(y, r.y) * gauss(z, r.z));
                }
        values_.resize(offsets_.size());
        gradients_.resize(offsets_.size());
    }

    /// Returns whether the displacement was moved. Trilinear values bring it near, cubic ones,
    /// which keep their contrast between voxels, to the place.
    bool align(Voxel point, Vec3& displacement) {
        describe(point);
        Eigen::Vector3d moved(0, 0, 0);
        bool cubic = false;
        for (int step = 0; step < settings_.steps; ++step) {
            const Eigen::Vector3d by = normal_.solve(slope(
                {displacement.x + moved(0), displacement.y + moved(1), displacement.z + moved(2)},
                point, cubic));
            moved -= by;
            const double length = by.cwiseAbs().maxCoeff();
            if (!(moved.cwiseAbs().maxCoeff() <= settings_.farthest))
                return false;
            if (cubic && length < converged)
                break;
            cubic = cubic || length < near || step + cubicSteps >= settings_.steps;
        }
        displacement = displacement + Vec3{moved(0), moved(1), moved(2)};
        return true;
    }

private:
    static float at(VolumeView<const float> frame, Voxel p) {
        const Size3 size = frame.size;
        return frame(clampedIndex(p.x, size.x), clampedIndex(p.y, size.y),
                     clampedIndex(p.z, size.z));
    }

    /// Gray values and gradients around the point, and their products.
    void describe(Voxel point) {
        Eigen::Matrix3d products = Eigen::Matrix3d::Zero();
        Eigen::Vector3d mean = Eigen::Vector3d::Zero();
        double sum = 0;
        for (std::size_t k = 0; k < offsets_.size(); ++k) {
            const Voxel p = point + offsets_[k];
            values_[k] = at(fixed_, p);
            for (int axis = 0; axis < 3; ++axis)
                gradients_[k](axis) = 0.5 * (static_cast<double>(at(fixed_, p.moved(axis, 1))) -
                                             static_cast<double>(at(fixed_, p.moved(axis, -1))));
            mean += weights_[k] * gradients_[k];
            sum += weights_[k];
        }
        mean /= sum;
        for (std::size_t k = 0; k < offsets_.size(); ++k) {
            gradients_[k] -= mean; // the means of the gray values are taken off, too
            products += weights_[k] * gradients_[k] * gradients_[k].transpose();
        }
        // Directions without structure stay where they were.
        products.diagonal().array() += 1e-3 * products.trace() / 3 + 1e-12;
        normal_.compute(products);
    }

    /// Half the derivative of the sum of squares by the displacement.
    Eigen::Vector3d slope(Vec3 displacement, Voxel point, bool cubic) const {
        const Size3 size = moving_.size;
        Eigen::Vector3d sum = Eigen::Vector3d::Zero();
        const auto read = [this](int x, int y, int z) { return moving_(x, y, z); };
        for (std::size_t k = 0; k < offsets_.size(); ++k) {
            const Voxel p = point + offsets_[k];
            const auto x = static_cast<float>(p.x + displacement.x),
                       y = static_cast<float>(p.y + displacement.y),
                       z = static_cast<float>(p.z + displacement.z);
            const float there = cubic ? cubicSample(size, x, y, z, read)
                                      : TrilinearSample(size, x, y, z).of(moving_.data);
            const double difference = static_cast<double>(there) - static_cast<double>(values_[k]);
            // Gradients without their mean: the mean of the differences drops out.
            sum += weights_[k] * difference * gradients_[k];
        }
        return sum;
    }

    VolumeView<const float> fixed_, moving_;
    const PatchAlignment& settings_;
    std::vector<Voxel> offsets_;
    std::vector<double> weights_;
    std::vector<float> values_;
    std::vector<Eigen::Vector3d> gradients_;
    Eigen::LDLT<Eigen::Matrix3d> normal_;
};

} // namespace

int alignPatches(VolumeView<const float> fixed, VolumeView<const float> moving,
                 std::span<const Vec3> points, const PatchAlignment& settings,
                 std::span<Vec3> displacements, const ExecContext& ctx) {
    const double aligned = parallelSum(
        ctx, static_cast<int>(points.size()), alignmentsPerChunk, [&](int begin, int end) {
            ctx.throwIfCancelled();
            Patch patch(fixed, moving, settings);
            double count = 0;
            for (int i = begin; i < end; ++i) {
                const Vec3 p = points[static_cast<std::size_t>(i)];
                const Voxel voxel{static_cast<int>(std::lround(p.x)),
                                  static_cast<int>(std::lround(p.y)),
                                  static_cast<int>(std::lround(p.z))};
                count += patch.align(voxel, displacements[static_cast<std::size_t>(i)]);
            }
            return count;
        });
    return static_cast<int>(aligned);
}

} // namespace systole
