#include "compute/motion/composed_motion.h"

#include "compute/core/error.h"
#include "compute/cuda/context.h"
#include "compute/ops/resample.h"
#include "compute/ops/weighted_sum.h"

namespace systole {
namespace {

void composeOnDevice(const VectorField& total, const VectorField& step, VectorField& out,
                     const ExecContext& ctx) {
    CudaContext& cuda = *ctx.cuda;
    VectorField moved(total.geometry, cuda.devicePool(), "motion of a frame");
    cuda.waitFor(CudaStream::Compute, total.ready);
    cuda.waitFor(CudaStream::Compute, step.ready);
    if constexpr (cudaIsBuilt) { // contexts exist only in builds with CUDA
        for (int axis = 0; axis < 3; ++axis)
            warpVolumeOnDevice(step.view().componentView(axis), total.view(),
                               moved.view().componentView(axis), ctx);
        const Summand summands[] = {{moved.components.span(), 1}, {total.components.span(), 1}};
        weightedSumOnDevice(summands, out.components.span(), ctx);
    }
    cuda.synchronize(CudaStream::Compute);
}

} // namespace

VectorField composedMotion(const VectorField& total, const VectorField& step,
                           const ExecContext& ctx) {
    const bool onDevice = total.components.space() == MemorySpace::Device;
    if (!total.geometry.matches(step.geometry) ||
        total.components.space() != step.components.space())
        throw ComputeError("fields to be composed must lie on one grid and in one memory");
    VectorField out(total.geometry, onDevice ? ctx.cuda->devicePool() : *ctx.pool,
                    "motion of a frame");
    // composeFields adds its second argument and samples its first at the displaced position.
    if (onDevice)
        composeOnDevice(total, step, out, ctx);
    else
        composeFields(step.view(), total.view(), out.view(), ctx);
    return out;
}

} // namespace systole
