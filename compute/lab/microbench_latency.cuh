// The part of measureMachine() that counts cycles on one multiprocessor.
#pragma once

#include "compute/cuda/launch.cuh"
#include "compute/model/machine.h"

namespace systole::lab {

/// Latencies and departure delay in multiprocessor clock cycles, medians of several runs. `room`
/// and `flush` are device memory far larger than L2; their contents are overwritten. The device
/// should be at its full clock.
struct LatencyRoom {
    char* room;
    char* flush;
    std::size_t bytes; ///< size of each
};
void measureMemoryLatencies(LaunchLog& log, const LatencyRoom& room, model::GpuMachine& machine);
void measureDepartureDelay(LaunchLog& log, const LatencyRoom& room, model::GpuMachine& machine);
void measureOperationLatencies(LaunchLog& log, model::GpuMachine& machine);

/// Number of runs for a median; odd.
inline constexpr int latencyRuns = 5;

} // namespace systole::lab
