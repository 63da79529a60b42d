// Transform of an isosurface's points and normals from voxels to LPS millimeters.
#pragma once

#include "compute/core/affine_map.h"
#include "compute/core/points.h"
#include "compute/core/triangle_mesh.h"
#include "compute/surface/isosurface_math.h"

#include <cmath>

namespace systole::iso {

/// Whether the index axes are left-handed: triangles then turn the other way.
inline bool isMirrored(const Matrix3& m) { return determinant(m) < 0; }

class SurfaceFrame {
public:
    explicit SurfaceFrame(const Geometry& geometry)
        : geometry_(geometry), mirrored_(isMirrored(geometry.voxelToPhysicalMatrix())) {}

    bool mirrored() const { return mirrored_; }

    std::array<float, 3> pointOf(const SurfacePoint& point) const {
        return narrowed(geometry_.indexToPhysical(widened(point.index)));
    }

    /// Gradients turn with the inverse, transposed.
    std::array<float, 3> normalOf(const SurfacePoint& point) const {
        const Matrix3& inverse = geometry_.physicalToVoxelMatrix();
        const Vec3 g = widened(point.gradient);
        Vec3 normal;
        for (int i = 0; i < 3; ++i)
            for (int a = 0; a < 3; ++a)
                normal[i] +=
                    inverse[static_cast<std::size_t>(a)][static_cast<std::size_t>(i)] * g[a];
        return narrowed((1 / length(normal)) * normal);
    }

private:
    const Geometry& geometry_;
    bool mirrored_;
};

/// Matrices of a geometry in plain arrays, as kernels take them.
struct DeviceFrame {
    double toPhysical[3][3], toIndex[3][3], origin[3];
    bool mirrored;

    explicit DeviceFrame(const Geometry& geometry)
        : mirrored(isMirrored(geometry.voxelToPhysicalMatrix())) {
        const Vec3 zero = geometry.indexToPhysical({0, 0, 0});
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < 3; ++j) {
                toPhysical[i][j] = geometry.voxelToPhysicalMatrix()[i][j];
                toIndex[i][j] = geometry.physicalToVoxelMatrix()[i][j];
            }
            origin[i] = zero[static_cast<int>(i)];
        }
    }
};

} // namespace systole::iso
