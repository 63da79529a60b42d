// A GPU as the models see it: numbers of the data sheet and, where it was measured, latencies and
// bandwidths of the machine itself.
#pragma once

#include "compute/model/device_limits.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace systole::model {

/// Cycles from an operation of a warp to one that needs its result.
struct OperationLatencies {
    double add = 0, multiply = 0, fusedMultiplyAdd = 0;
    double divide = 0, squareRoot = 0, exponential = 0, logarithm = 0;
    double integer = 0;
};

struct GpuMachine {
    std::string name;
    std::string architecture; ///< "Hopper"
    int computeCapability = 0;
    int multiprocessors = 0;
    double clockHertz = 0;      ///< of the multiprocessors at work
    double memoryBandwidth = 0; ///< bytes a second: of the data sheet, or what a copy reaches
    std::size_t memoryBytes = 0;
    std::size_t l2Bytes = 0;

    // Cycles.
    double globalLatency = 0; ///< of a load that misses all caches
    double l2Latency = 0;
    double l1Latency = 0;
    double sharedLatency = 0;
    double departureDelay = 0; ///< between two coalesced transactions of one multiprocessor
    OperationLatencies latency;

    // Bytes a second.
    double l2Bandwidth = 0; ///< 0: not known
    double uploadPinned = 0, downloadPinned = 0;
    double uploadPageable = 0, downloadPageable = 0;

    double launchOverhead = 0; ///< seconds from one empty kernel of a stream to the next

    bool measured = false; ///< latencies and bandwidths are of a machine that was measured
    /// Where a figure is from, by its name in the files ("clockHertz"); "" is the word for all
    /// others.
    std::map<std::string, std::string> sources;

    const DeviceLimits& limits() const { return deviceLimits(computeCapability); }
    /// Single-precision operations a second, a fused multiply-add counted as two.
    double peakFlops() const;
};

/// As assets/gpu_catalog.json and recorded profiles hold it. Throws ComputeError, one sentence that
/// says which entry and figure, for text that is none, a figure that is missing, not finite or
/// outside what any GPU has.
std::vector<GpuMachine> parseGpuCatalog(std::string_view json);
GpuMachine parseGpuMachine(std::string_view json);
std::string toJson(const GpuMachine& machine);

/// Bytes that move a terminal's cursor or change its colours: of no name or date.
bool hasControlCharacters(std::string_view text);

} // namespace systole::model
