// What the last estimations ran, and how long it usually takes: a single time is disturbed by
// whatever else the machine does, such as drawing on the same device.
#pragma once

#include "compute/core/frame_result.h"

#include <cstddef>
#include <cstdint>
#include <deque>

namespace systole {

class RecentProfiles {
public:
    static constexpr std::size_t capacity = 15;

    /// Those of other parameters or another backend are forgotten.
    void add(const FrameResult& result);
    void clear() { profiles_.clear(); }
    bool empty() const { return profiles_.empty(); }
    std::size_t size() const { return profiles_.size(); }
    Backend backend() const { return backend_; } ///< of all that are kept

    /// The newest, with the medians of those that ran the same; of kernels that weren't timed in
    /// each, of those that were. Nothing: empty.
    FrameProfile typical() const;

private:
    std::deque<FrameProfile> profiles_; ///< oldest first
    Backend backend_ = Backend::Cpu;
    std::uint64_t generation_ = 0;
};

} // namespace systole
