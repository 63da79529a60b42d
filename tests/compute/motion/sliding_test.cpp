// Lungs and their surroundings registered apart, and put together, on the phantom of lungs.
#include "compute/core/error.h"
#include "compute/motion/methods.h"
#include "compute/motion/sliding.h"
#include "compute/ops/fold_math.h"
#include "io/phantom/lungs.h"

#include <gtest/gtest.h>

#include <cmath>

namespace systole {
namespace {

class Sliding : public ::testing::Test {
protected:
    Sliding() : phantom(options()) {
        phantom.image(0, fixed.view(), ctx);
        phantom.image(1, moving.view(), ctx);
        std::ranges::copy(phantom.lungs(0, ctx), fixedMask.view().data);
        std::ranges::copy(phantom.lungs(1, ctx), movingMask.view().data);
        plan.method = &motionMethod("clg");
        plan.parameters = ParamSet(*plan.method->parameters, "default");
    }
    static LungOptions options() {
        LungOptions options;
        options.grid = Geometry({64, 64, 48}, {4, 4, 5});
        options.frames = 2;
        options.breathMillimeters = 15;
        return options;
    }
    Volume volume() { return {options().grid, *ctx.pool, "test"}; }
    /// Mean error, mm, on one side of the pleura, of the voxels in the slices with the ribs.
    double error(const VectorField& field, bool inside) {
        const VectorField truth = phantom.truth(0, 1, ctx);
        const Vec3 spacing = options().grid.spacing();
        double sum = 0, count = 0;
        for (std::size_t i = 0; i < fixedMask.geometry.voxels(); ++i) {
            if ((fixedMask.view().data[i] > 0) != inside || std::abs(fixed.view().data[i]) > 800)
                continue;
            double square = 0;
            for (int axis = 0; axis < 3; ++axis)
                square += std::pow(spacing[axis] * (field.view().component(axis)[i] -
                                                    truth.view().component(axis)[i]),
                                   2);
            sum += std::sqrt(square);
            ++count;
        }
        return sum / count;
    }

    ExecResources resources{2};
    ExecContext ctx = resources.context();
    LungPhantom phantom;
    Volume fixed = volume(), moving = volume(), fixedMask = volume(), movingMask = volume();
    RegistrationPlan plan;
};

TEST_F(Sliding, BothSidesAreBetterThanWithoutMasks) {
    const RegistrationImages masked{&fixed, &moving, &fixedMask, &movingMask};
    const VectorField both = std::move(registerSliding(masked, {}, plan, ctx).displacement);
    const VectorField joined =
        std::move(registerImages({&fixed, &moving}, {}, plan, ctx).displacement);
    EXPECT_LT(error(both, true), 0.8 * error(joined, true));
    EXPECT_LT(error(both, false), error(joined, false));
    // The motion in the lungs is that of the lungs only.
    const VectorField alone = std::move(registerImages(masked, {}, plan, ctx).displacement);
    std::size_t differ = 0;
    for (std::size_t i = 0; i < fixedMask.geometry.voxels(); ++i)
        for (int axis = 0; axis < 3; ++axis)
            differ += fixedMask.view().data[i] > 0 &&
                      both.view().component(axis)[i] != alone.view().component(axis)[i];
    EXPECT_EQ(differ, 0u);
}

/// The border may tear and overlap: that is what slides.
TEST_F(Sliding, OnlyCellsAcrossTheBorderMayFold) {
    LungOptions deep = options();
    deep.breathMillimeters = 35;
    const LungPhantom breathing(deep);
    breathing.image(1, moving.view(), ctx);
    std::ranges::copy(breathing.lungs(1, ctx), movingMask.view().data);
    for (const char* method : {"clg", "demons", "ffd"}) {
        plan.method = &motionMethod(method);
        plan.parameters = ParamSet(*plan.method->parameters, "default");
        const VectorField both =
            std::move(registerSliding({&fixed, &moving, &fixedMask, &movingMask}, {}, plan, ctx)
                          .displacement);
        const Size3 size = both.view().size;
        int within = 0, across = 0;
        for (int z = 0; z + 1 < size.z; ++z)
            for (int y = 0; y + 1 < size.y; ++y)
                for (int x = 0; x + 1 < size.x; ++x) {
                    if (folds::Cell(both.view(), x, y, z).isAbove(folds::minDeterminant))
                        continue;
                    int inside = 0;
                    for (int corner = 0; corner < 8; ++corner)
                        inside += fixedMask.view()(x + (corner & 1), y + (corner >> 1 & 1),
                                                   z + (corner >> 2)) > 0.5f;
                    ++(inside % 8 == 0 ? within : across);
                }
        EXPECT_EQ(within, 0) << method;
        EXPECT_GT(across, 0) << method << ": nothing slid";
    }
}

TEST_F(Sliding, NeedsBothMasks) {
    EXPECT_THROW(registerSliding({&fixed, &moving, &fixedMask, nullptr}, {}, plan, ctx),
                 ComputeError);
}

} // namespace
} // namespace systole
