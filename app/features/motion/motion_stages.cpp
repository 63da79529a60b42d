#include "app/features/motion/motion_stages.h"

namespace systole {
namespace {

constexpr double foldsAt = 0; ///< the determinant at which tissue folds

} // namespace

MotionStages::MotionStages(const std::vector<std::string>& texts)
    : chosen_(chosenStages(texts)), counting_(jacobianStage([this](const JacobianFigures& figures) {
        found_ = figures;
        isFound_ = true;
    })) {
    for (ChosenStage& each : chosen_)
        if (each.stage->name == counting_.name && each.parameters.real(foldThreshold) == foldsAt)
            each.stage = &counting_;
}

void MotionStages::run(FrameResult& result, const ExecContext& ctx) {
    isFound_ = false;
    runStages(chosen_, result, ctx);
    counted_ = isFound_ ? result.field : nullptr;
}

JacobianFigures MotionStages::determinants(const FrameResult& result, const ExecContext& ctx) {
    if (!counted_ || counted_ != result.field)
        return jacobianFigures(result.field->view(), foldsAt, ctx);
    counted_.reset(); // the field isn't kept for this
    return found_;
}

} // namespace systole
