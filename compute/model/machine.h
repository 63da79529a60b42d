// Figures of a GPU for the models: from its data sheet or, if measured, latencies and bandwidths of
// the machine itself.
#pragma once

#include "compute/model/device_limits.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace systole::model {

/// Cycles from an operation of a warp to a dependent one.
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
    double clockHertz = 0;      ///< multiprocessor clock under load
    double memoryBandwidth = 0; ///< bytes per second: data sheet, or reached by a copy
    std::size_t memoryBytes = 0;
    std::size_t l2Bytes = 0;

    // Cycles.
    double globalLatency = 0; ///< latency of a load that misses all caches
    double l2Latency = 0;
    double l1Latency = 0;
    double sharedLatency = 0;
    double departureDelay = 0; ///< delay between two coalesced transactions of one multiprocessor
    OperationLatencies latency;

    // Bytes per second.
    double l2Bandwidth = 0; ///< 0: unknown
    double uploadPinned = 0, downloadPinned = 0;
    double uploadPageable = 0, downloadPageable = 0;

    double launchOverhead = 0; ///< seconds between empty kernels in one stream

    bool measured = false; ///< latencies and bandwidths were measured on a machine
    /// Source of each figure by its name in the files ("clockHertz"); "" applies to all others.
    std::map<std::string, std::string> sources;

    const DeviceLimits& limits() const { return deviceLimits(computeCapability); }
    /// Single-precision operations per second; a fused multiply-add counts as two.
    double peakFlops() const;
};

/// Parses assets/gpu_catalog.json or the machine of a recorded profile. Throws ComputeError naming
/// the entry and figure when the text is malformed or a figure is missing, not finite or
/// implausible.
std::vector<GpuMachine> parseGpuCatalog(std::string_view json);
GpuMachine parseGpuMachine(std::string_view json);
std::string toJson(const GpuMachine& machine);

/// True for bytes that could move a terminal's cursor or change its colors.
bool hasControlCharacters(std::string_view text);

} // namespace systole::model
