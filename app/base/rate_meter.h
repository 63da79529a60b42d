// The rate of a repeated event, over its last few occurrences.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>

namespace systole {

class RateMeter {
public:
    using Clock = std::chrono::steady_clock;

    explicit RateMeter(std::size_t window = 16) : window_(window) {}

    void add(Clock::time_point now) {
        times_.push_back(now);
        if (times_.size() > window_ + 1)
            times_.pop_front();
    }

    /// Rate per second; 0 before the second event. While the next event is late the rate falls
    /// instead of staying constant, and after three seconds without any it is 0.
    double perSecond(Clock::time_point now) const {
        if (times_.size() < 2 || now - times_.back() > std::chrono::seconds(3))
            return 0;
        const auto intervals = static_cast<double>(times_.size() - 1);
        const double span = seconds(times_.back() - times_.front());
        const double late = seconds(now - times_.back()) - span / intervals;
        const double whole = late > 0 ? span + late : span;
        return whole > 0 ? intervals / whole : 0;
    }

    void clear() { times_.clear(); }

private:
    static double seconds(Clock::duration duration) {
        return std::chrono::duration<double>(duration).count();
    }

    std::size_t window_;
    std::deque<Clock::time_point> times_;
};

} // namespace systole
