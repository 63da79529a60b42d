#include "app/landmarks/wall_run.h"

#include "compute/core/newest_outcome_thread.h"

#include <utility>

namespace systole {

struct WallRun::Impl {
    explicit Impl(Options options)
        : outcomes(options.threads, std::move(options.notify),
                   [this](WallTask& task, WallOutcome& made, ExecContext& ctx) {
                       carry(task, made, ctx);
                   }) {}

    void carry(WallTask& task, WallOutcome& made, ExecContext& ctx);

    // Of the thread alone.
    std::shared_ptr<const WallStart> begun; ///< what `wall` is of
    std::optional<TracksInWall> wall;
    int label = 0;

    NewestOutcomeThread<WallTask, WallOutcome> outcomes; ///< last: it uses all of the above
};

void WallRun::Impl::carry(WallTask& task, WallOutcome& made, ExecContext& ctx) {
    if (begun != task.start || !wall) {
        wall.reset();
        begun = task.start;
        const Geometry& grid = begun->source.grid;
        const WallVoxels voxels = voxelsOf(begun->source, ctx);
        label = voxels.label;
        wall.emplace(VolumeView<const std::uint8_t>(voxels.inWall.data(), grid.size()), grid,
                     begun->points, begun->options);
    }
    made.label = label;
    made.points = wall->points();
    made.made = wall->carry(task.positions, ctx);
    made.positions = std::move(task.positions);
}

WallRun::WallRun(Options options) : impl_(std::make_unique<Impl>(std::move(options))) {}
WallRun::~WallRun() = default;

void WallRun::start(WallTask task) { impl_->outcomes.start(std::move(task)); }
void WallRun::cancel() { impl_->outcomes.cancel(); }
std::optional<WallOutcome> WallRun::take() { return impl_->outcomes.take(); }

} // namespace systole
