// Waiting until something holds, however busy the machine is.
#pragma once

#include <chrono>
#include <thread>

namespace systole::test {

/// Calls between() until condition() holds; false when that takes longer than any machine needs.
template <typename Condition, typename Between>
bool becomes(const Condition& condition, const Between& between) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(200);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end)
            return false;
        between();
    }
    return true;
}

/// Overload that waits while other threads work.
template <typename Condition>
bool becomes(const Condition& condition) {
    return becomes(condition, [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
}

} // namespace systole::test
