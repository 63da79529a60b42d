#include "compute/ops/white_noise.h"

#include "compute/ops/over_voxels.h"

namespace systole {

float whiteNoise(VolumeView<const float> image, const ExecContext& ctx) {
    const WhiteNoiseFilter filter(image.size);
    return filter.variance(sumOverVoxels(image.size, ctx, [&](int x, int y, int z) {
        return filter.inside(x, y, z)
                   ? filter.square(filter.at<false>(image.data, image.offset(x, y, z)))
                   : 0.0;
    }));
}

} // namespace systole
