// Calls of the CUDA runtime that fail on purpose, in programs that are linked with them in its
// place (systole_cuda_faults in tests/cuda.cmake).
#pragma once

#include <array>
#include <cstddef>

namespace systole::test {

enum class CudaCall {
    Allocation, ///< allocating device, pinned and array memory
    Launch,     ///< launching a kernel
    Copy,       ///< copying and filling memory
    Graph,      ///< capturing, making and launching one
    Object,     ///< making streams, events, textures and surfaces
    Wait,       ///< waiting for streams and events, and recording events
    Question    ///< queries about the device and its kernels
};
inline constexpr std::size_t cudaCallKinds = 7;
inline constexpr std::array<const char*, cudaCallKinds> cudaCallNames{
    "allocation", "launch", "copy", "graph", "object", "wait", "question"};

/// Starts counting calls of all kinds anew, and makes the `at`th of this kind fail, from 1; with
/// `allLater` those after it, too. 0: none fails. One at a time in a process; calls may come from
/// any thread.
void failCudaCall(CudaCall kind, int at, bool allLater = false);
inline void failNoCudaCall() { failCudaCall(CudaCall::Allocation, 0); }

/// Calls of a kind since the last failCudaCall().
int cudaCallsOf(CudaCall kind);

} // namespace systole::test
