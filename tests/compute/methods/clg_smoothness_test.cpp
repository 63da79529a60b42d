// Effect of more or less than the usual weight of smoothness on motion whose truth is known.
#include "compute/methods/clg/clg.h"
#include "io/phantom/family.h"
#include "tests/support/compute_support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace systole {
namespace {

/// A heart of the family whose voxels are cubes, with the true motion of its wall.
class Heart {
public:
    struct Found {
        double amplitude; ///< slope of the estimated on the true motion in the wall
        double error;     ///< mean there, voxels
        std::vector<float> field;
    };

    explicit Heart(const std::string& look)
        : ctx_(resources_.context())
        , phantom_(familyMember(look, 64, 3))
        , fixed_(phantom_.geometry(), *ctx_.pool, "fixed")
        , moving_(phantom_.geometry(), *ctx_.pool, "moving")
        , truth_(phantom_.truth(0, 1, ctx_))
        , labels_(phantom_.labels(0, ctx_)) {
        phantom_.image(0, fixed_.view(), ctx_);
        phantom_.image(1, moving_.view(), ctx_);
    }

    Found found(const std::vector<std::pair<std::string, std::string>>& changes) {
        ParamSet set(clgParameterTable(), "default");
        for (const auto& [id, text] : changes)
            set.setText(id, text);
        MotionInput input;
        input.fixed = fixed_.view();
        input.moving = moving_.view();
        test::TestField field(phantom_.geometry().size());
        makeClg(set, Backend::Cpu)->estimate(input, field.view(), ctx_);
        const FieldView<const float> estimated = field.view(), truth = truth_.view();
        double product = 0, square = 0, error = 0, count = 0;
        for (std::size_t i = 0; i < labels_.size(); ++i) {
            if (labels_[i] != 1)
                continue;
            double distance = 0;
            for (int k = 0; k < 3; ++k) {
                const auto is = static_cast<double>(estimated.component(k)[i]),
                           should = static_cast<double>(truth.component(k)[i]);
                product += is * should;
                square += should * should;
                distance += (is - should) * (is - should);
            }
            error += std::sqrt(distance);
            ++count;
        }
        return {product / square, error / count, field.values};
    }

private:
    ExecResources resources_{2};
    ExecContext ctx_;
    Phantom phantom_;
    Volume fixed_, moving_;
    VectorField truth_;
    std::vector<std::uint8_t> labels_;
};

class ClgSmoothness : public testing::TestWithParam<const char*> {};

/// Looks in which the motion was lost to smoothness, or to noise without it.
TEST_P(ClgSmoothness, ThreeTimesOffCostsLittleAndMoreKeepsTheMotion) {
    Heart heart(GetParam());
    const Heart::Found usual = heart.found({}), much = heart.found({{"alpha", "2"}});
    EXPECT_LT(heart.found({{"alpha", "0.1"}}).error, 1.25 * usual.error);
    EXPECT_LT(heart.found({{"alpha", "0.9"}}).error, 1.25 * usual.error);
    EXPECT_LT(much.error, 1.4 * usual.error);
    EXPECT_GT(much.amplitude, 0.9 * usual.amplitude);
}
INSTANTIATE_TEST_SUITE_P(Looks, ClgSmoothness, testing::Values("hard", "small", "ct"),
                         [](const auto& info) { return std::string(info.param); });

/// Strong smoothness preserves the start of the finest level: a single level has no start to
/// preserve and finds less than half of the motion.
TEST(ClgSmoothnessOfOneLevel, BeyondAllMeasureTheFinestLevelAddsNothing) {
    Heart heart("hard");
    const Heart::Found all = heart.found({{"alpha", "1e6"}}),
                       alone = heart.found({{"alpha", "1e6"}, {"levels", "1"}});
    EXPECT_GT(all.amplitude, 0.75);
    EXPECT_LT(alone.amplitude, 0.5);
}

} // namespace
} // namespace systole
