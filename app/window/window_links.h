// The requests that the parts of the window make to it.
#pragma once

#include "app/session/message_log.h"

#include <functional>
#include <string>

class QMainWindow;

namespace systole {

struct WindowLinks {
    QMainWindow* window = nullptr; ///< parent of dialogs and context of queued calls; not null
    std::function<void()> tick;    ///< updates what is shown; to be called after changes
    /// Restarts the clock of playback: the time that a dialog was open doesn't count.
    std::function<void()> skipTime;
    std::function<void(const std::string& sentence)> fail; ///< shows an error
    std::function<void(Message)> report;                   ///< shows a message; its time is now
    /// Says that `what` is saved in the file.
    std::function<void(const std::string& what, const std::string& path)> saved;
};

} // namespace systole
