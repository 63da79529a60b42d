// From the voxels of an isosurface to LPS millimeters.
#pragma once

#include "compute/core/geometry.h"
#include "compute/core/triangle_mesh.h"
#include "compute/surface/isosurface_math.h"

#include <cmath>

namespace systole::iso {

/// Whether the index axes are left-handed: triangles then turn the other way.
inline bool isMirrored(const Matrix3& m) {
    const auto minor = [&](std::size_t a, std::size_t b) {
        return m[1][a] * m[2][b] - m[1][b] * m[2][a];
    };
    return m[0][0] * minor(1, 2) - m[0][1] * minor(0, 2) + m[0][2] * minor(0, 1) < 0;
}

class SurfaceFrame {
public:
    explicit SurfaceFrame(const Geometry& geometry)
        : geometry_(geometry), mirrored_(isMirrored(geometry.voxelToPhysicalMatrix())) {}

    bool mirrored() const { return mirrored_; }

    std::array<float, 3> pointOf(const SurfacePoint& point) const {
        return narrowed(geometry_.indexToPhysical(wide(point.index)));
    }

    /// Gradients turn with the inverse, transposed.
    std::array<float, 3> normalOf(const SurfacePoint& point) const {
        const Matrix3& inverse = geometry_.physicalToVoxelMatrix();
        const Vec3 g = wide(point.gradient);
        Vec3 normal;
        for (int i = 0; i < 3; ++i)
            for (int a = 0; a < 3; ++a)
                normal[i] +=
                    inverse[static_cast<std::size_t>(a)][static_cast<std::size_t>(i)] * g[a];
        return narrowed((1 / length(normal)) * normal);
    }

private:
    static Vec3 wide(const std::array<float, 3>& v) {
        return {static_cast<double>(v[0]), static_cast<double>(v[1]), static_cast<double>(v[2])};
    }
    static std::array<float, 3> narrowed(Vec3 v) {
        return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
    }

    const Geometry& geometry_;
    bool mirrored_;
};

} // namespace systole::iso
