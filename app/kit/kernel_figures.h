// Figures of the Occupancy panel: how a kernel fills the device, its distance from the roofline,
// and the models' predictions; from the profile of a run or from a recorded measurement.
#pragma once

#include "compute/core/profile.h"
#include "compute/lab/point.h"
#include "compute/model/machine.h"
#include "compute/model/occupancy.h"

#include <array>
#include <string>
#include <vector>

namespace systole {

struct KernelFigures {
    ProfileSpan span;  ///< shape of the largest launch; times and work summed over all
    std::string stage; ///< stage that launched it; empty: measured on its own
    int side = 0;      ///< side of the measured cube; 0: the open sequence
    double share = 0;  ///< fraction of the time of all kernels, 0–1
    long blocks = 0;
    int threads = 0; ///< threads per block
    model::Occupancy occupancy;
    model::Waves waves; ///< zero if it can't be launched

    // One run: a single launch of that shape, or the launches that were measured together.
    int runLaunches = 1;
    double seconds = 0; ///< 0: not measured
    double bytes = 0, flops = 0;
    std::array<double, 3> predicted{}; ///< seconds, as model::performanceModels(); 0: none
    std::array<std::string, 3> boundBy;

    double bytesPerSecond() const { return seconds > 0 ? bytes / seconds : 0; }
    double flopsPerSecond() const { return seconds > 0 ? flops / seconds : 0; }
    double intensity() const { return bytes > 0 ? flops / bytes : 0; } ///< FLOP per byte
};

/// FLOP/s that memory bandwidth and peak arithmetic allow at this intensity.
double rooflineFlops(const model::GpuMachine& machine, double intensity);

/// Figures of the kernels that ran, most expensive first; without times, in order of first launch.
std::vector<KernelFigures> kernelFigures(const FrameProfile& profile,
                                         const model::GpuMachine& machine);
/// Figures of the laboratory's kernels at their default blocks and the recorded side nearest to
/// `side`, in the laboratory's order, with the recorded times.
std::vector<KernelFigures> recordedFigures(const lab::GpuRecord& record, int side);

/// One kind of work in a stage of an estimation on the CPU.
struct StageFigures {
    std::string stage, work;
    double seconds = 0, bytes = 0, flops = 0;

    double bytesPerSecond() const { return seconds > 0 ? bytes / seconds : 0; }
    double flopsPerSecond() const { return seconds > 0 ? flops / seconds : 0; }
    /// Fraction of a memory bandwidth, bytes per second, that the kernel's declared traffic needs;
    /// 0: unknown.
    double shareOf(double bandwidth) const {
        return bandwidth > 0 ? bytesPerSecond() / bandwidth : 0;
    }
};
/// Its stage, and how long memory alone would take.
std::string stageText(const StageFigures& stage, double bandwidth);
/// Most expensive first.
std::vector<StageFigures> stageFigures(const FrameProfile& profile);

/// "256 (32 × 8)", "20000 (4 × 25 × 200)"
std::string extentText(const int (&extent)[3]);
/// Name of the GPU and source of its figures, one line.
std::string machineText(const model::GpuMachine& machine);

/// All numbers, tab-separated.
std::string figuresText(const std::vector<KernelFigures>& kernels,
                        const model::GpuMachine& machine);
std::string figuresText(const std::vector<StageFigures>& stages, double bandwidth);

} // namespace systole
