// An X server of the tests' own, so that windows neither pop up nor depend on the desktop.
#pragma once

#include <string>
#include <sys/types.h>

namespace systole::testing {

class VirtualDisplay {
public:
    /// Starts Xvfb and points DISPLAY at it.
    VirtualDisplay();
    ~VirtualDisplay();
    VirtualDisplay(const VirtualDisplay&) = delete;
    VirtualDisplay& operator=(const VirtualDisplay&) = delete;

    /// Empty when it runs.
    const std::string& problem() const { return problem_; }

private:
    pid_t server_ = -1;
    std::string problem_;
};

} // namespace systole::testing
