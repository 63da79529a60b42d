#include "app/estimation/window_queue.h"

#include <algorithm>

namespace systole {

std::optional<int> WindowQueue::next(const PipelineStatus& status, int frames, int window,
                                     Shown shown) {
    const WindowStatus& now = status.window;
    if (generation_ != status.generation || cancelled_ != status.cancelled || rounds_ != now.rounds)
        requested_ = 0;
    generation_ = status.generation;
    cancelled_ = status.cancelled;
    rounds_ = now.rounds;
    if (!status.message.empty())
        return std::nullopt;
    int step = now.nextStep;
    if (now.rounds > 0 && !shown.again) {
        const auto& smoothed = now.smoothedFrames;
        if (shown.frame < 1 || std::ranges::find(smoothed, shown.frame) != smoothed.end())
            return std::nullopt;
        const int completing = std::max(window - 1, shown.frame + window / 2);
        if (completing < step)
            step = 1;
    }
    if (step == status.estimatingFrame)
        ++step;
    if (step >= frames || step == requested_)
        return std::nullopt;
    return step;
}

} // namespace systole
