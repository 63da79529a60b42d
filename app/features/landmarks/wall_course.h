// The order of frames in which an elastic wall moves the tracks, as command and window go through
// it: of the frames that are found the nearest to the one that matters.
#pragma once

#include "app/features/landmarks/wall_run.h"
#include "app/task/course_order.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace systole {

class WallOrder final : public CourseOrder<WallWork> {
public:
    struct Tracks {
        int frames = 0;
        std::function<bool(int frame)> found; ///< the points were looked for in the frame
        std::function<TrackPositions(int frame)> positions; ///< positions of a frame that is found
        std::function<int()> shown; ///< frame that matters; frames near it are moved first
        /// No more frames are found than there are: it is done with the last of them.
        bool complete = false;
    };
    WallOrder(std::shared_ptr<const WallStart> start, Tracks tracks);

    std::optional<WallTask> next(AwaitedInputs& inputs) override;
    void advance(const WallOutcome& outcome) override;
    bool done() const override { return tracks_.complete && !nearest(); }

private:
    /// The frame that is found and not moved yet; none: all of them are moved.
    std::optional<int> nearest() const;

    std::shared_ptr<const WallStart> start_;
    Tracks tracks_;
    std::vector<bool> moved_; ///< true for frames whose tracks are moved
};

} // namespace systole
