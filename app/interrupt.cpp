#include "app/interrupt.h"

#include <csignal>
#include <ctime>
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

} // namespace

InterruptWatch::InterruptWatch(std::function<void()> stop) {
    const sigset_t signals = endingSignals();
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    thread_ = std::jthread([signals, stop = std::move(stop)](const std::stop_token& done) {
        const timespec wait{.tv_sec = 0, .tv_nsec = 50'000'000};
        bool asked = false;
        while (!done.stop_requested()) {
            const int signal = sigtimedwait(&signals, nullptr, &wait);
            if (signal <= 0)
                continue;
            if (asked)
                _exit(128 + signal);
            asked = true;
            stop();
        }
    });
}

InterruptWatch::~InterruptWatch() {
    thread_.request_stop();
    thread_.join();
    const sigset_t signals = endingSignals();
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

} // namespace systole
