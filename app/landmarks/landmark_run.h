// Finds and follows landmarks on its own thread, one frame at a time.
#pragma once

#include "app/landmarks/wall_source.h"
#include "compute/core/exec.h"
#include "compute/core/motion_estimator.h"
#include "compute/core/volume.h"
#include "compute/landmarks/corners.h"
#include "compute/landmarks/tracker.h"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

/// What a track begins with.
struct LandmarkStart {
    std::shared_ptr<const Volume> image; ///< the frame of the points
    std::vector<Vec3> voxels;            ///< inside it
    TrackerSettings settings;
    IntensityScale scale;
};

struct LandmarkTask {
    int frame = 0;
    std::shared_ptr<const Volume> image;
    std::optional<CornerSettings> detect; ///< find points in the frame, and nothing else
    std::optional<WallSource> within;     ///< find them in this wall
    /// Begins anew with these points; null: goes on from the frame of the last task.
    std::shared_ptr<const LandmarkStart> start;
};

struct LandmarkOutcome {
    int frame = 0;
    bool detected = false;            ///< the outcome of a detection: `corners`, else `points`
    std::vector<Corner> corners;      ///< strongest first
    std::vector<TrackedPoint> points; ///< in the order of the start
    std::array<int, trackFates> counts{};
    std::string failure; ///< one sentence; empty: none
    double seconds = 0;
};

class LandmarkRun {
public:
    struct Options {
        int threads = 1;
        /// Called on the thread when there is an outcome; must not block.
        std::function<void()> notify;
    };
    explicit LandmarkRun(Options options);
    ~LandmarkRun(); ///< cancels and joins

    /// Cancels an earlier task, whose outcome is dropped.
    void start(LandmarkTask task);
    void cancel();
    /// That of the task started last, once.
    std::optional<LandmarkOutcome> take();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace systole
