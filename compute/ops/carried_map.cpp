#include "compute/ops/carried_map.h"

#include "compute/ops/over_voxels.h"

#include <algorithm>

namespace systole {

void carryMap(FieldView<const float> motion, VolumeView<const float> map, const VoxelBox& box,
              VolumeView<float> out, const ExecContext& ctx) {
    std::ranges::fill(out.span(), 0.0f);
    overRows(box.size, 1, ctx, [&](int y, int z) {
        for (int x = 0; x < box.size.x; ++x)
            out(box.x + x, box.y + y, box.z + z) =
                carriedValue(motion, map.data, box.x + x, box.y + y, box.z + z);
    });
}

} // namespace systole
