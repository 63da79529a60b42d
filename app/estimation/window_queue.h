// The order in which a pipeline gets the steps of motion over a window of frames.
#pragma once

#include "app/estimation/pipeline.h"

#include <cstdint>
#include <optional>

namespace systole {

/// All frames in their order, once; later only what is needed for a shown frame whose motion has
/// left the cache, or everything again if `again` is set.
class WindowQueue {
public:
    struct Shown {
        int frame = 0;
        bool again = false; ///< finished fields are to be estimated again
    };
    /// The moving frame of the step to request now; none: wait for the pipeline's next
    /// notification. After a failure there is none until the settings change.
    std::optional<int> next(const PipelineStatus& status, int frames, int window, Shown shown);
    /// The step that next() returned was requested.
    void requested(int step) { requested_ = step; }

private:
    std::uint64_t generation_ = 0, cancelled_ = 0;
    int rounds_ = 0;
    int requested_ = 0; ///< the last one; 0: none
};

} // namespace systole
