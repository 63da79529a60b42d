#include "compute/lab/kernels/band_work.h"
#include "compute/ops/over_voxels.h"

#include <cmath>

namespace systole::lab {

void patchRests(VolumeView<const float> phi, float delta, VolumeView<float> rest,
                const ExecContext& ctx) {
    overVoxels(phi.size, ctx, [&](int x, int y, int z) {
        rest(x, y, z) = std::abs(phi(x, y, z)) <= delta ? restOfPatch(phi, {x, y, z}) : 0.0f;
    });
}

} // namespace systole::lab
