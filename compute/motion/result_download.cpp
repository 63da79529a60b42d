#include "compute/motion/result_download.h"

#include "compute/core/error.h"
#include "compute/cuda/context.h"

namespace systole {
namespace {

/// Pinned host memory for fast copies if available, else pageable memory.
template <typename Make>
auto pinnedElsePlain(const ExecContext& ctx, const Make& make) {
    try {
        return make(ctx.cuda->pinnedPool());
    } catch (const OutOfMemory&) {
        return make(*ctx.pool);
    }
}

} // namespace

void bringToHost(FrameResult& result, const ExecContext& ctx) {
    const DeviceResult& device = *result.device;
    const std::size_t frameBytes = device.warped->voxels.size() * sizeof(float);
    const ScopedSpan span(ctx.profile, "download", "field and warped frame",
                          static_cast<double>(4 * frameBytes));
    const Geometry& geometry = device.field->geometry;
    const auto field = pinnedElsePlain(ctx, [&](BufferPool& pool) {
        return std::make_shared<VectorField>(geometry, pool, "motion of a frame");
    });
    const auto warped = pinnedElsePlain(ctx, [&](BufferPool& pool) {
        return std::make_shared<Volume>(geometry, pool, "warped frame of a result");
    });
    warped->timeSeconds = device.warped->timeSeconds;
    ctx.cuda->download(device.field->components.data(), field->components.data(), 3 * frameBytes,
                       CudaStream::Compute);
    ctx.cuda->download(device.warped->voxels.data(), warped->voxels.data(), frameBytes,
                       CudaStream::Compute);
    ctx.cuda->synchronize(CudaStream::Compute);
    result.field = field;
    result.warped = warped;
}

} // namespace systole
