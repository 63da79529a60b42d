#include "app/features/landmarks/wall_course.h"

#include <cstddef>
#include <cstdlib>
#include <utility>

namespace systole {

WallOrder::WallOrder(std::shared_ptr<const WallStart> start, Tracks tracks)
    : start_(std::move(start))
    , tracks_(std::move(tracks))
    , moved_(static_cast<std::size_t>(tracks_.frames), false) {}

std::optional<int> WallOrder::nearest() const {
    const int shown = tracks_.shown();
    std::optional<int> next;
    for (int frame = 0; frame < tracks_.frames; ++frame)
        if (!moved_[static_cast<std::size_t>(frame)] && tracks_.found(frame) &&
            (!next || std::abs(frame - shown) < std::abs(*next - shown)))
            next = frame;
    return next;
}

std::optional<WallTask> WallOrder::next(AwaitedInputs&) {
    const std::optional<int> frame = nearest();
    if (!frame)
        return std::nullopt;
    return WallTask{start_, *frame, tracks_.positions(*frame)};
}

void WallOrder::advance(const WallOutcome& outcome) {
    moved_[static_cast<std::size_t>(outcome.frame)] = true;
}

} // namespace systole
