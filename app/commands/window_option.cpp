#include "app/commands/window_option.h"

#include "app/error.h"
#include "compute/core/error.h"
#include "compute/motion/trajectory_filter.h"

#include <fmt/format.h>

namespace systole {

std::string windowHelp() {
    return fmt::format("With --reference window, the frames that a parabola in time is fitted to: "
                       "an odd number from {} to {}; more need more frames per cycle [default: {}]",
                       leastTrajectoryWindow, mostTrajectoryWindow, defaultTrajectoryWindow);
}

int windowOf(const std::string& reference, int asked, const WindowOptionNames& names) {
    if (reference != "window" && asked != 0)
        throw UsageError(fmt::format("{} requires {} window", names.window, names.reference));
    if (reference != "window")
        return 0;
    const int window = asked == 0 ? defaultTrajectoryWindow : asked;
    try {
        TrajectoryFilter{window};
    } catch (const ComputeError& error) {
        throw UsageError(fmt::format("{}: {}", names.window, error.what()));
    }
    return window;
}

} // namespace systole
