// What the machine offers to the CPU forms: for doctor, benchmarks and run records.
#pragma once

#include <cstddef>
#include <string>

namespace systole {

struct Machine {
    std::string processor; ///< as the processor names itself; "unknown" when it doesn't
    int cores = 1;         ///< hardware threads that this process may use
    std::string
        simdTarget; ///< the instruction set that the SIMD loops choose: "AVX3", "AVX2", "SSE4"
    std::size_t memoryBytes = 0;
    std::size_t availableBytes = 0; ///< without pushing others out
};

Machine describeMachine();

} // namespace systole
