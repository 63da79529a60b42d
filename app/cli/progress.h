// The progress of a command, shown on a terminal.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace systole {

/// A bar with the fraction done and the time left, drawn on stderr if that is a terminal, else
/// nothing. Its line is cleared at the end of its life.
class ProgressBar {
public:
    ProgressBar();
    ~ProgressBar();
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    /// `fraction` of everything, 0–1; redraws at most ten times per second.
    void update(const std::string& phase, double fraction);
    /// update(), for ExecContext::progress; the bar must outlive it.
    std::function<void(const std::string& phase, double fraction)> reporter() {
        return [this](const std::string& phase, double fraction) { update(phase, fraction); };
    }

private:
    using Clock = std::chrono::steady_clock;
    bool terminal_;
    Clock::time_point start_ = Clock::now();
    Clock::time_point drawn_{};
};

/// Formats a time like "12 s", "3 min 20 s", "1 h 5 min".
std::string durationText(double seconds);

} // namespace systole
