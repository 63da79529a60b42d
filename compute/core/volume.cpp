#include "compute/core/volume.h"

#include <algorithm>

namespace systole {

void copy(FieldView<const float> from, FieldView<float> to) {
    for (int axis = 0; axis < 3; ++axis)
        std::copy_n(from.component(axis), from.size.voxels(), to.component(axis));
}

MillimeterField toMillimeters(const VectorField& field, BufferPool& pool) {
    const std::size_t voxels = field.geometry.voxels();
    MillimeterField result{field.geometry, pool.acquire<float>(3 * voxels, "field in mm")};
    const FieldView<const float> in = field.view();
    float* out = result.vectors.data();
    for (std::size_t i = 0; i < voxels; ++i) {
        const Vec3 mm = field.geometry.voxelVectorToPhysical({in.u[i], in.v[i], in.w[i]});
        for (int axis = 0; axis < 3; ++axis)
            out[3 * i + static_cast<std::size_t>(axis)] = static_cast<float>(mm[axis]);
    }
    return result;
}

VectorField toVoxels(const MillimeterField& field, BufferPool& pool) {
    VectorField result(field.geometry, pool, "field in voxels");
    const FieldView<float> out = result.view();
    const float* in = field.vectors.data();
    for (std::size_t i = 0; i < field.geometry.voxels(); ++i) {
        const Vec3 v =
            field.geometry.physicalVectorToVoxel({in[3 * i], in[3 * i + 1], in[3 * i + 2]});
        out.u[i] = static_cast<float>(v.x);
        out.v[i] = static_cast<float>(v.y);
        out.w[i] = static_cast<float>(v.z);
    }
    return result;
}

} // namespace systole
