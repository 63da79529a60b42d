#include "app/kit/kernel_figures.h"

#include "compute/lab/kernels/kernels.h"
#include "compute/model/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace systole {
namespace {

/// Shape and occupancy; the fields of the run stay empty.
KernelFigures shapeOf(const ProfileSpan& span, const model::GpuMachine& machine) {
    KernelFigures figures;
    figures.span = span;
    figures.blocks = model::blocksOf(span);
    figures.threads = model::threadsOf(span);
    figures.occupancy = model::occupancy(machine.limits(), model::resourcesOf(span));
    if (figures.occupancy.activeBlocks > 0)
        figures.waves =
            model::waves(figures.blocks, figures.occupancy.activeBlocks, machine.multiprocessors);
    return figures;
}

/// Adds a launch to the predictions; one that can't be predicted makes the sum unknown (0).
void addPrediction(KernelFigures& figures, const ProfileSpan& launch, double bytes, bool first,
                   const model::GpuMachine& machine) {
    model::KernelWork work = model::workOf(launch);
    work.bytes = bytes;
    const auto models = model::performanceModels();
    for (std::size_t m = 0; m < figures.predicted.size(); ++m) {
        if (!first && figures.predicted[m] <= 0)
            continue;
        const model::Prediction prediction = models[m].predict(machine, work);
        figures.predicted[m] =
            prediction.seconds > 0 ? figures.predicted[m] + prediction.seconds : 0;
        figures.boundBy[m] = prediction.boundBy;
    }
}

int nearestSide(const std::vector<int>& sides, int side) {
    return *std::ranges::min_element(
        sides, [&](int a, int b) { return std::abs(a - side) < std::abs(b - side); });
}

} // namespace

double rooflineFlops(const model::GpuMachine& machine, double intensity) {
    return std::min(machine.peakFlops(), intensity * machine.memoryBandwidth);
}

std::vector<KernelFigures> kernelFigures(const FrameProfile& profile,
                                         const model::GpuMachine& machine) {
    std::vector<KernelFigures> all;
    std::string stage;
    double total = 0;
    for (const ProfileSpan& span : profile.spans) {
        if (!span.stage.empty()) {
            stage = span.stage;
            continue;
        }
        if (span.registers == 0) // a copy
            continue;
        KernelFigures figures = shapeOf(span, machine);
        figures.stage = stage;
        const bool one = span.launchSeconds > 0 || span.launchBytes > 0;
        figures.seconds = one ? span.launchSeconds : span.seconds / std::max(1, span.launches);
        figures.bytes = one ? span.launchBytes : span.bytes / std::max(1, span.launches);
        figures.flops = one ? span.launchFlops : span.flops / std::max(1, span.launches);
        addPrediction(figures, span, figures.bytes, true, machine);
        total += span.seconds;
        all.push_back(std::move(figures));
    }
    if (total > 0)
        for (KernelFigures& figures : all)
            figures.share = figures.span.seconds / total;
    std::ranges::stable_sort(
        all, [](const KernelFigures& a, const KernelFigures& b) { return a.share > b.share; });
    return all;
}

std::vector<KernelFigures> recordedFigures(const lab::GpuRecord& record, int side) {
    std::vector<KernelFigures> all;
    for (const lab::LabKernel& kernel : lab::labKernels()) {
        const std::vector<int> sides = record.sidesOf(kernel.name());
        if (sides.empty())
            continue;
        const lab::LabPoint* point =
            record.find(kernel.name(), nearestSide(sides, side), kernel.standardBlock);
        if (!point || point->launches.empty())
            continue;
        KernelFigures figures = shapeOf(point->largest(), record.machine);
        figures.span.kernel = kernel.name();
        figures.side = point->side;
        figures.runLaunches = static_cast<int>(point->launches.size());
        figures.span.launches = figures.runLaunches;
        figures.seconds = figures.span.seconds = point->seconds;
        figures.bytes = figures.span.bytes = point->bytes();
        figures.flops = figures.span.flops = point->flops();
        bool first = true;
        for (const ProfileSpan& launch : point->launches)
            addPrediction(figures, launch, launch.bytes, std::exchange(first, false),
                          record.machine);
        all.push_back(std::move(figures));
    }
    return all;
}

