// The status line: values under the pointer, the frame pair shown, the open file, frame of
// reference and time, and the backend.
#pragma once

#include "app/live/session.h"
#include "render/scene.h"

#include <functional>
#include <optional>

class QLabel;
class QStatusBar;

namespace systole {

class StatusLine {
public:
    /// Adds its labels to the bar, which owns them. `setFrameTime` is called when the user clicks
    /// the link shown for an unknown frame time.
    StatusLine(QStatusBar* bar, std::function<void()> setFrameTime);

    void show(const Session& session);
    void showProbe(const std::optional<Probe>& probe);

private:
    QLabel* probe_;
    QLabel* motion_;
    QLabel* file_;
    QLabel* time_;
    QLabel* backend_;
};

} // namespace systole
