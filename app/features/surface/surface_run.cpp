#include "app/features/surface/surface_run.h"

#include "app/features/surface/surface_maker.h"
#include "compute/core/error.h"

#include <utility>

namespace systole {
namespace {

/// Share of the device's free memory: the estimation and the picture have most of it.
constexpr double deviceShare = 0.3;

} // namespace

SurfaceWork::SurfaceWork(DeviceAccess devices)
    : maker_(std::make_unique<SurfaceMaker>())
    , device_(preferred(Backend::Cuda), {.share = deviceShare}, std::move(devices)) {}
SurfaceWork::~SurfaceWork() = default;

LiveSurface SurfaceWork::make(const SurfaceTask& task, const ExecContext& ctx) {
    if (task.backend != Backend::Cuda)
        return maker_->make(task, ctx);
    device_.tryAgain();
    LiveSurface made =
        device_.run(ctx, [&](const ExecContext& where) { return maker_->make(task, where); });
    if (!device_.fallback().empty())
        made.note = device_.fallback();
    return made;
}

void SurfaceWork::run(const SurfaceTask& task, SurfaceOutcome& outcome, const ExecContext& ctx) {
    const JobEnd end = endOf([&] {
        outcome.made = std::make_shared<const LiveSurface>(
            task.from ? SurfaceMaker::carry(*task.from, *task.motion, ctx) : make(task, ctx));
    });
    if (end.stopped)
        throw Cancelled();
    if (end.failure.empty())
        return;
    auto none = std::make_shared<LiveSurface>();
    none->frame = task.frame;
    none->carried = task.choice.isCarried(); // the series that waits for it
    none->problem = end.failure;
    outcome.made = std::move(none);
}

const Task& denoiseTask() {
    static const Task task{"denoise",
                           "The surface of a label or a threshold",
                           &nonlocalMeansTable(),
                           {Backend::Cpu, Backend::Cuda}};
    return task;
}

} // namespace systole
