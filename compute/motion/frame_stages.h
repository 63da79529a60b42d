// The one list of stages that can follow an estimation, and those that a user chose. Adding a
// stage: docs/adding.md.
#pragma once

#include "compute/core/frame_stage.h"

#include <string>
#include <vector>

namespace systole {

const std::vector<FrameStage>& availableStages();

struct ChosenStage {
    const FrameStage* stage; ///< of availableStages()
    ParamSet parameters;
};

/// Each text is NAME or NAME:ID=VALUE,ID=VALUE with parameters of the stage. Throws ComputeError
/// for what there isn't, naming what there is.
std::vector<ChosenStage> chosenStages(const std::vector<std::string>& texts);

/// One after another. The times of what they record join the result's profile.
void runStages(const std::vector<ChosenStage>& stages, FrameResult& result, const ExecContext& ctx);

} // namespace systole
