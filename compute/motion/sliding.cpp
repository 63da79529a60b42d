#include "compute/motion/sliding.h"

#include "compute/core/error.h"

namespace systole {
namespace {

/// 1 − mask.
Volume outsideOf(const Volume& mask, const ExecContext& ctx) {
    Volume outside(mask.geometry, *ctx.pool, "surroundings");
    for (std::size_t i = 0; i < mask.geometry.voxels(); ++i)
        outside.view().data[i] = 1 - mask.view().data[i];
    return outside;
}

} // namespace

RegistrationResult registerSliding(const RegistrationImages& images, const RegistrationStart& start,
                                   const RegistrationPlan& plan, const ExecContext& ctx) {
    if (!images.fixedMask || !images.movingMask)
        throw ComputeError("what slides must be known in both images: two masks");
    RegistrationResult result = registerImages(images, start, plan, ctx);
    RegistrationPlan rest = plan;
    rest.keepIterations = false;
    rest.observe = nullptr;
    const Volume fixedOutside = outsideOf(*images.fixedMask, ctx),
                 movingOutside = outsideOf(*images.movingMask, ctx);
    const RegistrationResult outside = registerImages(
        {images.fixed, images.moving, &fixedOutside, &movingOutside}, start, rest, ctx);
    const FieldView<float> field = result.displacement.view();
    const FieldView<const float> around = outside.displacement.view();
    constexpr float border = 0.5f;
    for (std::size_t i = 0; i < field.size.voxels(); ++i)
        if (!(images.fixedMask->view().data[i] > border))
            for (int axis = 0; axis < 3; ++axis)
                field.component(axis)[i] = around.component(axis)[i];
    result.affineSeconds += outside.affineSeconds;
    result.methodSeconds += outside.methodSeconds;
    result.controlPoints = {};
    result.controlGrid.reset();
    return result;
}

} // namespace systole
