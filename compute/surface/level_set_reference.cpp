#include "compute/surface/level_set_reference.h"

#include "compute/ops/over_voxels.h"
#include "compute/surface/level_set_math.h"

namespace systole {

void levelSetStepReference(VolumeView<const float> phi, const LevelSetForce& force, float spacing,
                           float time, VolumeView<float> out, const ExecContext& ctx) {
    overVoxels(phi.size, ctx, [&](int x, int y, int z) {
        const float here = phi(x, y, z);
        float speed = force.data(x, y, z);
        if (!force.prior.empty())
            speed += force.priorWeight *
                     front::pullTowards(force.prior(x, y, z), here, force.priorSoftness);
        out(x, y, z) = std::abs(here) > levelSetBand * spacing
                           ? here
                           : front::moved(phi, x, y, z, spacing, speed, force.smoothness, time);
    });
}

} // namespace systole
