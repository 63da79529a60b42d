// Ctrl-C and termination as a request that work can answer in its own time.
#pragma once

#include <functional>
#include <thread>

namespace systole {

inline constexpr int interruptedExitCode = 130;

/// While it lives, the first SIGINT or SIGTERM calls `stop` on its own thread instead of ending the
/// process. Work that doesn't answer within 0.15 s, such as one long write, is not waited for: the
/// process ends with interruptedExitCode and the same line as any interrupted command, and leaves
/// no half file. Construct it before any other thread starts: only threads started later
/// leave the signals to it. While there is one, another one does nothing.
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
