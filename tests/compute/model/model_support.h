// A GPU of round numbers, so that a model's answer can be worked out by hand.
#pragma once

#include "compute/model/prediction.h"

#include <limits>
#include <string_view>

namespace systole::model::test {

/// Limits of 9.0: 64 warps, 32 blocks, four schedulers with 16384 registers each, 228 KB shared.
inline GpuMachine roundMachine() {
    GpuMachine m;
    m.name = "round";
    m.architecture = "none";
    m.computeCapability = 90;
    m.multiprocessors = 10;
    m.clockHertz = 1e9;
    m.memoryBandwidth = 64e9; // 64 bytes a cycle
    m.memoryBytes = 1'000'000'000;
    m.l2Bytes = 100'000;
    m.globalLatency = 400;
    m.l2Latency = 200;
    m.l1Latency = 40;
    m.sharedLatency = 30;
    m.departureDelay = 4;
    m.latency = {.add = 4,
                 .multiply = 4,
                 .fusedMultiplyAdd = 4,
                 .divide = 40,
                 .squareRoot = 30,
                 .exponential = 20,
                 .logarithm = 25,
                 .integer = 5};
    m.l2Bandwidth = 512e9;
    m.uploadPinned = 24e9;
    m.downloadPinned = 12e9;
    m.uploadPageable = 6e9;
    m.downloadPageable = 3e9;
    m.launchOverhead = 2e-6;
    return m;
}

/// The quantity of this name; NaN: there is none.
inline double step(const Prediction& prediction, std::string_view name) {
    for (const Quantity& quantity : prediction.steps)
        if (quantity.name == name)
            return quantity.value;
    return std::numeric_limits<double>::quiet_NaN();
}

} // namespace systole::model::test
