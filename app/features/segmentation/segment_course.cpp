#include "app/features/segmentation/segment_course.h"

#include <utility>

namespace systole {

SegmentOrder::SegmentOrder(SegmentSeeds seeds, const SegmentOptions& options,
                           std::vector<int> frames)
    : seeds_(std::move(seeds)), options_(options), frames_(std::move(frames)) {
    options_.clickInWall = options_.clickInWall && seeds_.click.has_value();
}

std::optional<SegmentTask> SegmentOrder::next(AwaitedInputs& inputs) {
    SegmentTask task;
    task.frame = frames_[next_];
    task.image = inputs.frame(task.frame);
    if (!task.image)
        return std::nullopt;
    task.seeds = seeds_;
    task.options = options_;
    task.goesOn = next_ > 0;
    const int first = frames_.front();
    if (next_ == 0 && frames_.size() > 1 && first > 0)
        first_ = task.image;
    if (task.goesOn && task.frame + 1 == first)
        task.from = first_;
    return task;
}

std::vector<int> segmentedFrames(int first, bool all, int frames) {
    std::vector<int> order = all ? framesAround(first, frames) : std::vector<int>{};
    order.insert(order.begin(), first);
    return order;
}

} // namespace systole
