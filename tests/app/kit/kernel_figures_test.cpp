// Texts of panels about kernels and stages, from records made up by hand.
#include "app/feature/panel.h"
#include "app/feature/tools.h"
#include "app/features/registration/value_colors.h"
#include "app/kit/kernel_figures.h"
#include "app/kit/treemap.h"
#include "app/session/memory_report.h"
#include "app/session/session.h"
#include "compute/model/prediction.h"
#include "render/overlays/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace systole {
namespace {

using ::testing::HasSubstr;

/// A device of compute capability 9.0: 65536 registers, 64 warps and 32 blocks per multiprocessor.
model::GpuMachine machine() {
    model::GpuMachine machine;
    machine.name = "made up";
    machine.computeCapability = 90;
    machine.multiprocessors = 132;
    machine.clockHertz = 2e9; // 132 · 128 lanes · 2 · 2 GHz = 67.584 TFLOP/s
    machine.memoryBandwidth = 4e12;
    machine.globalLatency = 600;
    machine.l2Latency = 250;
    machine.l1Latency = machine.sharedLatency = 30;
    machine.departureDelay = 2;
    machine.latency = {4, 4, 4, 20, 20, 30, 30, 4};
    machine.measured = true;
    machine.sources[""] = "by hand";
    return machine;
}

/// 40 registers: 1280 of a warp, 51 warps, in groups of four 48: six blocks of eight warps.
ProfileSpan kernelSpan(const char* name, double seconds, int launches) {
    ProfileSpan span;
    span.kernel = name;
    span.seconds = seconds;
    span.launches = launches;
    span.bytes = 1e8;
    span.flops = 2e8;
    span.launchSeconds = 1e-5;
    span.launchBytes = 3e7;
    span.launchFlops = 6e7;
    const int grid[] = {4, 25, 200}, block[] = {32, 8, 1};
    std::copy(std::begin(grid), std::end(grid), std::begin(span.grid));
    std::copy(std::begin(block), std::end(block), std::begin(span.block));
    span.registers = 40;
    span.sharedBytes = 1000;
    span.activeBlocks = 6;
    span.cost.fusedMultiplyAdd = 20;
    span.cost.globalLoads = 6;
    span.cost.globalStores = 1;
    return span;
}

ProfileSpan stageSpan(const char* stage, const char* work, double seconds, double bytes = 0,
                      double flops = 0) {
    ProfileSpan span;
    span.stage = stage;
    span.kernel = work;
    span.seconds = seconds;
    span.bytes = bytes;
    span.flops = flops;
    return span;
}

TEST(KernelFigures, AreThoseOfTheArithmeticByHand) {
    FrameProfile profile;
    ProfileSpan copy; // a copy by CUDA, not a kernel
    copy.kernel = "copy to texture";
    copy.seconds = 1;
    profile.spans = {stageSpan("gradient", "gradient", 3e-3),
                     kernelSpan("gradient/direct", 2e-3, 4), copy,
                     stageSpan("solve", "solve", 7e-3), kernelSpan("jacobi/direct", 6e-3, 60)};
    const std::vector<KernelFigures> figures = kernelFigures(profile, machine());
    ASSERT_EQ(figures.size(), 2u);
    const KernelFigures& first = figures[0];
    EXPECT_EQ(first.span.kernel, "jacobi/direct");
    EXPECT_EQ(first.stage, "solve");
    EXPECT_DOUBLE_EQ(first.share, 0.75);
    EXPECT_EQ(figures[1].stage, "gradient");
    EXPECT_DOUBLE_EQ(figures[1].share, 0.25);
    EXPECT_EQ(first.threads, 256);
    EXPECT_EQ(first.blocks, 20000);
    EXPECT_EQ(first.occupancy.byWarps, 8);
    EXPECT_EQ(first.occupancy.byRegisters, 6);
    EXPECT_EQ(first.occupancy.byBlocks, 32);
    EXPECT_EQ(first.occupancy.activeBlocks, 6);
    EXPECT_EQ(first.occupancy.limit, model::LimitingResource::Registers);
    EXPECT_DOUBLE_EQ(first.occupancy.fraction, 48 / 64.0);
    // 132 · 6 = 792 blocks a wave: 25 whole waves, 200 blocks in the last.
    EXPECT_DOUBLE_EQ(first.waves.count, 20000 / 792.0);
    EXPECT_EQ(first.waves.whole, 26);
    EXPECT_NEAR(first.waves.lastFilled, 200 / 792.0, 1e-12);
    EXPECT_DOUBLE_EQ(first.seconds, 1e-5);
    EXPECT_DOUBLE_EQ(first.bytesPerSecond(), 3e12);
    EXPECT_DOUBLE_EQ(first.flopsPerSecond(), 6e12);
    EXPECT_DOUBLE_EQ(first.intensity(), 2);
    EXPECT_DOUBLE_EQ(rooflineFlops(machine(), 2), 8e12);
    EXPECT_DOUBLE_EQ(rooflineFlops(machine(), 1000), 132.0 * 128 * 2 * 2e9);
    model::KernelWork work;
    work.resources = {256, 40, 1000, 0};
    work.cost = first.span.cost;
    work.blocks = 20000;
    work.bytes = 3e7;
    for (std::size_t m = 0; m < 3; ++m) {
        EXPECT_GT(first.predicted[m], 0);
        EXPECT_DOUBLE_EQ(first.predicted[m],
                         model::performanceModels()[m].predict(machine(), work).seconds);
    }

    const std::string text = figuresText(figures, machine());
    EXPECT_THAT(text, HasSubstr("made up, measured figures (by hand)"));
    EXPECT_THAT(text, HasSubstr("jacobi/direct\tsolve\t60\t0.006\t0.7500\t256\t20000\t25.25\t0.2525"
                                "\t40\t1000\t0\t8\t6\t"));
    EXPECT_THAT(text, HasSubstr("\tregisters\t6\t6\t0.7500\t1\t1e-05\t3e+07\t6e+07\t3e+12\t6e+12\t"
                                "0.7500\t0.7500\t"));
    // Every line has as many columns.
    const std::string table = text.substr(text.find("kernel\t"));
    const auto columns = [&](std::size_t from) {
        const auto begin = table.begin() + static_cast<std::ptrdiff_t>(from);
        return std::count(begin, std::find(begin, table.end(), '\n'), '\t');
    };
    EXPECT_EQ(columns(0), columns(table.find("jacobi/direct")));
}

TEST(KernelFigures, WithoutTimesKeepTheOrderAndSayNothingOfSpeed) {
    ProfileSpan a = kernelSpan("gradient/direct", 0, 1), b = kernelSpan("warp/direct", 0, 1);
    a.launchSeconds = b.launchSeconds = 0;
    FrameProfile profile;
    profile.spans = {a, b};
    const auto figures = kernelFigures(profile, machine());
    ASSERT_EQ(figures.size(), 2u);
    EXPECT_EQ(figures[0].span.kernel, "gradient/direct");
    EXPECT_EQ(figures[0].share, 0);
    EXPECT_EQ(figures[0].bytesPerSecond(), 0);
    EXPECT_EQ(figures[0].flopsPerSecond(), 0);
    EXPECT_GT(figures[0].predicted[0], 0);
}

TEST(KernelFigures, OfAKernelThatDoesNotFitHaveNoWaves) {
    ProfileSpan span = kernelSpan("jacobi/shared", 1e-3, 1);
    span.sharedBytes = 1 << 20;
    FrameProfile profile;
    profile.spans = {span};
    const KernelFigures figures = kernelFigures(profile, machine()).at(0);
    EXPECT_EQ(figures.occupancy.activeBlocks, 0);
    EXPECT_EQ(figures.waves.whole, 0);
    EXPECT_EQ(figures.predicted[0], 0);
}

TEST(RecordedFigures, AreOfTheNextRecordedSideAndOfAllLaunches) {
    lab::GpuRecord record;
    record.machine = machine();
    for (const int side : {64, 200}) {
        lab::LabPoint point;
        point.kernel = "jacobi/direct";
        point.side = side;
        point.threads = 256;
        point.seconds = 1e-6 * side;
        ProfileSpan launch = kernelSpan("jacobi/direct", 0, 1);
        point.launches = {launch, launch};
        record.points.push_back(point);
    }
    const auto figures = recordedFigures(record, 100);
    ASSERT_EQ(figures.size(), 1u);
    EXPECT_EQ(figures[0].runLaunches, 2);
    EXPECT_EQ(figures[0].side, 64);
    EXPECT_DOUBLE_EQ(figures[0].seconds, 64e-6);
    EXPECT_DOUBLE_EQ(figures[0].bytes, 2e8);
    EXPECT_DOUBLE_EQ(figures[0].bytesPerSecond(), 2e8 / 64e-6);
    model::KernelWork work;
    work.resources = {256, 40, 1000, 0};
    work.cost = figures[0].span.cost;
    work.blocks = 20000;
    work.bytes = 1e8;
    EXPECT_DOUBLE_EQ(figures[0].predicted[0], 2 * model::wuModel(machine(), work).seconds);
    EXPECT_DOUBLE_EQ(recordedFigures(record, 180)[0].seconds, 200e-6);
}

TEST(StageFigures, SumTheSameWorkOfAStage) {
    FrameProfile profile;
    profile.spans = {
        stageSpan("warp", "warp image", 0.1, 2e9, 1e9), stageSpan("solve", "solve", 0.5, 5e9, 2e9),
        stageSpan("warp", "warp image", 0.1, 4e9, 1e9), stageSpan("warp", "compose field", 0.05)};
    const auto figures = stageFigures(profile);
    ASSERT_EQ(figures.size(), 3u);
    EXPECT_EQ(figures[0].work, "solve");
    EXPECT_EQ(figures[1].work, "warp image");
    EXPECT_THAT(figuresText(figures, 6e10),
                HasSubstr("warp\twarp image\t0.2\t6e+09\t2e+09\t3e+10\t1e+10\t0.5\n"));
    EXPECT_DOUBLE_EQ(figures[1].shareOf(6e10), 0.5);
    EXPECT_EQ(figures[1].shareOf(0), 0) << "not measured";
    EXPECT_THAT(stageText(figures[1], 6e10), HasSubstr("100.0 ms"));
}

TEST(KernelFigures, ExtentsAreShort) {
    const int line[] = {256, 1, 1}, plane[] = {32, 8, 1}, box[] = {4, 25, 200};
    EXPECT_EQ(extentText(line), "256");
    EXPECT_EQ(extentText(plane), "256 (32 × 8)");
    EXPECT_EQ(extentText(box), "20000 (4 × 25 × 200)");
}

TEST(RecentProfiles, TakeMediansOverEstimationsOfTheSameWork) {
    RecentProfiles recent;
    EXPECT_TRUE(recent.typical().spans.empty());
    FrameResult result;
    result.backend = Backend::Cuda;
    const auto add = [&](double all, double launch) {
        ProfileSpan kernel = kernelSpan("jacobi/direct", all, 60);
        kernel.launchSeconds = launch;
        result.profile.spans = {stageSpan("solve", "solve", 2 * all), kernel};
        recent.add(result);
    };
    add(0, 0); // kernels weren't timed yet
    add(0.2, 0.02);
    add(0.1, 0.01);
    add(9, 0.03); // disturbed
    FrameProfile typical = recent.typical();
    EXPECT_EQ(typical.spans[1].seconds, 0.2);
    EXPECT_EQ(typical.spans[1].launchSeconds, 0.02);
    EXPECT_EQ(typical.spans[0].seconds, 0.4);
    EXPECT_EQ(typical.spans[1].bytes, 1e8);

    // Blocks of another size are other work.
    ProfileSpan other = kernelSpan("jacobi/direct", 7, 60);
    other.block[0] = 64;
    result.profile.spans = {stageSpan("solve", "solve", 8), other};
    recent.add(result);
    EXPECT_EQ(recent.typical().spans[1].seconds, 7);
    EXPECT_EQ(recent.size(), 5u);

    ++result.generation;
    add(0.5, 0.05);
    EXPECT_EQ(recent.size(), 1u);
    result.backend = Backend::Cpu;
    add(0.6, 0);
    EXPECT_EQ(recent.size(), 1u);
    EXPECT_EQ(recent.backend(), Backend::Cpu);
    for (std::size_t i = 0; i < 2 * RecentProfiles::capacity; ++i)
        add(0.1, 0);
    EXPECT_EQ(recent.size(), RecentProfiles::capacity);
}

TEST(OccupancyPanel, SaysWhatRanWhere) {
    Session none;
    const Tools tools(none);
    Panels panels = makePanels(tools);
    Panel& panel = findPanel(panels, "Occupancy");
    Session session;
    FrameResult result;
    result.profile.spans = {stageSpan("solve", "solve", 0.5, 5e9, 2e9)};
    session.profiles.add(result);
    const std::string host = panel.text(session);
    EXPECT_THAT(host, HasSubstr("estimated on the CPU\n"));
    EXPECT_THAT(host, HasSubstr("solve\tsolve\t0.5\t5e+09\t2e+09\t1e+10\t4e+09\t0\n"));

    result.profile.spans.push_back(kernelSpan("red-black/colors", 6e-3, 60));
    result.backend = Backend::Cuda;
    session.profiles.add(result);
    CudaDevice device;
    device.name = "NVIDIA H200";
    device.computeCapability = 90;
    device.multiprocessors = 132;
    session.estimation.memory.device = device;
    session.estimation.tuning = {"jacobi/direct: 256 threads"};
    const std::string cuda = panel.text(session);
    EXPECT_THAT(cuda, HasSubstr("figures of\tNVIDIA H200"));
    EXPECT_THAT(cuda, HasSubstr("red-black/colors\tsolve\t60\t0.006\t1.0000\t256\t20000\t25.25\t"));
    EXPECT_THAT(cuda, HasSubstr("block sizes\tjacobi/direct: 256 threads"));
}

TEST(OccupancyPanel, WantsTheTimesOfKernelsWhileItIsOpen) {
    Session none;
    const Tools tools(none);
    Panels panels = makePanels(tools);
    for (const auto& panel : panels)
        panel->shown = panel->open = true;
    EXPECT_TRUE(kernelTimesWanted(panels));
    Panel& panel = findPanel(panels, "Occupancy");
    panel.open = false;
    EXPECT_FALSE(kernelTimesWanted(panels));
    panel.open = true;
    panel.shown = false;
    EXPECT_FALSE(kernelTimesWanted(panels));
}

} // namespace
} // namespace systole
