#include "compute/methods/ffd/image_pyramid.h"

#include "compute/ops/resample.h"
#include "compute/ops/row_kernels.h"

#include <algorithm>

namespace systole {

void ImagePyramid::build(VolumeView<const float> gray, const GrayMapping& mapping,
                         const ExecContext& ctx) {
    const VolumeView<float> finest = image(0);
    parallelFor(ctx, gray.size.z, 2, [&](int begin, int end) {
        const std::size_t first = gray.offset(0, 0, begin);
        rows::affine(gray.data + first, mapping.scale, mapping.offset,
                     static_cast<int>(gray.offset(0, 0, end) - first), finest.data + first);
    });
    for (std::size_t n = 1; n < levels_.size(); ++n) {
        ctx.throwIfCancelled();
        decimate(image(n - 1), levels_[n].factor, image(n), ctx);
    }
}

void ImagePyramid::buildMask(VolumeView<const float> mask, const ExecContext& ctx) {
    hasMask_ = true;
    std::copy_n(mask.data, mask.voxels(), this->mask(0).data);
    for (std::size_t n = 1; n < levels_.size(); ++n)
        decimate(this->mask(n - 1), levels_[n].factor, this->mask(n), ctx);
}

} // namespace systole
