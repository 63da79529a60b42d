// The derivative of the trilinear value, between voxels and where it has a kink.
#include "compute/ops/sample_gradient.h"
#include "tests/support/compute_support.h"
#include "tests/support/waves.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

constexpr Size3 size{7, 6, 5};

double valueAt(VolumeView<const float> image, double x, double y, double z) {
    return static_cast<double>(TrilinearSample(image.size, static_cast<float>(x),
                                               static_cast<float>(y), static_cast<float>(z))
                                   .of(image.data));
}

TEST(TrilinearGradient, IsTheDerivativeBetweenVoxels) {
    test::TestVolume image(size, test::waves);
    const TrilinearGradient g(image.view().data, size, {2.4f, 3.3f, 1.7f});
    const double h = 0.05;
    const auto along = [&](double dx, double dy, double dz) {
        return (valueAt(image.view(), 2.4 + dx, 3.3 + dy, 1.7 + dz) -
                valueAt(image.view(), 2.4 - dx, 3.3 - dy, 1.7 - dz)) /
               (2 * h);
    };
    EXPECT_NEAR(g.x, along(h, 0, 0), 1e-3);
    EXPECT_NEAR(g.y, along(0, h, 0), 1e-3);
    EXPECT_NEAR(g.z, along(0, 0, h), 1e-3);
}

TEST(TrilinearGradient, IsTheMeanOfBothSidesOnAPlaneOfVoxels) {
    test::TestVolume image(size, test::waves);
    const auto v = image.view();
    const TrilinearGradient inside(image.view().data, size, {3, 2, 1}),
        first(image.view().data, size, {0, 2.5f, 1.5f}),
        last(image.view().data, size, {6, 2.5f, 1.5f});
    EXPECT_FLOAT_EQ(inside.x, 0.5f * (v(4, 2, 1) - v(2, 2, 1)));
    EXPECT_FLOAT_EQ(inside.y, 0.5f * (v(3, 3, 1) - v(3, 1, 1)));
    EXPECT_FLOAT_EQ(inside.z, 0.5f * (v(3, 2, 2) - v(3, 2, 0)));
    EXPECT_NEAR(first.x, valueAt(v, 1, 2.5, 1.5) - valueAt(v, 0, 2.5, 1.5), 1e-5);
    EXPECT_NEAR(last.x, valueAt(v, 6, 2.5, 1.5) - valueAt(v, 5, 2.5, 1.5), 1e-5);
}

TEST(TrilinearGradient, OfAMirroredImageIsMirrored) {
    test::TestVolume image(size, test::waves),
        mirrored(size, [](double x, double y, double z) { return test::waves(6 - x, y, z); });
    for (const float x : {0.0f, 1.0f, 2.5f, 5.0f, 6.0f}) {
        const TrilinearGradient here(image.view().data, size, {x, 2, 2.25f}),
            there(mirrored.view().data, size, {6 - x, 2, 2.25f});
        EXPECT_NEAR(here.x, -there.x, 1e-5);
        EXPECT_NEAR(here.y, there.y, 1e-5);
        EXPECT_NEAR(here.z, there.z, 1e-5);
    }
}

} // namespace
} // namespace systole
