// Made-up machines, points and sources for tests of the laboratory.
#pragma once

#include "compute/core/error.h"
#include "compute/lab/laboratory.h"

#include <cmath>
#include <map>
#include <string>

namespace systole::test {

inline model::GpuMachine madeUpMachine() {
    model::GpuMachine machine;
    machine.name = "Made Up 100";
    machine.architecture = "Hopper";
    machine.computeCapability = 90;
    machine.multiprocessors = 100;
    machine.clockHertz = 1e9;
    machine.memoryBandwidth = 1e12;
    machine.memoryBytes = std::size_t{16} << 30;
    machine.l2Bytes = std::size_t{32} << 20;
    machine.globalLatency = 600;
    machine.l2Latency = 250;
    machine.l1Latency = 40;
    machine.sharedLatency = 30;
    machine.departureDelay = 4;
    machine.latency = {4, 4, 4, 40, 40, 20, 20, 4};
    machine.uploadPinned = machine.downloadPinned = 2e10;
    machine.uploadPageable = machine.downloadPageable = 1e10;
    machine.measured = true;
    machine.sources[""] = "made up for a test";
    return machine;
}

/// A launch of 32 × (threads/32) blocks over a cube, 10 loads and 2 barriers a thread.
inline ProfileSpan madeUpLaunch(const std::string& kernel, int side, int threads) {
    ProfileSpan span;
    span.kernel = kernel;
    const int rows = threads / 32;
    const int grid[3] = {(side + 31) / 32, (side + rows - 1) / rows, side};
    const int block[3] = {32, rows, 1};
    for (int axis = 0; axis < 3; ++axis) {
        span.grid[axis] = grid[axis];
        span.block[axis] = block[axis];
    }
    span.registers = 40;
    span.sharedBytes = 1024;
    span.activeBlocks = 3;
    const double voxels = std::pow(side, 3);
    span.bytes = 16 * voxels;
    span.flops = 20 * voxels;
    span.cost.globalLoads = 9;
    span.cost.globalStores = 1;
    span.cost.fusedMultiplyAdd = 12.5;
    span.cost.sharedAccesses = 4;
    span.cost.bankConflicts = 2;
    span.cost.barriers = 2;
    return span;
}

inline lab::LabPoint madeUpPoint(const std::string& kernel, int side, int threads, double seconds) {
    lab::LabPoint point;
    point.kernel = kernel;
    point.side = side;
    point.threads = threads;
    point.seconds = seconds;
    point.uploadBytes = 8 * std::pow(side, 3);
    point.downloadBytes = 4 * std::pow(side, 3);
    point.launches = {madeUpLaunch(kernel, side, threads)};
    return point;
}

/// Has one launch a point, and the times that the test gives.
class MadeUpSource : public lab::LabSource {
public:
    const model::GpuMachine& machine() const override { return machine_; }
    std::string sentence() const override { return "Made up."; }
    std::vector<int> sidesOf(const lab::LabKernel&) const override { return sides; }
    std::optional<lab::LabPoint> point(const lab::LabKernel& kernel, int side, int threads,
                                       int paddingBytes, std::string& why) override {
        ++asked;
        if (threads == refused) {
            why = "this block is refused";
            return std::nullopt;
        }
        lab::LabPoint point = madeUpPoint(kernel.name(), side, threads, secondsAt(threads));
        point.paddingBytes = paddingBytes;
        point.launches[0].sharedBytes += paddingBytes;
        return point;
    }
    double withTransfers(const lab::LabKernel&, int, int threads) override {
        return 5 * secondsAt(threads);
    }

    std::map<int, double> seconds; ///< seconds by number of threads
    std::vector<int> sides;
    int refused = 0;
    int asked = 0;

private:
    double secondsAt(int threads) const {
        const auto found = seconds.find(threads);
        return found == seconds.end() ? 0 : found->second;
    }
    model::GpuMachine machine_ = madeUpMachine();
};

} // namespace systole::test
