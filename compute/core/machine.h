// Processor and memory of this machine: for doctor, benchmarks and run records.
#pragma once

#include <cstddef>
#include <string>

namespace systole {

struct Machine {
    std::string processor; ///< model name; "unknown" when it isn't reported
    int cores = 1;         ///< hardware threads that this process may use
    /// Instruction set chosen for the SIMD loops: "AVX3", "AVX2", "SSE4".
    std::string simdTarget;
    std::size_t memoryBytes = 0;
    std::size_t availableBytes = 0; ///< available without swapping
};

Machine describeMachine();
/// Physical memory of this machine; 4 GiB where the system doesn't say.
std::size_t physicalBytes();

} // namespace systole
