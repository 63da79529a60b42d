// Copies between ordinary host memory and the device through pinned memory, in pieces: while one
// crosses the bus, the next is copied into pinned memory.
#pragma once

#include "compute/core/exec.h"
#include "compute/cuda/context.h"

namespace systole {

/// The value that the Compute stream leaves in device memory; waits.
template <typename T>
T fetched(const T* device, CudaContext& cuda) {
    Buffer<T> host = cuda.pinnedPool().acquire<T>(1, "fetched value");
    cuda.download(device, host.data(), sizeof(T), CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);
    return *host.data();
}

/// Enqueues on the context's Compute stream. On return `host` has been read. Throws Cancelled
/// between pieces.
void uploadStaged(const float* host, float* device, std::size_t count, const ExecContext& ctx);
/// Waits: on return `host` is written. Can't be cancelled.
void downloadStaged(const float* device, float* host, std::size_t count, const ExecContext& ctx);

} // namespace systole
