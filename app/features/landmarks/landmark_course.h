// The order in which points are followed through the frames, as command and window go through it.
#pragma once

#include "app/features/landmarks/landmark_run.h"
#include "app/task/course_order.h"
#include "compute/landmarks/landmark_set.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace systole {

/// Name and place of the first point outside the image: "C1 at 1.00, 2.00, 3.00 mm (LPS) lies
/// outside the image"; empty: all are inside.
std::string outsideText(const LandmarkSet& points, const Geometry& grid);
/// Points as voxels of the grid.
std::vector<Vec3> voxelsOf(const LandmarkSet& points, const Geometry& grid);

/// Corners of one frame.
class DetectionOrder final : public CourseOrder<LandmarkWork> {
public:
    /// `task` lacks its image; `within` gives the wall when the frame is there, empty: anywhere.
    DetectionOrder(LandmarkTask task, std::function<WallSource()> within)
        : task_(std::move(task)), within_(std::move(within)) {}

    std::optional<LandmarkTask> next(AwaitedInputs& inputs) override;
    void advance(const LandmarkOutcome&) override { done_ = true; }
    bool done() const override { return done_; }

private:
    LandmarkTask task_;
    std::function<WallSource()> within_;
    bool done_ = false;
};

/// Points of one frame, followed through those after it, then through those before it, backwards.
/// Either direction begins with the frame of the points.
class TrackOrder final : public CourseOrder<LandmarkWork> {
public:
    /// `start` lacks its image.
    TrackOrder(LandmarkStart start, int first, int frames);

    std::optional<LandmarkTask> next(AwaitedInputs& inputs) override;
    void advance(const LandmarkOutcome&) override { ++next_; }
    bool done() const override { return next_ == order_.size(); }

private:
    LandmarkStart start_; ///< its image is null until it is there
    int first_ = 0;
    std::vector<int> order_;
    std::size_t next_ = 0;
};

/// Enters the points that were found in a frame. Tracks are in the order of the start.
void addFrame(LandmarkTracks& tracks, const Geometry& grid, const LandmarkOutcome& found);

} // namespace systole
