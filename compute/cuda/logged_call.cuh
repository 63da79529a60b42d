// A call that launches kernels on a context's compute stream, logged as its caller wants; for .cu
// files alone.
#pragma once

#include "compute/core/exec.h"
#include "compute/cuda/launch.cuh"

namespace systole {

/// body(log) within one stage, with the block sizes of the context. Where the context has
/// a profile, waits for the device and adds what was launched; else only enqueues.
template <typename Body>
void loggedCall(const ExecContext& ctx, const char* stage, const Body& body) {
    LaunchLog log(*ctx.cuda, !ctx.profile         ? LaunchLog::Timing::None
                             : ctx.profileKernels ? LaunchLog::Timing::Kernels
                                                  : LaunchLog::Timing::Stages);
    if (ctx.blockSizes)
        log.setBlockSizes(*ctx.blockSizes);
    {
        const LaunchLog::Stage marked(log, stage);
        body(log);
    }
    if (ctx.profile) {
        ctx.cuda->synchronize(CudaStream::Compute);
        log.resolve(*ctx.profile);
    }
}

} // namespace systole
