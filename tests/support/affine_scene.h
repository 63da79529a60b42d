// A smooth scene in space and its images on any grid, for tests of registration: the fixed image
// shows at p what the moving one shows at map(p).
#pragma once

#include "compute/core/affine_map.h"
#include "compute/core/geometry.h"
#include "compute/core/random.h"
#include "compute/core/volume.h"

#include <cmath>
#include <numbers>
#include <vector>

namespace systole::test {

/// Gaussian blobs in a ball around the origin of space.
class BlobScene {
public:
    explicit BlobScene(std::uint64_t seed, double radiusMillimeters = 50, int blobs = 80) {
        for (int i = 0; static_cast<int>(blobs_.size()) < blobs; ++i) {
            const auto uniform = [&](std::uint64_t stream) {
                return static_cast<double>(uniformFloat(static_cast<std::uint32_t>(
                    randomBits(seed, stream, static_cast<std::uint64_t>(i)))));
            };
            const Vec3 center{radiusMillimeters * (2 * uniform(0) - 1),
                              radiusMillimeters * (2 * uniform(1) - 1),
                              radiusMillimeters * (2 * uniform(2) - 1)};
            if (length(center) < radiusMillimeters)
                blobs_.push_back({center, 3 + 6 * uniform(3), 40 + 160 * uniform(4)});
        }
    }
    double operator()(Vec3 p) const {
        double sum = 20;
        for (const Blob& b : blobs_) {
            const Vec3 d = p - b.center;
            const double square = dot(d, d) / (b.sigma * b.sigma);
            if (square < 40)
                sum += b.height * std::exp(-0.5 * square);
        }
        return sum;
    }
    /// scene(map(p)) at every voxel's position p.
    std::vector<float> image(const Geometry& grid, const AffineMap& map = {}) const {
        std::vector<float> voxels;
        voxels.reserve(grid.voxels());
        for (int z = 0; z < grid.size().z; ++z)
            for (int y = 0; y < grid.size().y; ++y)
                for (int x = 0; x < grid.size().x; ++x)
                    voxels.push_back(static_cast<float>((*this)(
                        map(grid.indexToPhysical({static_cast<double>(x), static_cast<double>(y),
                                                  static_cast<double>(z)})))));
        return voxels;
    }

private:
    struct Blob {
        Vec3 center;
        double sigma, height;
    };
    std::vector<Blob> blobs_;
};

/// A grid of voxels of this size around the origin of space.
inline Geometry centeredGrid(Size3 size, Vec3 spacing, const Matrix3& direction = identity3) {
    const Geometry atOrigin(size, spacing, {}, direction);
    return Geometry(size, spacing, -1.0 * atOrigin.center(), direction);
}

/// A rotation by degrees about an axis (any length), times scales along the axes of space.
inline Matrix3 turned(double degrees, Vec3 axis, Vec3 scale = {1, 1, 1}) {
    const Vec3 n = (1 / length(axis)) * axis;
    const double a = degrees * std::numbers::pi / 180, c = std::cos(a), s = std::sin(a);
    Matrix3 m{};
    const double cross[3][3] = {{0, -n.z, n.y}, {n.z, 0, -n.x}, {-n.y, n.x, 0}};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            m[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] =
                ((i == j ? c : 0) + (1 - c) * n[i] * n[j] + s * cross[i][j]) * scale[j];
    return m;
}

/// The largest distance between two maps over the points ±radius along every diagonal, mm.
inline double largestDistance(const AffineMap& a, const AffineMap& b, double radius) {
    double largest = 0;
    for (int corner = 0; corner < 8; ++corner) {
        const Vec3 p{corner & 1 ? radius : -radius, corner & 2 ? radius : -radius,
                     corner & 4 ? radius : -radius};
        largest = std::max(largest, length(a(p) - b(p)));
    }
    return largest;
}

} // namespace systole::test
