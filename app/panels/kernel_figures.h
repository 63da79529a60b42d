// What the Occupancy panel says of a kernel: how it fills the device, what it reached of the
// device's roofline, and what the models had predicted. From the records of a run, or of a
// measurement that was written down.
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
    ProfileSpan span;  ///< the shape is its largest launch's; times and work are of all
    std::string stage; ///< in which it ran; empty: it was measured by itself
    int side = 0;      ///< of the cube over which it was; 0: over the open sequence
    double share = 0;  ///< of the time of all kernels, 0–1
    long blocks = 0;
    int threads = 0; ///< of a block
    model::Occupancy occupancy;
    model::Waves waves; ///< zero where it can't be launched

    // Of one run: a single launch of that shape, or the launches that were measured together.
    int runLaunches = 1;
    double seconds = 0; ///< 0: not measured
    double bytes = 0, flops = 0;
    std::array<double, 3> predicted{}; ///< seconds, as model::performanceModels(); 0: none
    std::array<std::string, 3> boundBy;

    double bytesPerSecond() const { return seconds > 0 ? bytes / seconds : 0; }
    double flopsPerSecond() const { return seconds > 0 ? flops / seconds : 0; }
    double intensity() const { return bytes > 0 ? flops / bytes : 0; } ///< flops a byte
};

/// Operations a second that memory and arithmetic allow at this intensity.
double rooflineFlops(const model::GpuMachine& machine, double intensity);

/// Of the kernels that ran, most costly first; without times in the order of their first launch.
std::vector<KernelFigures> kernelFigures(const FrameProfile& profile,
                                         const model::GpuMachine& machine);
/// Of the laboratory's kernels at their standard blocks and the recorded side next to this one, in
/// the laboratory's order; the times are those recorded.
std::vector<KernelFigures> recordedFigures(const lab::GpuRecord& record, int side);

/// A step of an estimation on the processor.
struct StageFigures {
    std::string stage, work;
    double seconds = 0, bytes = 0, flops = 0;
};
/// Most costly first.
std::vector<StageFigures> stageFigures(const FrameProfile& profile);

/// "256 (32 × 8)", "20000 (4 × 25 × 200)"
std::string extentText(const int (&extent)[3]);
/// Whose figures these are and where from, one line.
std::string machineText(const model::GpuMachine& machine);

/// Every number, tab-separated.
std::string figuresText(const std::vector<KernelFigures>& kernels,
                        const model::GpuMachine& machine);
std::string figuresText(const std::vector<StageFigures>& stages);

} // namespace systole
