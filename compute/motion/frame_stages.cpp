#include "compute/motion/frame_stages.h"

#include "compute/core/error.h"
#include "compute/ops/jacobian.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace systole {

const std::vector<FrameStage>& availableStages() {
    static const std::vector<FrameStage> stages{
        jacobianStage(),
    };
    return stages;
}

namespace {

const FrameStage& stageNamed(const std::string& name) {
    std::string known;
    for (const FrameStage& stage : availableStages()) {
        if (stage.name == name)
            return stage;
        known += (known.empty() ? "" : ", ") + stage.name;
    }
    throw ComputeError(fmt::format("no stage '{}'; {} {}", name,
                                   availableStages().size() == 1 ? "the only one is" : "there are",
                                   known));
}

ChosenStage chosenStage(const std::string& text) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    const FrameStage& stage = stageNamed(text.substr(0, colon));
    ChosenStage chosen{&stage, ParamSet(*stage.parameters)};
    for (std::size_t at = colon + 1; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        const std::string assignment = text.substr(at, end - at);
        const std::size_t equals = assignment.find('=');
        if (equals == std::string::npos)
            throw ComputeError(
                fmt::format("stage {}: expected ID=VALUE, found '{}'", stage.name, assignment));
        chosen.parameters.setText(assignment.substr(0, equals), assignment.substr(equals + 1));
        at = end + 1;
    }
    return chosen;
}

} // namespace

std::vector<ChosenStage> chosenStages(const std::vector<std::string>& texts) {
    std::vector<ChosenStage> chosen;
    std::transform(texts.begin(), texts.end(), std::back_inserter(chosen), chosenStage);
    return chosen;
}

void runStages(const std::vector<ChosenStage>& stages, FrameResult& result,
               const ExecContext& ctx) {
    if (stages.empty())
        return;
    KernelProfile profile;
    ExecContext inner = ctx;
    inner.profile = &profile;
    profile.beginFrame(result.fixedFrame);
    for (const ChosenStage& chosen : stages) {
        ctx.throwIfCancelled();
        const ScopedSpan span(&profile, chosen.stage->name.c_str(), "all");
        chosen.stage->run(result, chosen.parameters, inner);
    }
    FrameProfile done = profile.endFrame();
    std::move(done.spans.begin(), done.spans.end(), std::back_inserter(result.profile.spans));
}

} // namespace systole
