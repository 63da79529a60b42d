#include "compute/landmarks/frame_levels.h"

#include "compute/cuda/context.h"
#include "compute/ops/resample.h"
#include "compute/ops/row_kernels.h"

namespace systole::sest {
namespace {

void assignFeatures(VolumeView<const float> frame, float* planes, const ExecContext& ctx) {
    if constexpr (cudaIsBuilt) {
        Buffer<float> copy =
            ctx.cuda->devicePool().acquire<float>(frame.voxels(), "landmark frames");
        ctx.cuda->upload(frame.data, copy.data(), frame.voxels() * sizeof(float),
                         CudaStream::Compute);
        findFeaturesOnDevice({copy.data(), frame.size}, planes, ctx);
    }
}

} // namespace

FrameLevels::FrameLevels(const std::vector<PyramidLevel>& levels, const ExecContext& ctx)
    : levels_(levels) {
    for (const PyramidLevel& level : levels_) {
        if (ctx.backend == Backend::Cuda)
            features_.push_back(ctx.cuda->devicePool().acquire<float>(
                sest::features * level.size.voxels(), "landmark features"));
        else
            padded_.emplace_back(level.size, *ctx.pool);
        plain_.push_back(ctx.pool->acquire<float>(level.size.voxels(), "landmark frames"));
    }
}

void FrameLevels::assign(VolumeView<const float> frame, GrayMapping gray, const ExecContext& ctx) {
    const auto plain = [&](std::size_t level) {
        return VolumeView<float>(plain_[level].data(), levels_[level].size);
    };
    parallelFor(ctx, frame.size.z, 2, [&](int begin, int end) {
        const std::size_t first = frame.offset(0, 0, begin);
        rows::affine(frame.data + first, gray.scale, gray.offset,
                     static_cast<int>(frame.offset(0, 0, end) - first), plain_[0].data() + first);
    });
    for (std::size_t level = 0; level < levels_.size(); ++level) {
        ctx.throwIfCancelled();
        if (level > 0)
            decimate(plain(level - 1), levels_[level].factor, plain(level), ctx);
        if (onDevice())
            assignFeatures(plain(level), features_[level].data(), ctx);
        else
            padded_[level].assign(plain(level), ctx);
    }
}

} // namespace systole::sest
