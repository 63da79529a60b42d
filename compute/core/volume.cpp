#include "compute/core/volume.h"

#include <algorithm>
#include <array>

namespace systole {
namespace {

/// The product of a row of a matrix and a vector, as operator* makes it.
double rowTimes(const std::array<double, 3>& row, const Vec3& v) {
    return row[0] * v.x + row[1] * v.y + row[2] * v.z;
}

} // namespace

void copy(FieldView<const float> from, FieldView<float> to) {
    for (int axis = 0; axis < 3; ++axis)
        std::copy_n(from.component(axis), from.size.voxels(), to.component(axis));
}

MillimeterField toMillimeters(const VectorField& field, BufferPool& pool) {
    const std::size_t voxels = field.geometry.voxels();
    MillimeterField result{field.geometry, pool.acquire<float>(3 * voxels, "field in mm")};
    const FieldView<const float> in = field.view();
    const Matrix3 matrix = field.geometry.voxelToPhysicalMatrix();
    float* out = result.vectors.data();
    for (std::size_t i = 0; i < voxels; ++i) {
        const Vec3 v{in.u[i], in.v[i], in.w[i]};
        for (std::size_t axis = 0; axis < 3; ++axis)
            out[3 * i + axis] = static_cast<float>(rowTimes(matrix[axis], v));
    }
    return result;
}

VectorField toVoxels(const MillimeterField& field, BufferPool& pool) {
    VectorField result(field.geometry, pool, "field in voxels");
    const FieldView<float> out = result.view();
    const Matrix3 matrix = field.geometry.physicalToVoxelMatrix();
    const float* in = field.vectors.data();
    const std::size_t voxels = field.geometry.voxels();
    for (std::size_t i = 0; i < voxels; ++i) {
        const Vec3 mm{in[3 * i], in[3 * i + 1], in[3 * i + 2]};
        out.u[i] = static_cast<float>(rowTimes(matrix[0], mm));
        out.v[i] = static_cast<float>(rowTimes(matrix[1], mm));
        out.w[i] = static_cast<float>(rowTimes(matrix[2], mm));
    }
    return result;
}

} // namespace systole
