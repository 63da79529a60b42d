// Wakes a loop without a window between its ticks.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace systole {

/// Wakes the loop when another thread has a result or progress.
class WakeSignal {
public:
    void tell() {
        {
            const std::lock_guard lock(mutex_);
            there_ = true;
        }
        changed_.notify_all();
    }
    /// Waits for at most this long, and never longer than a twentieth of a second.
    void wait(double seconds) {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, std::chrono::duration<double>(std::clamp(seconds, 0.0, 0.05)),
                          [this] { return there_; });
        there_ = false;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool there_ = false;
};

} // namespace systole
