#include "app/features/landmarks/landmark_course.h"

#include <fmt/format.h>

#include <utility>

namespace systole {

std::string outsideText(const LandmarkSet& points, const Geometry& grid) {
    const Size3 size = grid.size();
    for (std::size_t i = 0; i < points.points.size(); ++i) {
        const Landmark& point = points.points[i];
        const Vec3 p = point.position, v = grid.physicalToIndex(p);
        for (int axis = 0; axis < 3; ++axis)
            if (!(v[axis] >= -0.5 && v[axis] <= size[axis] - 0.5))
                return fmt::format("{} at {:.2f}, {:.2f}, {:.2f} mm (LPS) lies outside the image",
                                   point.name.empty() ? std::to_string(i + 1) : point.name, p.x,
                                   p.y, p.z);
    }
    return {};
}

std::vector<Vec3> voxelsOf(const LandmarkSet& points, const Geometry& grid) {
    std::vector<Vec3> voxels;
    for (const Landmark& point : points.points)
        voxels.push_back(grid.physicalToIndex(point.position));
    return voxels;
}

std::optional<LandmarkTask> DetectionOrder::next(AwaitedInputs& inputs) {
    LandmarkTask task = task_;
    task.image = inputs.frame(task.frame);
    if (!task.image)
        return std::nullopt;
    if (within_)
        task.within = within_();
    return task;
}

TrackOrder::TrackOrder(LandmarkStart start, int first, int frames)
    : start_(std::move(start)), first_(first), order_(framesAround(first, frames)) {}

std::optional<LandmarkTask> TrackOrder::next(AwaitedInputs& inputs) {
    LandmarkTask task;
    task.frame = order_[next_];
    const bool anew = next_ == 0 || task.frame == first_ - 1;
    if (anew && !start_.image)
        start_.image = inputs.frame(first_);
    if (anew && !start_.image)
        return std::nullopt;
    task.image = inputs.frame(task.frame);
    if (!task.image)
        return std::nullopt;
    if (anew)
        task.start = std::make_shared<const LandmarkStart>(start_);
    return task;
}

void addFrame(LandmarkTracks& tracks, const Geometry& grid, const LandmarkOutcome& found) {
    for (std::size_t i = 0; i < found.points.size(); ++i)
        if (const TrackedPoint& point = found.points[i]; point.fate == TrackFate::Tracked)
            tracks.tracks[i].frames[static_cast<std::size_t>(found.frame)] =
                TrackedPosition{grid.indexToPhysical(point.position), double{point.certainty}};
}

} // namespace systole
