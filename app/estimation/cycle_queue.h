// The pairs of a whole cycle, given to a pipeline one after the other: one is estimated, the next
// already waits, so that the compute thread never pauses.
#pragma once

#include "app/estimation/pipeline.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace systole {

class CycleQueue {
public:
    /// Every pair of a sequence of this many frames, beginning with that of frame `first`.
    void start(int frames, int first);
    void stop();
    bool running() const { return !todo_.empty() || !requested_.empty(); }

    /// Follows the pipeline. Returns the fixed frame to request now, `preferred` before the others;
    /// none: wait for the pipeline's next notification. Pairs with a cached field are left out. New
    /// settings begin the cycle again; a failed estimation stops it.
    std::optional<int> next(const PipelineStatus& status, int preferred);
    /// The frame that next() returned was requested.
    void requested(int frame);
    /// A frame can't be read: stops as after a failed estimation.
    void fail();

    int total() const { return total_; }
    int finished() const {
        return total_ - static_cast<int>(todo_.size()) - static_cast<int>(requested_.size());
    }
    /// Pairs that were estimated but whose field isn't cached: the memory for fields is full.
    int discarded() const { return discarded_; }
    bool failed() const { return failed_; }

private:
    void takeFinished(const PipelineStatus& status);

    int total_ = 0, first_ = 0, discarded_ = 0;
    bool failed_ = false;
    std::optional<std::uint64_t>
        generation_;              ///< generation of the settings; none: no status read yet
    std::uint64_t cancelled_ = 0; ///< PipelineStatus::cancelled as last seen
    std::vector<int> todo_;       ///< frames not requested yet
    std::vector<int> requested_;  ///< frames requested and not finished: at most two
};

} // namespace systole
