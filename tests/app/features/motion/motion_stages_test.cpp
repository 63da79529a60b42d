// Determinants that are found once must be those that are found twice.
#include "app/features/motion/motion_stages.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace systole {
namespace {

class MotionStagesTest : public ::testing::Test {
protected:
    /// Grows as x², so that determinants differ from voxel to voxel, and some are negative.
    FrameResult result(float bend) {
        const Geometry grid({9, 6, 5}, {1, 1, 1});
        auto field = std::make_shared<VectorField>(grid, *resources_.context().pool, "test");
        const FieldView<float> view = field->view();
        for (int z = 0; z < 5; ++z)
            for (int y = 0; y < 6; ++y)
                for (int x = 0; x < 9; ++x)
                    for (int k = 0; k < 3; ++k)
                        view.componentView(k)(x, y, z) =
                            k == 0 ? bend * static_cast<float>(x * x) : 0.0F;
        FrameResult made;
        made.fixedFrame = 0;
        made.movingFrame = 1;
        made.field = std::move(field);
        return made;
    }
    void expectOwnDeterminants(MotionStages& stages, const FrameResult& of) {
        const JacobianFigures found = stages.determinants(of, resources_.context()),
                              expected = jacobianFigures(of.field->view(), 0, resources_.context());
        EXPECT_EQ(found.folded, expected.folded);
        EXPECT_EQ(found.smallest, expected.smallest);
        EXPECT_EQ(found.largest, expected.largest);
    }

    ExecResources resources_{2};
};

TEST_F(MotionStagesTest, DeterminantsAreThoseOfTheFieldWhateverStagesHaveRun) {
    for (const std::vector<std::string>& texts : {std::vector<std::string>{},
                                                  {"jacobian"},
                                                  {"jacobian:threshold=0.9"},
                                                  {"jacobian:threshold=0.9", "jacobian"},
                                                  {"jacobian", "jacobian:threshold=0.9"}}) {
        MotionStages stages(texts);
        FrameResult first = result(-0.09F), second = result(0.02F);
        stages.run(first, resources_.context());
        expectOwnDeterminants(stages, first);
        expectOwnDeterminants(stages, first);
        stages.run(first, resources_.context());
        expectOwnDeterminants(stages, second); // no stage has run on it
        stages.run(second, resources_.context());
        expectOwnDeterminants(stages, first);
        expectOwnDeterminants(stages, second);
        EXPECT_EQ(second.figures.size(), 2 * texts.size());
    }
}

TEST_F(MotionStagesTest, FiguresOfTheStageAreThoseOfItsThreshold) {
    MotionStages stages({"jacobian", "jacobian:threshold=0.9"});
    FrameResult bent = result(-0.09F);
    stages.run(bent, resources_.context());
    ASSERT_EQ(bent.figures.size(), 4U);
    const auto percent = [&](double threshold) {
        return 100 *
               static_cast<double>(
                   jacobianFigures(bent.field->view(), threshold, resources_.context()).folded) /
               static_cast<double>(bent.field->geometry.voxels());
    };
    EXPECT_EQ(bent.figures[0].value, percent(0));
    EXPECT_EQ(bent.figures[2].value, percent(0.9));
    EXPECT_LT(bent.figures[0].value, bent.figures[2].value);
    EXPECT_GT(bent.figures[0].value, 0);
}

} // namespace
} // namespace systole
