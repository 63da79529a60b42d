// The task of moving tracks with an elastic wall, one frame at a time.
#pragma once

#include "app/features/landmarks/tracks_in_wall.h"
#include "app/features/landmarks/wall_source.h"
#include "app/task/task_run.h"

#include <memory>
#include <optional>
#include <string>

namespace systole {

/// The wall and the points in it when nothing has moved yet.
struct WallStart {
    WallSource source;
    TrackPositions points;
    elasticity::WallTrackOptions options;
};

struct WallTask {
    std::shared_ptr<const WallStart> start; ///< another one is begun with
    int frame = 0;
    TrackPositions positions;
};

struct WallOutcome {
    int frame = 0;
    TrackPositions positions;
    WallFrame made;
    int label = 0, points = 0; ///< the wall's label; how many points are in it
    std::string failure;       ///< why there is no wall, one sentence; empty: there is
};

/// See TaskRun.
class WallWork {
public:
    using Task = WallTask;
    using Outcome = WallOutcome;

    /// Throws what voxelsOf() and TracksInWall throw.
    void run(WallTask& task, WallOutcome& made, ExecContext& ctx);

private:
    std::shared_ptr<const WallStart> begun_; ///< start from which `wall_` was made
    std::optional<TracksInWall> wall_;
    int label_ = 0;
};

} // namespace systole
