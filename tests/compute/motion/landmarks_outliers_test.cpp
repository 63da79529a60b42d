// Method landmarks and a group of matches that are wrong together.
#include "compute/motion/methods.h"
#include "tests/compute/landmarks/tracker_support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace systole {
namespace {

constexpr Size3 size{84, 72, 66};
constexpr Vec3 shift{2, 1, 0}, wrong{-6, -6, 5};
constexpr double middle[] = {50, 36, 33}, half = 11;

bool isCopied(double x, double y, double z) {
    return std::abs(x - middle[0]) < half && std::abs(y - middle[1]) < half &&
           std::abs(z - middle[2]) < half;
}

/// Everything moves by `shift`, but a cube shows what lies elsewhere: all corners there are found
/// again, and all with the same wrong displacement.
test::TestVolume frameWithACopy() {
    return {size, [](double x, double y, double z) {
                const Vec3 by = isCopied(x, y, z) ? wrong : shift;
                return test::randomWaves(x - by.x, y - by.y, z - by.z);
            }};
}

/// Mean distance from `shift` within the cube, voxels.
double errorOf(const std::string& outliers) {
    test::TestVolume fixed(size, test::randomWaves), moving = frameWithACopy();
    ExecResources resources(2);
    MotionInput input;
    input.fixed = fixed.view();
    input.moving = moving.view();
    input.scale = {0, 255};
    const MotionMethod& method = motionMethod("landmarks");
    ParamSet parameters(*method.parameters);
    parameters.set("distance", 4.0);
    parameters.set("patch", 3);
    parameters.set("search", 8);
    parameters.set("levels", 1);
    parameters.set("passes", 1);
    parameters.set("reject", false);
    parameters.set("outliers", outliers);
    test::TestField field(size);
    method.make(parameters, Backend::Cpu)->estimate(input, field.view(), resources.context());
    double sum = 0;
    int voxels = 0;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x)
                if (isCopied(x, y, z)) {
                    Vec3 miss;
                    for (int axis = 0; axis < 3; ++axis)
                        miss[axis] =
                            double{field.view().componentView(axis)(x, y, z)} - shift[axis];
                    sum += length(miss);
                    ++voxels;
                }
    return sum / voxels;
}

TEST(LandmarksOutliers, AGroupOfWrongMatchesIsRejectedBySpectralMatching) {
    const double none = errorOf("none"), spectral = errorOf("spectral");
    EXPECT_GT(none, 2) << "the group is there";
    EXPECT_LT(spectral, 0.25 * none);
}

} // namespace
} // namespace systole
