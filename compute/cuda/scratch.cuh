// Algorithms of CUB, which ask for memory before they run.
#pragma once

#include "compute/cuda/launch.cuh"

#include <algorithm>

namespace systole::gpu {

/// Calls call(memory, bytes), an algorithm of CUB: without memory, to ask for its size, and with
/// it, as one launch of the log. Throws OutOfMemory, and ComputeError that names the launch.
template <typename Call>
void withScratch(const KernelNote& note, LaunchLog& log, const Call& call) {
    std::size_t bytes = 0;
    cudaCheck(call(nullptr, bytes), note.kernel.c_str());
    Buffer<std::byte> memory = log.cuda().devicePool().acquire<std::byte>(
        std::max<std::size_t>(bytes, 1), note.kernel.c_str());
    log.begin(note, nullptr, {});
    cudaCheck(call(memory.data(), bytes), note.kernel.c_str());
    log.end();
}

} // namespace systole::gpu
