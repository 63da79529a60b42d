// Ctrl-C and termination as a request that work can answer in its own time.
#pragma once

#include <functional>
#include <thread>

namespace systole {

/// While it lives, the first SIGINT or SIGTERM calls `stop` on a thread of its own instead of
/// ending the process; a second one ends the process at once with code 128 + signal. Make it before
/// any other thread starts: only threads that start later leave the two signals to it.
class InterruptWatch {
public:
    explicit InterruptWatch(std::function<void()> stop);
    ~InterruptWatch();
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;

private:
    std::jthread thread_;
};

} // namespace systole
