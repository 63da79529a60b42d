#include "app/features/segmentation/chamber_motion.h"

#include "compute/core/motion_start.h"
#include "compute/motion/methods.h"

#include <memory>

namespace systole {

MotionBetween chamberMotion() {
    const MotionMethod& method = motionMethods().front();
    const std::shared_ptr<MotionEstimator> estimator =
        method.make(ParamSet(*method.parameters), Backend::Cpu);
    return [estimator](const Volume& fixed, const Volume& moving, FieldView<float> displacement,
                       const ExecContext& ctx) {
        estimator->estimate(motionInput(fixed, moving, {0, 1}), displacement, ctx);
    };
}

} // namespace systole
