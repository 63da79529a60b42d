// Elapsed wall-clock time.
#pragma once

#include <chrono>

namespace systole {

inline double secondsSince(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace systole
