#include "app/cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>

namespace systole {
namespace {

int terminalColumns() {
    winsize size{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

} // namespace

std::string durationText(double seconds) {
    const auto total = std::lround(std::max(0.0, seconds));
    if (total < 60)
        return fmt::format("{} s", total);
    if (total < 3600)
        return fmt::format("{} min {} s", total / 60, total % 60);
    return fmt::format("{} h {} min", total / 3600, total / 60 % 60);
}

ProgressBar::ProgressBar() : terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
    if (terminal_)
        fmt::print(stderr, "\r\x1b[K");
}

void ProgressBar::update(const std::string& phase, double fraction) {
    const auto now = Clock::now();
    if (!terminal_ || now - drawn_ < std::chrono::milliseconds(100))
        return;
    drawn_ = now;
    fraction = std::clamp(fraction, 0.0, 1.0);
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    // An estimate from the first moments would only be noise.
    const std::string left = elapsed > 1 && fraction > 0.01
                                 ? durationText(elapsed * (1 - fraction) / fraction) + " left"
                                 : std::string{};
    constexpr int cells = 24;
    const int full = static_cast<int>(fraction * cells);
    std::string line = fmt::format("[{:=<{}}{: <{}}] {:3.0f} %  {}  {}", "", full, "", cells - full,
                                   100 * fraction, left, phase);
    line.resize(std::min(line.size(), static_cast<std::size_t>(terminalColumns() - 1)));
    fmt::print(stderr, "\r\x1b[K{}", line);
    std::fflush(stderr);
}

} // namespace systole
