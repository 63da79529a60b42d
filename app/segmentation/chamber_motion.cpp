#include "app/segmentation/chamber_motion.h"

#include "compute/motion/methods.h"

#include <memory>

namespace systole {

MotionBetween chamberMotion() {
    const MotionMethod& method = motionMethods().front();
    const std::shared_ptr<MotionEstimator> estimator =
        method.make(ParamSet(*method.parameters), Backend::Cpu);
    return [estimator](const Volume& fixed, const Volume& moving, FieldView<float> displacement,
                       const ExecContext& ctx) {
        MotionInput input;
        input.fixed = fixed.view();
        input.moving = moving.view();
        input.spacing = fixed.geometry.spacing();
        input.scale = {0, 1};
        estimator->estimate(input, displacement, ctx);
    };
}

} // namespace systole
