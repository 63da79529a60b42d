#include "app/landmarks/landmark_run.h"

#include "compute/core/elapsed.h"
#include "compute/core/newest_outcome_thread.h"

#include <chrono>
#include <utility>

namespace systole {
namespace {

std::vector<Corner> cornersOf(const LandmarkTask& task, const ExecContext& ctx) {
    const Geometry& grid = task.image->geometry;
    std::vector<float> mask;
    if (task.within) {
        const WallVoxels wall = voxelsOf(*task.within, ctx);
        mask.assign(wall.inWall.begin(), wall.inWall.end());
    }
    return findCorners(task.image->view(), grid.spacing(),
                       mask.empty() ? VolumeView<const float>()
                                    : VolumeView<const float>(mask.data(), grid.size()),
                       *task.detect, ctx);
}

} // namespace

struct LandmarkRun::Impl {
    explicit Impl(Options options)
        : outcomes(options.threads, std::move(options.notify),
                   [this](const LandmarkTask& task, LandmarkOutcome& made, ExecContext& ctx) {
                       const auto begin = std::chrono::steady_clock::now();
                       made.detected = task.detect.has_value();
                       if (task.detect)
                           made.corners = cornersOf(task, ctx);
                       else
                           track(task, made, ctx);
                       made.seconds = secondsSince(begin);
                   }) {}

    void track(const LandmarkTask& task, LandmarkOutcome& made, ExecContext& ctx);

    /// Of the thread alone.
    std::optional<LandmarkTracker> tracker;

    NewestOutcomeThread<LandmarkTask, LandmarkOutcome> outcomes; ///< last: it uses the above
};

void LandmarkRun::Impl::track(const LandmarkTask& task, LandmarkOutcome& made, ExecContext& ctx) {
    const Geometry& grid = task.image->geometry;
    if (task.start) {
        tracker.reset();
        tracker.emplace(grid.size(), grid.spacing(), task.start->scale, task.start->settings, ctx);
        tracker->start(task.start->image->view(), task.start->voxels, ctx);
    }
    const TrackStep step = tracker->advance(task.image->view(), ctx);
    made.points.assign(step.points.begin(), step.points.end());
    made.counts = step.counts;
}

LandmarkRun::LandmarkRun(Options options) : impl_(std::make_unique<Impl>(std::move(options))) {}
LandmarkRun::~LandmarkRun() = default;

void LandmarkRun::start(LandmarkTask task) { impl_->outcomes.start(std::move(task)); }
void LandmarkRun::cancel() { impl_->outcomes.cancel(); }
std::optional<LandmarkOutcome> LandmarkRun::take() { return impl_->outcomes.take(); }

} // namespace systole
