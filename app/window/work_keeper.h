// Keeps what isn't saved in a window, every few seconds, and says what an earlier one left.
#pragma once

#include "app/window/recovery.h"

#include <QTimer>

#include <filesystem>
#include <string>

namespace systole {

class Window;

/// Labels, landmarks and points of the heart. Lives no longer than the window.
class WorkKeeper {
public:
    WorkKeeper(Window& window, const std::filesystem::path& folder);

private:
    void keep();

    Window& window_;
    Recovery recovery_;
    std::string left_; ///< by earlier sessions; empty: nothing, or told
    QTimer timer_;
};

} // namespace systole
