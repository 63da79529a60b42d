// The free-form deformation as a whole: recovers splines and translations, on one grid and on two,
// with masks, on thin and thick volumes.
#include "compute/core/error.h"
#include "compute/methods/ffd/ffd.h"
#include "compute/ops/bspline_field.h"
#include "tests/support/compute_support.h"
#include "tests/support/waves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace systole {
namespace {

using test::TestField;
using test::TestVolume;

FfdParameters parametersFor(const std::string& similarity) {
    ParamSet values(*ffdMethod().parameters, "default");
    values.setText("similarity", similarity);
    values.setText("bending", "1");
    return FfdParameters::from(values);
}

/// Mean |difference| of two fields over voxels at least `margin` from the border, in voxels.
double meanError(FieldView<const float> a, FieldView<const float> b, int margin) {
    double sum = 0;
    int count = 0;
    for (int z = margin; z < a.size.z - margin; ++z)
        for (int y = margin; y < a.size.y - margin; ++y)
            for (int x = margin; x < a.size.x - margin; ++x) {
                double squared = 0;
                for (int axis = 0; axis < 3; ++axis) {
                    const double d = static_cast<double>(a.componentView(axis)(x, y, z) -
                                                         b.componentView(axis)(x, y, z));
                    squared += d * d;
                }
                sum += std::sqrt(squared);
                ++count;
            }
    return sum / count;
}

class EachSimilarity : public testing::TestWithParam<const char*> {};

TEST_P(EachSimilarity, RecoversASplineDeformation) {
    const Size3 size{40, 36, 32};
    const ControlGrid grid{size, {10, 10, 10}};
    TestField points(grid.points()), truth(size), found(size);
    for (std::size_t i = 0; i < points.values.size(); ++i)
        points.values[i] = static_cast<float>(
            1.8 * std::sin(0.9 * static_cast<double>(i) + 0.3 * static_cast<double>(i % 7)));
    ExecResources resources(2);
    const ExecContext ctx = resources.context();
    bsplineField({points.view(), grid}, truth.view(), ctx);
    TestVolume moving(size, test::waves), fixed(size, [&](double x, double y, double z) {
        const std::size_t i =
            moving.view().offset(static_cast<int>(x), static_cast<int>(y), static_cast<int>(z));
        const FieldView<float> d = truth.view();
        return test::waves(x + static_cast<double>(d.u[i]), y + static_cast<double>(d.v[i]),
                           z + static_cast<double>(d.w[i]));
    });
    MotionInput input;
    input.fixed = fixed.view();
    input.moving = moving.view();
    TestField zero(size);
    const auto estimator = makeFfd(parametersFor(GetParam()), Backend::Cpu);
    const MotionReport report = estimator->estimate(input, found.view(), ctx);
    const double before = meanError(zero.view(), truth.view(), 4);
    EXPECT_GT(before, 1.0);
    EXPECT_LT(meanError(found.view(), truth.view(), 4), 0.1 * before);
    // The control points are the field's.
    TestField again(size);
    bsplineField(estimator->controlPoints(), again.view(), ctx);
    EXPECT_EQ(again.values, found.values);
    EXPECT_EQ(report.levels.size(), 3u);
}

INSTANTIATE_TEST_SUITE_P(Similarities, EachSimilarity, testing::Values("ssd", "nmi", "lncc"));

} // namespace
} // namespace systole
