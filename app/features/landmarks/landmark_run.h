// The tasks of finding and following landmarks, one frame at a time.
#pragma once

#include "app/features/landmarks/wall_source.h"
#include "app/task/task_run.h"
#include "compute/core/exec.h"
#include "compute/core/motion_estimator.h"
#include "compute/core/volume.h"
#include "compute/landmarks/corners.h"
#include "compute/landmarks/landmark_set.h"
#include "compute/landmarks/tracker.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace systole {

/// Points and images with which a track begins.
struct LandmarkStart {
    std::shared_ptr<const Volume> image; ///< the frame of the points
    std::vector<Vec3> voxels;            ///< positions of the points in it, voxel indices
    TrackerSettings settings;
    IntensityScale scale;
};

struct LandmarkTask {
    int frame = 0;
    std::shared_ptr<const Volume> image;
    std::optional<CornerSettings> detect; ///< find points in the frame, and nothing else
    std::optional<WallSource> within;     ///< find them in this wall
    std::shared_ptr<const Volume> mask;   ///< find them where it is above 0; null: anywhere
    /// Begins anew with these points; null: goes on from the frame of the last task.
    std::shared_ptr<const LandmarkStart> start;
};

struct LandmarkOutcome {
    int frame = 0;
    bool detected = false;            ///< the outcome of a detection: `corners`, else `points`
    std::vector<Corner> corners;      ///< strongest first
    std::vector<TrackedPoint> points; ///< points in the order of LandmarkStart::voxels
    std::array<int, trackFates> counts{};
    std::string failure; ///< one sentence; empty: none
    double seconds = 0;
};

/// See TaskRun.
class LandmarkWork {
public:
    using Task = LandmarkTask;
    using Outcome = LandmarkOutcome;

    /// Throws what findCorners(), LandmarkTracker and voxelsOf() throw.
    void run(const LandmarkTask& task, LandmarkOutcome& made, const ExecContext& ctx);

private:
    void track(const LandmarkTask& task, LandmarkOutcome& made, const ExecContext& ctx);

    std::optional<LandmarkTracker> tracker_;
};

/// Corners as points, C1 the first.
LandmarkSet landmarksOf(const std::vector<Corner>& corners, const Geometry& grid, int frame);

/// The points in their own frame, and nothing yet in the others. A point without a name gets its
/// number, from 1.
LandmarkTracks tracksOf(const LandmarkSet& points, int frames);

} // namespace systole
