#include "compute/ops/resample_cuda.cuh"
#include "compute/ops/resample_device.h"

namespace systole {

void warpVolumeOnDevice(VolumeView<const float> moving, FieldView<const float> field,
                        VolumeView<float> out, const ExecContext& ctx) {
    LaunchLog log(*ctx.cuda, !ctx.profile         ? LaunchLog::Timing::None
                             : ctx.profileKernels ? LaunchLog::Timing::Kernels
                                                  : LaunchLog::Timing::Stages);
    {
        const LaunchLog::Stage stage(log, "warp");
        gpu::warpVolume(moving, field, out, log);
    }
    if (ctx.profile) {
        ctx.cuda->synchronize(CudaStream::Compute);
        log.resolve(*ctx.profile);
    }
}

} // namespace systole
