// Launches whose blocks may be placed while the kernel before still runs (programmatic dependent
// launch), which hides most of what a launch costs; for .cu files only.
#pragma once

#include "compute/cuda/launch.cuh"

#include <initializer_list>

namespace systole::gpu {

#ifdef __CUDACC__

/// The first statement of a kernel that launchEarly() launches, in every thread: waits until the
/// kernel before has ended and what it wrote can be read, and lets the next one be placed.
__device__ inline void waitForKernelBefore() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

#endif

/// Whether what runs on such a device was compiled with the instructions of waitForKernelBefore():
/// code for an older one, which it also runs, has none and would read too early.
constexpr bool waitsForKernelBefore(int computeCapability) {
    for (const int built : {__CUDA_ARCH_LIST__})
        if (built >= 900 && built <= 10 * computeCapability)
            return true;
    return false;
}

/// Whether the next launch follows a single kernel of the graph that is captured.
inline bool followsKernel(cudaStream_t stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaGraphNode_t* nodes = nullptr;
    std::size_t count = 0;
#if CUDART_VERSION >= 13000
    const cudaGraphEdgeData* edges = nullptr;
    cudaCheck(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &nodes, &edges, &count),
              "asking for the node before");
#else
    cudaCheck(cudaStreamGetCaptureInfo_v2(stream, &status, nullptr, nullptr, &nodes, &count),
              "asking for the node before");
#endif
    if (status != cudaStreamCaptureStatusActive || count != 1)
        return false;
    cudaGraphNodeType type{};
    cudaCheck(cudaGraphNodeGetType(nodes[0], &type), "asking for the node before");
    return type == cudaGraphNodeTypeKernel;
}

/// log.launch() of a kernel that begins with waitForKernelBefore(). Early within a graph only, and
/// with code for compute capability 9.0 or more.
template <typename... Parameters, typename... Arguments>
void launchEarly(LaunchLog& log, const KernelNote& note, void (*kernel)(Parameters...),
                 LaunchShape shape, Arguments&&... arguments) {
    if (!waitsForKernelBefore(log.cuda().device().computeCapability) ||
        !followsKernel(log.stream()))
        return log.launch(note, kernel, shape, std::forward<Arguments>(arguments)...);
    log.begin(note, reinterpret_cast<const void*>(kernel), shape);
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = shape.grid;
    config.blockDim = shape.block;
    config.dynamicSmemBytes = shape.sharedBytes;
    config.stream = log.stream();
    config.attrs = &early;
    config.numAttrs = 1;
    cudaCheck(cudaLaunchKernelEx(&config, kernel,
                                 static_cast<Parameters>(std::forward<Arguments>(arguments))...),
              note.kernel.c_str());
    log.end();
}

} // namespace systole::gpu
