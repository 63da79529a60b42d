// How far a command has come, on a terminal.
#pragma once

#include <chrono>
#include <string>

namespace systole {

/// A bar with the part done and the time left, drawn on stderr when that is a terminal, and nothing
/// otherwise. Its line is wiped at the end of its life.
class ProgressBar {
public:
    ProgressBar();
    ~ProgressBar();
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    /// `fraction` of everything, 0–1; redraws at most ten times a second.
    void update(const std::string& phase, double fraction);

private:
    using Clock = std::chrono::steady_clock;
    bool terminal_;
    Clock::time_point start_ = Clock::now();
    Clock::time_point drawn_{};
};

/// "12 s", "3 min 20 s", "1 h 5 min"
std::string durationText(double seconds);

} // namespace systole
