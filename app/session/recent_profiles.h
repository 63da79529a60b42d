// Profiles of the last estimations, and their typical times: a single time is disturbed by whatever
// else the machine does, such as drawing on the same device.
#pragma once

#include "compute/core/frame_result.h"

#include <cstddef>
#include <cstdint>
#include <deque>

namespace systole {

class RecentProfiles {
public:
    static constexpr std::size_t capacity = 15;

    /// Discards profiles of other parameters or another backend.
    void add(const FrameResult& result);
    void clear() { profiles_.clear(); }
    bool empty() const { return profiles_.empty(); }
    std::size_t size() const { return profiles_.size(); }
    Backend backend() const { return backend_; } ///< backend of all stored profiles

    /// The newest profile, with medians over those that ran the same; for kernels that weren't
    /// timed in each, over those with times. Empty if there is none.
    FrameProfile typical() const;

private:
    std::deque<FrameProfile> profiles_; ///< oldest first
    Backend backend_ = Backend::Cpu;
    std::uint64_t generation_ = 0;
};

} // namespace systole
