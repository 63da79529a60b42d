#include "tests/support/cuda_faults.h"

#include <atomic>
#include <cuda_runtime.h>

namespace systole::test {
namespace {

struct State {
    std::array<std::atomic<int>, cudaCallKinds> calls{};
    std::atomic<int> at = 0;
    std::atomic<CudaCall> kind{};
    std::atomic<bool> allLater = false;
    /// The error of a call that failed on purpose, which cudaGetLastError() has still to return.
    std::atomic<cudaError_t> last = cudaSuccess;
};

State& state() { // one per process, like the runtime
    static State state;
    return state;
}

/// cudaSuccess: the call is to be made.
cudaError_t faultOf(CudaCall kind, cudaError_t error) {
    State& my = state();
    const int call = ++my.calls[static_cast<std::size_t>(kind)], at = my.at;
    if (at == 0 || kind != my.kind || (my.allLater ? call < at : call != at))
        return cudaSuccess;
    my.last = error;
    return error;
}

} // namespace

void failCudaCall(CudaCall kind, int at, bool allLater) {
    State& my = state();
    my.at = 0;
    for (std::atomic<int>& calls : my.calls)
        calls = 0;
    my.last = cudaSuccess;
    my.kind = kind;
    my.allLater = allLater;
    my.at = at;
}

int cudaCallsOf(CudaCall kind) { return state().calls[static_cast<std::size_t>(kind)]; }

} // namespace systole::test

using systole::test::CudaCall;
using systole::test::faultOf;

// The linker leads calls of NAME to __wrap_NAME, and those of __real_NAME to the runtime.
#define SYSTOLE_FAULT(kind, error, name, parameters, arguments)                                    \
    extern "C" cudaError_t __real_##name parameters;                                               \
    extern "C" cudaError_t __wrap_##name parameters {                                              \
        const cudaError_t fault = faultOf(CudaCall::kind, error);                                  \
        return fault != cudaSuccess ? fault : __real_##name arguments;                             \
    }

SYSTOLE_FAULT(Allocation, cudaErrorMemoryAllocation, cudaMallocAsync,
              (void** block, std::size_t bytes, cudaStream_t stream), (block, bytes, stream))
SYSTOLE_FAULT(Allocation, cudaErrorMemoryAllocation, cudaHostAlloc,
              (void** block, std::size_t bytes, unsigned flags), (block, bytes, flags))
SYSTOLE_FAULT(Allocation, cudaErrorMemoryAllocation, cudaMalloc3DArray,
              (cudaArray_t * array, const cudaChannelFormatDesc* format, cudaExtent extent,
               unsigned flags),
              (array, format, extent, flags))

SYSTOLE_FAULT(Launch, cudaErrorLaunchOutOfResources, __cudaLaunchKernel,
              (cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
               cudaStream_t stream),
              (kernel, grid, block, arguments, shared, stream))
SYSTOLE_FAULT(Launch, cudaErrorLaunchOutOfResources, cudaLaunchKernelExC,
              (const cudaLaunchConfig_t* how, const void* kernel, void** arguments),
              (how, kernel, arguments))
SYSTOLE_FAULT(Launch, cudaErrorLaunchOutOfResources, cudaLaunchCooperativeKernel,
              (const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
               cudaStream_t stream),
              (kernel, grid, block, arguments, shared, stream))

SYSTOLE_FAULT(Copy, cudaErrorUnknown, cudaMemcpyAsync,
              (void* to, const void* from, std::size_t bytes, cudaMemcpyKind way,
               cudaStream_t stream),
              (to, from, bytes, way, stream))
SYSTOLE_FAULT(Copy, cudaErrorUnknown, cudaMemcpyToSymbolAsync,
              (const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
               cudaMemcpyKind way, cudaStream_t stream),
              (symbol, from, bytes, offset, way, stream))
SYSTOLE_FAULT(Copy, cudaErrorUnknown, cudaMemcpy3DAsync,
              (const cudaMemcpy3DParms* what, cudaStream_t stream), (what, stream))
