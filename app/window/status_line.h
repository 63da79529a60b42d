// The status line: values under the pointer, the frame pair shown, the open file, frame of
// reference and time, and the backend.
#pragma once

#include "app/session/session.h"
#include "render/scene/scene.h"

#include <functional>
#include <optional>

class QLabel;
class QStatusBar;

namespace systole {

class StatusLine {
public:
    /// Links that the user can click where the file lacks the information.
    struct Links {
        std::function<void()> setFrameTime, chooseModality;
    };
    /// Adds its labels to the bar, which owns them.
    StatusLine(QStatusBar* bar, Links links);

    void show(const Session& session);
    void showProbe(const std::optional<Probe>& probe);

private:
    void keepMotionWidth();

    QLabel* probe_;
    QLabel* motion_;
    QLabel* file_;
    QLabel* time_;
    QLabel* backend_;
    std::optional<bool> narrow_; ///< the bar is narrow; none: not looked at yet
};

} // namespace systole
