// What a loop without a window waits for between its ticks.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace systole {

/// Wakes the loop when another thread has news.
class News {
public:
    void tell() {
        {
            const std::lock_guard lock(mutex_);
            there_ = true;
        }
        changed_.notify_all();
    }
    /// For so long at most, and never longer than a twentieth of a second.
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