SYSTOLE_FAULT(Copy, cudaErrorUnknown, cudaMemsetAsync,
              (void* block, int value, std::size_t bytes, cudaStream_t stream),
              (block, value, bytes, stream))

SYSTOLE_FAULT(Graph, cudaErrorUnknown, cudaStreamBeginCapture,
              (cudaStream_t stream, cudaStreamCaptureMode mode), (stream, mode))
SYSTOLE_FAULT(Graph, cudaErrorMemoryAllocation, cudaGraphInstantiate,
              (cudaGraphExec_t * executable, cudaGraph_t graph, unsigned long long flags),
              (executable, graph, flags))
SYSTOLE_FAULT(Graph, cudaErrorUnknown, cudaGraphLaunch,
              (cudaGraphExec_t executable, cudaStream_t stream), (executable, stream))

SYSTOLE_FAULT(Object, cudaErrorMemoryAllocation, cudaStreamCreateWithPriority,
              (cudaStream_t * stream, unsigned flags, int priority), (stream, flags, priority))
SYSTOLE_FAULT(Object, cudaErrorMemoryAllocation, cudaEventCreate, (cudaEvent_t * event), (event))
SYSTOLE_FAULT(Object, cudaErrorMemoryAllocation, cudaEventCreateWithFlags,
              (cudaEvent_t * event, unsigned flags), (event, flags))
SYSTOLE_FAULT(Object, cudaErrorMemoryAllocation, cudaCreateTextureObject,
              (cudaTextureObject_t * texture, const cudaResourceDesc* resource,
               const cudaTextureDesc* how, const cudaResourceViewDesc* view),
              (texture, resource, how, view))
SYSTOLE_FAULT(Object, cudaErrorMemoryAllocation, cudaCreateSurfaceObject,
              (cudaSurfaceObject_t * surface, const cudaResourceDesc* resource),
              (surface, resource))

SYSTOLE_FAULT(Wait, cudaErrorUnknown, cudaStreamSynchronize, (cudaStream_t stream), (stream))
SYSTOLE_FAULT(Wait, cudaErrorUnknown, cudaEventSynchronize, (cudaEvent_t event), (event))
SYSTOLE_FAULT(Wait, cudaErrorUnknown, cudaStreamWaitEvent,
              (cudaStream_t stream, cudaEvent_t event, unsigned flags), (stream, event, flags))
SYSTOLE_FAULT(Wait, cudaErrorUnknown, cudaEventRecord, (cudaEvent_t event, cudaStream_t stream),
              (event, stream))
SYSTOLE_FAULT(Wait, cudaErrorUnknown, cudaEventRecordWithFlags,
              (cudaEvent_t event, cudaStream_t stream, unsigned flags), (event, stream, flags))

SYSTOLE_FAULT(Question, cudaErrorUnknown, cudaSetDevice, (int device), (device))
SYSTOLE_FAULT(Question, cudaErrorUnknown, cudaMemGetInfo, (std::size_t * free, std::size_t* total),
              (free, total))
SYSTOLE_FAULT(Question, cudaErrorUnknown, cudaFuncSetAttribute,
              (const void* kernel, cudaFuncAttribute attribute, int value),
              (kernel, attribute, value))
SYSTOLE_FAULT(Question, cudaErrorUnknown, cudaFuncGetAttributes,
              (cudaFuncAttributes * attributes, const void* kernel), (attributes, kernel))

// A capture ends also where it fails.
extern "C" cudaError_t __real_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
extern "C" cudaError_t __wrap_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    const cudaError_t fault = faultOf(CudaCall::Graph, cudaErrorStreamCaptureInvalidated);
    const cudaError_t answer = __real_cudaStreamEndCapture(stream, graph);
    if (fault == cudaSuccess)
        return answer;
    cudaGraphDestroy(*graph);
    *graph = nullptr;
    return fault;
}

extern "C" cudaError_t __real_cudaGetLastError();
extern "C" cudaError_t __wrap_cudaGetLastError() {
    const cudaError_t fault = systole::test::state().last.exchange(cudaSuccess);
    const cudaError_t real = __real_cudaGetLastError();
    return fault != cudaSuccess ? fault : real;
}
