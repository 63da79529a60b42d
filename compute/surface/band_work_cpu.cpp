#include "compute/ops/over_voxels.h"
#include "compute/surface/band_work.h"
#include "compute/surface/band_work_math.h"

#include <cmath>

namespace systole {

void patchRests(VolumeView<const float> phi, float delta, VolumeView<float> rest,
                const ExecContext& ctx) {
    overVoxels(phi.size, ctx, [&](int x, int y, int z) {
        rest(x, y, z) = std::abs(phi(x, y, z)) <= delta ? nlm::restOfPatch(phi, {x, y, z}) : 0.0f;
    });
}

} // namespace systole
