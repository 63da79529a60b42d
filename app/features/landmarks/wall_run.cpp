#include "app/features/landmarks/wall_run.h"

#include <utility>

namespace systole {

void WallWork::run(WallTask& task, WallOutcome& made, ExecContext& ctx) {
    if (begun_ != task.start || !wall_) {
        wall_.reset();
        begun_ = task.start;
        const Geometry& grid = begun_->source.grid;
        const WallVoxels voxels = voxelsOf(begun_->source, ctx);
        label_ = voxels.label;
        wall_.emplace(VolumeView<const std::uint8_t>(voxels.inWall.data(), grid.size()), grid,
                      begun_->points, begun_->options);
    }
    made.label = label_;
    made.points = wall_->points();
    made.made = wall_->carry(task.positions, ctx);
    made.positions = std::move(task.positions);
}

} // namespace systole