std::vector<StageFigures> stageFigures(const FrameProfile& profile) {
    std::vector<StageFigures> all;
    for (const ProfileSpan& span : profile.spans) {
        if (span.stage.empty())
            continue;
        auto found = std::ranges::find_if(all, [&](const StageFigures& figures) {
            return figures.stage == span.stage && figures.work == span.kernel;
        });
        if (found == all.end())
            found = all.insert(all.end(), {span.stage, span.kernel});
        found->seconds += span.seconds;
        found->bytes += span.bytes;
        found->flops += span.flops;
    }
    std::ranges::stable_sort(
        all, [](const StageFigures& a, const StageFigures& b) { return a.seconds > b.seconds; });
    return all;
}

std::string extentText(const int (&extent)[3]) {
    std::string whole = fmt::format("{}", static_cast<long>(extent[0]) * extent[1] * extent[2]);
    if (extent[1] == 1 && extent[2] == 1)
        return whole;
    if (extent[2] == 1)
        return fmt::format("{} ({} × {})", whole, extent[0], extent[1]);
    return fmt::format("{} ({} × {} × {})", whole, extent[0], extent[1], extent[2]);
}

std::string machineText(const model::GpuMachine& machine) {
    const auto source = machine.sources.find("");
    std::string text = fmt::format("{}, {}", machine.name,
                                   machine.measured ? "measured figures" : "data sheet figures");
    if (source != machine.sources.end() && !source->second.empty())
        text += fmt::format(" ({})", source->second);
    return text;
}

std::string figuresText(const std::vector<KernelFigures>& kernels,
                        const model::GpuMachine& machine) {
    std::string text = fmt::format("figures of\t{}\n", machineText(machine));
    text += "kernel\tstage\tlaunches\tseconds, all\tfraction\tblock\tgrid\twaves\tlast wave\t"
            "registers\tshared bytes\tlocal bytes\tby warps\tby registers\tby shared memory\t"
            "by block slots\tlimit\tactive blocks\truntime's active blocks\toccupancy\t"
            "launches per run\tseconds per run\tbytes\tflops\tbytes/s\tflops/s\t"
            "fraction of bandwidth\tfraction of roofline";
    for (const model::PerformanceModel& one : model::performanceModels())
        text += fmt::format("\t{} seconds\t{} bound by", one.name, one.name);
    text += "\n";
    for (const KernelFigures& k : kernels) {
        const double roof = rooflineFlops(machine, k.intensity());
        text += fmt::format(
            "{}\t{}\t{}\t{:g}\t{:.4f}\t{}\t{}\t{:.4g}\t{:.4f}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t"
            "{}\t{:.4f}\t{}\t{:g}\t{:g}\t{:g}\t{:.5g}\t{:.5g}\t{:.4f}\t{:.4f}",
            k.span.kernel, k.stage, k.span.launches, k.span.seconds, k.share, k.threads, k.blocks,
            k.waves.count, k.waves.lastFilled, k.span.registers, k.span.sharedBytes,
            k.span.localBytes, k.occupancy.byWarps, k.occupancy.byRegisters,
            k.occupancy.bySharedMemory, k.occupancy.byBlocks, model::name(k.occupancy.limit),
            k.occupancy.activeBlocks, k.span.activeBlocks, k.occupancy.fraction, k.runLaunches,
            k.seconds, k.bytes, k.flops, k.bytesPerSecond(), k.flopsPerSecond(),
            k.bytesPerSecond() / machine.memoryBandwidth, roof > 0 ? k.flopsPerSecond() / roof : 0);
        for (std::size_t m = 0; m < k.predicted.size(); ++m)
            text += fmt::format("\t{:g}\t{}", k.predicted[m], k.boundBy[m]);
        text += "\n";
    }
    return text;
}

std::string stageText(const StageFigures& stage, double bandwidth) {
    std::string text = fmt::format("{}, stage {}", stage.work, stage.stage);
    if (bandwidth > 0 && stage.bytes > 0)
        text += fmt::format("\nmemory alone would take {:.1f} ms for its {:.3g} GB",
                            1e3 * stage.bytes / bandwidth, 1e-9 * stage.bytes);
    return text;
}

std::string figuresText(const std::vector<StageFigures>& stages, double bandwidth) {
    std::string text = fmt::format("triad bytes/s\t{:g}\n"
                                   "stage\twork\tseconds\tbytes\tflops\tbytes/s\tflops/s\t"
                                   "of triad\n",
                                   bandwidth);
    for (const StageFigures& s : stages)
        text += fmt::format("{}\t{}\t{:g}\t{:g}\t{:g}\t{:.5g}\t{:.5g}\t{:.3g}\n", s.stage, s.work,
                            s.seconds, s.bytes, s.flops, s.bytesPerSecond(), s.flopsPerSecond(),
                            s.shareOf(bandwidth));
    return text;
}

} // namespace systole
