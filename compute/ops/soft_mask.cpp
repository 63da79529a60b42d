#include "compute/ops/soft_mask.h"

#include "compute/ops/over_voxels.h"

#include <algorithm>

namespace systole {

void softMask(VolumeView<const float> labels, float label, VolumeView<float> out,
              const ExecContext& ctx) {
    const Size3 size = labels.size;
    constexpr float tap[3] = {0.125f, 0.75f, 0.125f};
    const auto clamped = [](int i, int n) { return std::clamp(i, 0, n - 1); };
    overVoxels(size, ctx, [&](int x, int y, int z) {
        float sum = 0;
        for (int c = 0; c < 3; ++c)
            for (int b = 0; b < 3; ++b)
                for (int a = 0; a < 3; ++a)
                    if (labels(clamped(x + a - 1, size.x), clamped(y + b - 1, size.y),
                               clamped(z + c - 1, size.z)) == label)
                        sum += tap[a] * tap[b] * tap[c];
        out(x, y, z) = sum;
    });
}

} // namespace systole
