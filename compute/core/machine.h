// Processor and memory of this machine: for doctor, benchmarks and run records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace systole {

struct Machine {
    std::string processor; ///< model name; "unknown" when it isn't reported
    int cores = 1;         ///< hardware threads that this process may use
    /// Instruction set chosen for the SIMD loops: "AVX3", "AVX2", "SSE4".
    std::string simdTarget;
    std::size_t memoryBytes = 0;
    /// Available without swapping, to this process: control groups (containers) limit it.
    std::size_t availableBytes = 0;
};

Machine describeMachine();
/// Bytes that the memory limits of control groups (version 2 or 1) leave to a process: of its own
/// group and of those above it; what is kept of files can be had again. `groups`:
/// /proc/self/cgroup, which names its groups; `tree`: where their folders are. The largest number
/// where none limits it, and where the files hold anything else.
std::uint64_t bytesLeftByGroups(const std::string& groups = "/proc/self/cgroup",
                                const std::string& tree = "/sys/fs/cgroup");
/// Physical memory of this machine; 4 GiB where the system doesn't say.
std::size_t physicalBytes();

} // namespace systole
