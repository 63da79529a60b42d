#include "app/study/expected_time.h"

#include "app/study/step_record.h"
#include "compute/core/elapsed.h"
#include "compute/core/median.h"
#include "compute/motion/methods.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace systole {
namespace {

constexpr int trialSide = 40; ///< side of the timed estimation, voxels: it takes 0.1 s
/// Estimations of a frame: from the last one, and since the first one.
constexpr int estimationsPerFrame = 2;

double voxelFrames(const PlannedCase& planned) {
    double count = planned.frames;
    for (const std::string& side : planned.size)
        count *= std::stod(side);
    return count;
}

/// Seconds a voxel and frame of the steps that have been done, by name.
std::map<std::string, double> recordedTimes(const CohortPlan& plan, const std::string& output) {
    std::map<std::string, std::vector<double>> found;
    for (const PlannedCase& planned : plan.cases)
        for (const CohortStep& step : planned.steps)
            if (const double seconds = costOf(output, planned.entry.id, step.name).seconds;
                seconds > 0)
                found[step.name].push_back(seconds / voxelFrames(planned));
    std::map<std::string, double> times;
    for (auto& [name, seconds] : found)
        times[name] = median(seconds);
    return times;
}

/// Seconds a voxel of one estimation on a thread of this computer, or on the GPU.
double estimationTime(const CohortSettings& settings, const model::GpuMachine* machine) {
    const MotionMethod& method = motionMethod(settings.method);
    ExecResources resources(1);
    ExecContext ctx = resources.context();
    KernelProfile profile;
    ctx.profile = &profile;
    const Geometry grid({trialSide, trialSide, trialSide}, {1, 1, 1});
    Volume fixed(grid, *ctx.pool, "trial"), moving(grid, *ctx.pool, "trial");
    for (int z = 0; z < trialSide; ++z)
        for (int y = 0; y < trialSide; ++y)
            for (int x = 0; x < trialSide; ++x) { // waves that move by half a voxel
                const double across = std::sin(0.5 * y) * std::cos(0.4 * z);
                const auto value = [&](double at) {
                    return static_cast<float>(128 + 100 * std::sin(0.6 * at) * across);
                };
                fixed.view().row(y, z)[x] = value(x);
                moving.view().row(y, z)[x] = value(x + 0.5);
            }
    VectorField field(grid, *ctx.pool, "trial");
    std::fill_n(field.components.data(), field.components.size(), 0.0f);
    const auto start = std::chrono::steady_clock::now();
    profile.beginFrame(0);
    MotionInput input;
    input.fixed = std::as_const(fixed).view();
    input.moving = std::as_const(moving).view();
    method.make(parametersOf(settings), Backend::Cpu)->estimate(input, field.view(), ctx);
    const double seconds = secondsSince(start);
    double bytes = 0;
    for (const ProfileSpan& span : profile.endFrame().spans)
        bytes += span.stage.empty() ? 0 : span.bytes;
    const auto voxels = static_cast<double>(grid.voxels());
    return machine && bytes > 0 ? bytes / machine->memoryBandwidth / voxels
                                : seconds / voxels / settings.threads;
}

} // namespace

void addExpectedTimes(CohortPlan& plan, const std::string& output,
                      const model::GpuMachine* machine) {
    std::map<std::string, double> times = recordedTimes(plan, output);
    if (!times.contains(motionStep))
        times[motionStep] = estimationsPerFrame * estimationTime(plan.settings, machine);
    for (PlannedCase& planned : plan.cases)
        for (CohortStep& step : planned.steps)
            if (const auto found = times.find(step.name); found != times.end())
                step.seconds = found->second * voxelFrames(planned);
}

} // namespace systole
