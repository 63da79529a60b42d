// The warp of one voxel and its derivative: one formula for the plain loops and CUDA.
#pragma once

#include "compute/ops/index_map.h"
#include "compute/ops/sample.h"

namespace systole {

struct MovingPosition {
    float x, y, z;
};

/// Where map takes a point of the fixed grid.
constexpr MovingPosition movingPosition(const IndexMap& map, float x, float y, float z) {
    return {map.row(0, x, y, z), map.row(1, x, y, z), map.row(2, x, y, z)};
}

/// The derivative of the trilinear value at p along axis x, y or z of the moving grid; 0 beyond it.
struct TrilinearGradient {
    float x, y, z;

    constexpr TrilinearGradient(const float* voxels, Size3 size, MovingPosition p) {
        const TrilinearSample s(size, p.x, p.y, p.z);
        const auto mix = [](float a, float b, float t) { return a + t * (b - a); };
        const float* const near = voxels + s.offset;
        const float* const far = near + s.alongZ;
        const float* const rows[4] = {near, near + s.alongY, far, far + s.alongY};
        float along[4]{}, slope[4]{};
        for (int i = 0; i < 4; ++i) {
            slope[i] = rows[i][s.alongX] - rows[i][0];
            along[i] = rows[i][0] + s.partX * slope[i];
        }
        const auto within = [](float position, int n) {
            return position >= 0 && position <= static_cast<float>(n - 1);
        };
        x = within(p.x, size.x)
                ? mix(mix(slope[0], slope[1], s.partY), mix(slope[2], slope[3], s.partY), s.partZ)
                : 0.0f;
        y = within(p.y, size.y) ? mix(along[1] - along[0], along[3] - along[2], s.partZ) : 0.0f;
        z = within(p.z, size.z)
                ? mix(along[2], along[3], s.partY) - mix(along[0], along[1], s.partY)
                : 0.0f;
    }
};

} // namespace systole
