// --reference window and the number of its frames: motion over a window of frames.
#pragma once

#include <string>

namespace systole {

/// The help of the option for the number of frames.
std::string windowHelp();

/// Names of both options, for messages. Commands that draw have a gray-value window too.
struct WindowOptionNames {
    std::string reference = "--reference", window = "--window";
};

/// The frames of the window; 0: the reference uses none. `asked` 0: not given. Throws UsageError.
int windowOf(const std::string& reference, int asked, const WindowOptionNames& names = {});

} // namespace systole
