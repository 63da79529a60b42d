// Trilinear sampling (compute/ops/sample.h) at positions in double precision, in voxels.
#pragma once

#include "compute/core/volume.h"
#include "compute/ops/sample.h"

namespace systole {

inline TrilinearSample trilinearAt(Size3 size, Vec3 index) {
    return {size, static_cast<float>(index.x), static_cast<float>(index.y),
            static_cast<float>(index.z)};
}

inline float valueAt(VolumeView<const float> volume, Vec3 index) {
    return trilinearAt(volume.size, index).of(volume.data);
}

inline Vec3 vectorAt(FieldView<const float> field, Vec3 index) {
    const TrilinearSample sample = trilinearAt(field.size, index);
    return {sample.of(field.u), sample.of(field.v), sample.of(field.w)};
}

/// The vector of voxel i.
inline Vec3 vectorOf(FieldView<const float> field, std::size_t i) {
    return {field.u[i], field.v[i], field.w[i]};
}

} // namespace systole
