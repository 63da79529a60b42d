#include "app/cli/interrupt.h"

#include "io/base/partial_file.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <unistd.h>
#include <utility>

namespace systole {
namespace {

sigset_t endingSignals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    return signals;
}

/// Signals are of the whole process: one watch has them.
std::atomic<bool> isWatched = false;

} // namespace

InterruptWatch::InterruptWatch(std::function<void()> stop) {
    if (isWatched.exchange(true))
        return;
    const sigset_t signals = endingSignals();
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    thread_ = std::jthread([signals, stop = std::move(stop)](const std::stop_token& done) {
        constexpr timespec wait{.tv_sec = 0, .tv_nsec = 20'000'000};
        while (!done.stop_requested()) {
            if (sigtimedwait(&signals, nullptr, &wait) <= 0)
                continue;
            stop();
            std::mutex mutex;
            std::unique_lock lock(mutex);
            std::condition_variable_any answered; // notified by `done` when the watch ends
            answered.wait_for(lock, done, std::chrono::milliseconds(150), [] { return false; });
            if (done.stop_requested())
                return;
            // The line of a progress bar may be there.
            fmt::print(stderr, "{}systole: interrupted\n", isatty(STDERR_FILENO) ? "\r\x1b[K" : "");
            // Another thread may hold it for good, in a write to a pipe that nobody reads.
            if (ftrylockfile(stdout) == 0)
                std::fflush(stdout);
            endProcess(interruptedExitCode);
        }
    });
}

InterruptWatch::~InterruptWatch() {
    if (!thread_.joinable())
        return;
    thread_.request_stop();
    thread_.join();
    const sigset_t signals = endingSignals();
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
    isWatched = false;
}

} // namespace systole
