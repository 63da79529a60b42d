// Timing of the benchmarks.
#pragma once

#include "compute/core/elapsed.h"
#include "compute/core/exec.h"
#include "compute/core/median.h"
#include "compute/core/profile.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

namespace systole {

using BenchClock = std::chrono::steady_clock;

/// Seconds that cores have worked for this process and for those that it has waited for: on a
/// machine that does other work, too, this over the number of threads is what a step would take
/// alone.
double processorSeconds();

/// Runs `once` (which returns seconds) up to `repeats` times, but no longer than `budgetSeconds`
/// unless the first run alone takes that; the median.
template <typename Once>
double medianWithin(int repeats, double budgetSeconds, const Once& once) {
    std::vector<double> seconds;
    const BenchClock::time_point begin = BenchClock::now();
    for (int n = 0; n < repeats && (n == 0 || secondsSince(begin) < budgetSeconds); ++n)
        seconds.push_back(once());
    return median(std::move(seconds));
}

/// Wall-clock seconds of one run.
template <typename Once>
double secondsOf(const Once& once) {
    const BenchClock::time_point begin = BenchClock::now();
    once();
    return secondsSince(begin);
}

/// medianWithin() of the wall-clock seconds of runs.
template <typename Once>
double medianSeconds(int repeats, double budgetSeconds, const Once& once) {
    return medianWithin(repeats, budgetSeconds, [&] { return secondsOf(once); });
}

/// medianWithin() of runs after one that warms up.
template <typename Once>
double warmMedian(int repeats, double budgetSeconds, const ExecContext& ctx, const Once& once) {
    once();
    return medianWithin(repeats, budgetSeconds, [&] {
        ctx.throwIfCancelled();
        return secondsOf(once);
    });
}

/// The run whose key is the median.
template <typename Run, typename Key>
Run medianRun(std::vector<Run> runs, const Key& key) {
    const auto middle = runs.begin() + static_cast<std::ptrdiff_t>(runs.size() / 2);
    std::ranges::nth_element(runs, middle, {}, key);
    return std::move(*middle);
}

/// The profile of a run; `everyKernel`: it has the time of each kernel.
template <typename Run>
FrameProfile profileOf(ExecContext ctx, bool everyKernel, const Run& run) {
    KernelProfile profile;
    ctx.profile = &profile;
    ctx.profileKernels = everyKernel;
    profile.beginFrame(0);
    run(ctx);
    return profile.endFrame();
}

} // namespace systole
