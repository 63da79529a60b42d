// Stages that run on a finished field before it is shown or written: measures, surfaces, maps. The
// list of stages is compute/motion/frame_stages.h.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/frame_result.h"
#include "compute/core/params.h"

#include <functional>
#include <string>

namespace systole {

struct FrameStage {
    std::string name;  ///< the stage's name in --stage
    std::string title; ///< title in the interface, one line
    const ParamTable* parameters;
    /// `run` reads the field on the host; an estimation on a device brings it there first.
    bool needsHostField = false;
    /// Adds to the result of one pair. Throws ComputeError, and Cancelled within 0.2 s of
    /// ctx.cancel.
    std::function<void(FrameResult&, const ParamSet&, const ExecContext&)> run;
};

} // namespace systole
