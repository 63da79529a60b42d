// Standard errors of strain from draws whose strain is known.
#include "compute/cardiac/measure_errors.h"
#include "tests/compute/cardiac/cardiac_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace systole::cardiac {
namespace {

using testing::mapOf;
using testing::pointsOf;

class MeasureErrors : public ::testing::Test {
protected:
    MeasureErrors() {
        PhantomOptions options;
        options.size = {40, 40, 40};
        const Phantom phantom(options);
        ventricle_.emplace(ventricleOf(mapOf(phantom), pointsOf(options.heart), ctx_));
        chosen_.definition = &strainDefinition("voxels");
    }
    /// x → (1 + growth) x, from the reference to frame 1.
    VentricleMotion growth(double growth) {
        const TissueVoxels& wall = ventricle_->wall;
        VentricleMotion motion;
        motion.addReference(*ventricle_, 0);
        motion.addReference(*ventricle_, 1);
        const auto grow = [&](const TissueVoxels& tissue, Displacements& to) {
            for (std::size_t i = 0; i < tissue.count(); ++i)
                for (int k = 0; k < 3; ++k)
                    to[i][static_cast<std::size_t>(k)] =
                        static_cast<float>(growth * tissue.position(i)[k]);
        };
        grow(wall, motion.wall[1]);
        grow(ventricle_->cavity, motion.cavity[1]);
        return motion;
    }
    std::vector<FrameErrors> errors(const VentricleMotion& motion, const DrawnErrors& drawn) {
        const VentricleFits fits(*ventricle_, chosen_.order, ctx_);
        return measureErrors(fits, motion, measuresOf(fits, motion, chosen_, ctx_), drawn, chosen_,
                             ctx_);
    }

    ExecResources resources_{2};
    ExecContext ctx_ = resources_.context();
    std::optional<Ventricle> ventricle_;
    MeasureOptions chosen_;
};

TEST_F(MeasureErrors, AreTheSpreadOfTheStrainWithTheDraws) {
    // Stretches of 1.10 ± 0.02, and of 1.10 ± 0.04: root mean square √((0.02² + 0.04²) / 2).
    const std::vector<FrameErrors> found =
        errors(growth(0.1), {growth(0.02), growth(-0.02), growth(0.04), growth(-0.04)});
    ASSERT_EQ(found.size(), 2u);
    const double expected = strainCalibration * 0.0316228;
    for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(found[1].strain[k], expected, 2e-4);
        for (const Directions& segment : found[1].segments)
            EXPECT_NEAR(segment[k], expected, 2e-4);
        EXPECT_EQ(found[0].strain[k], 0) << "the reference has not moved";
    }
    EXPECT_NEAR(found[1].twist, 0, 1e-2) << "growth doesn't turn";

    std::vector<double> lengths;
    for (std::size_t i = 0; i < ventricle_->wall.count(); ++i)
        lengths.push_back(length(ventricle_->wall.position(i)));
    std::ranges::sort(lengths);
    EXPECT_NEAR(found[1].wall, 0.0316228 * lengths[lengths.size() / 2], 1e-4);
    EXPECT_EQ(found[0].wall, 0);
}

} // namespace
} // namespace systole::cardiac
