// Keeps what isn't saved in a window, every few seconds, says what an earlier one left, and brings
// it back.
#pragma once

#include "app/window/recovery.h"

#include <QTimer>

#include <filesystem>
#include <string>

namespace systole {

class Tools;
class Window;

/// Gives what was kept back to the tools of the same sequence, which read it in the background.
void restoreWork(const RecoveredWork& work, Tools& tools);

/// Labels, landmarks and points of the heart. Lives no longer than the window.
class WorkKeeper {
public:
    WorkKeeper(Window& window, const std::filesystem::path& folder);

private:
    void keep();

    Window& window_;
    Recovery recovery_;
    std::string left_; ///< message about work of earlier sessions; empty: none, or already shown
    QTimer timer_;
};

} // namespace systole
