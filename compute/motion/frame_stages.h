// The one list of stages that can follow an estimation, and the stages chosen by the user. A new
// stage is a function beside its operation, such as jacobianStage() in compute/ops/jacobian.h, and
// a line in the list; `--stage`, run.json, the panel and the figures of a frame follow.
#pragma once

#include "compute/core/frame_stage.h"

#include <string>
#include <vector>

namespace systole {

const std::vector<FrameStage>& availableStages();

struct ChosenStage {
    const FrameStage* stage; ///< element of availableStages()
    ParamSet parameters;
};

/// Each text is NAME or NAME:ID=VALUE,ID=VALUE with parameters of the stage. Throws ComputeError
/// for unknown names, listing the available ones.
std::vector<ChosenStage> chosenStages(const std::vector<std::string>& texts);

/// Runs the stages in order and adds their times to the result's profile.
void runStages(const std::vector<ChosenStage>& stages, FrameResult& result, const ExecContext& ctx);

} // namespace systole
