// An answer of the laboratory with figures made up so that a test knows them.
#pragma once

#include "compute/lab/laboratory.h"

#include <string>
#include <vector>

namespace systole::testing {

/// Measured: 1 ms at 256 threads, 2 % more for every 32 threads away from them. The models say 30 %
/// more than that, 20 % less and 10 % more; Hong and Kim's least lies at 512 threads, where the
/// measured time is 16 % above the least.
inline lab::LabAnswer madeUpAnswer(const std::vector<std::string>& kernels = {"jacobi/direct"},
                                   bool measured = true) {
    lab::LabAnswer answer;
    answer.question.kernels = kernels;
    answer.machine.name = "Made-up GPU";
    answer.machine.architecture = "Hopper";
    answer.machine.computeCapability = 90;
    answer.machine.multiprocessors = 100;
    answer.machine.clockHertz = 1.5e9;
    answer.machine.memoryBandwidth = 4e12;
    answer.machine.l2Bandwidth = 9e12;
    answer.source = measured ? "Recorded on a made-up GPU on 2026-11-21."
                             : "Figures of a data sheet: nothing was measured.";
    double slower = 1;
    for (const std::string& kernel : kernels) {
        lab::LabCurve curve;
        curve.kernel = kernel;
        for (int threads = 32; threads <= 1024; threads += 32) {
            lab::LabRow row;
            row.x = row.point.threads = threads;
            row.point.kernel = kernel;
            row.point.side = 200;
            ProfileSpan launch;
            launch.kernel = kernel;
            launch.block[0] = threads;
            launch.block[1] = launch.block[2] = 1;
            launch.grid[0] = 8000000 / threads;
            launch.grid[1] = launch.grid[2] = 1;
            launch.registers = 40;
            launch.bytes = 2e9;
            launch.flops = 1e9;
            row.point.launches = {launch};
            row.occupancy = model::occupancy(answer.machine.limits(), {threads, 40, 0, 0});
            row.waves = model::waves(launch.grid[0], row.occupancy.activeBlocks, 100);
            const auto at = [&](int best) {
                return slower * 1e-3 * (1 + 0.02 * std::abs(threads - best) / 32);
            };
            row.predicted = {1.3 * at(256), 0.8 * at(512), 1.1 * at(256)};
            row.intensity = 0.5;
            if (measured) {
                row.measured = row.point.seconds = at(256);
                row.bytesPerSecond = launch.bytes / row.measured;
                row.flopsPerSecond = launch.flops / row.measured;
            }
            curve.rows.push_back(row);
        }
        curve.bestPredicted = {7, 15, 7};
        if (measured) {
            curve.bestMeasured = 7;
            curve.meanError = {0.3, 0.2, 0.1};
            curve.chosenOverBest = {1, 1.16, 1};
        }
        answer.curves.push_back(curve);
        slower *= 1.4;
    }
    return answer;
}

} // namespace systole::testing
