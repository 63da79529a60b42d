// The part of measureMachine() that counts cycles on one multiprocessor.
#pragma once

#include "compute/cuda/launch.cuh"
#include "compute/model/machine.h"

namespace systole::model {

/// Fills in the latencies and the departure delay, all in cycles of the multiprocessors' clock,
/// medians of several runs. `room` is device memory far larger than the second cache, `flush`
/// as much again; the contents of both are lost. Clocks should be up.
struct LatencyRoom {
    char* room;
    char* flush;
    std::size_t bytes; ///< of each
};
void measureMemoryLatencies(LaunchLog& log, const LatencyRoom& room, GpuMachine& machine);
void measureDepartureDelay(LaunchLog& log, const LatencyRoom& room, GpuMachine& machine);
void measureOperationLatencies(LaunchLog& log, GpuMachine& machine);

/// The middle one of an odd number of runs.
inline constexpr int latencyRuns = 5;

} // namespace systole::model
