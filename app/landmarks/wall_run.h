// Moves tracks with an elastic wall on its own thread, one frame at a time.
#pragma once

#include "app/landmarks/tracks_in_wall.h"
#include "app/landmarks/wall_source.h"

#include <functional>
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
    int label = 0, points = 0; ///< of the wall, in the wall
    std::string failure;       ///< why there is no wall, one sentence; empty: there is
};

class WallRun {
public:
    struct Options {
        int threads = 1;
        /// Called on the thread when there is an outcome; must not block.
        std::function<void()> notify;
    };
    explicit WallRun(Options options);
    ~WallRun(); ///< cancels and joins

    /// Cancels an earlier task, whose outcome is dropped.
    void start(WallTask task);
    void cancel();
    /// That of the task started last, once.
    std::optional<WallOutcome> take();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace systole
