// The order in which frames are segmented, as command and window go through it.
#pragma once

#include "app/features/segmentation/segment_run.h"
#include "app/task/course_order.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace systole {

/// The frame of the seeds, then maybe those after it, each from its neighbor, then those before it,
/// which begin with the frame of the seeds once more.
class SegmentOrder final : public CourseOrder<SegmentWork> {
public:
    /// `frames`: one frame, or that of the seeds and framesAround() it.
    SegmentOrder(SegmentSeeds seeds, const SegmentOptions& options, std::vector<int> frames);

    const std::vector<int>& frames() const { return frames_; }

    std::optional<SegmentTask> next(AwaitedInputs& inputs) override;
    void advance(const SegmentOutcome&) override { ++next_; }
    bool done() const override { return next_ == frames_.size(); }

private:
    SegmentSeeds seeds_;
    SegmentOptions options_;
    std::vector<int> frames_;
    std::size_t next_ = 0;
    /// Frame of the seeds, from which the frames before it are segmented.
    std::shared_ptr<const Volume> first_;
};

/// A frame, and maybe framesAround() it.
std::vector<int> segmentedFrames(int first, bool all, int frames);

} // namespace systole
