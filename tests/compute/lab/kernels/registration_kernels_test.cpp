// The spatial gradient of the warped image and the voxel-wise gradient of mutual information on the
// CPU, against double precision.
#include "compute/core/error.h"
#include "compute/lab/kernels/spatial_gradient.h"
#include "tests/compute/lab/kernels/registration_kernels_support.h"

#include <gtest/gtest.h>

namespace systole::lab {
namespace {

class RegistrationKernels : public testing::TestWithParam<Backend> {
protected:
    ExecContext context() {
        ExecContext ctx = resources.context();
        ctx.backend = GetParam();
        return ctx;
    }
    ExecResources resources{2};
};

TEST_P(RegistrationKernels, SpatialGradientIsTheTrilinearValuesDerivative) {
    for (const Size3 image : {Size3{33, 18, 7}, Size3{5, 1, 1}, Size3{1, 1, 1}}) {
        test::TestVolume moving = test::noiseVolume(image, 4);
        test::TestField motion = test::wildMotion({41, 13, 9}, image, 2), gradient(motion.size);
        spatialGradient(moving.view(), motion.view(), gradient.view(), context());
        const std::vector<double> exact = test::exactGradients(moving, motion);
        if (image.x > 1) {
            EXPECT_LT(test::largestError(gradient.values, exact), 2e-6) << image.x;
        } else {
            EXPECT_EQ(gradient.values, std::vector<float>(gradient.values.size(), 0.0f));
        }
    }
}

TEST_P(RegistrationKernels, SimilarityGradientIsTheDefinitions) {
    const test::RandomSlope slope({35, 14, 6});
    test::TestField out(slope.size);
    similarityGradient(slope.of(slope.values.data()), out.view(), context());
    EXPECT_LT(test::largestError(out.values, slope.exact()), test::slopeRounding);
}

TEST_P(RegistrationKernels, RefuseOtherSizes) {
    test::TestVolume moving = test::noiseVolume({4, 4, 4}, 1);
    test::TestField small({4, 4, 4}), large({5, 4, 4});
    EXPECT_THROW(spatialGradient(moving.view(), small.view(), large.view(), context()),
                 ComputeError);
    EXPECT_THROW(spatialGradient({}, small.view(), small.view(), context()), ComputeError);
    const test::RandomSlope slope({4, 4, 4});
    EXPECT_THROW(similarityGradient(slope.of(slope.values.data()), large.view(), context()),
                 ComputeError);
}

INSTANTIATE_TEST_SUITE_P(Backends, RegistrationKernels,
                         testing::Values(Backend::CpuReference, Backend::Cpu));

} // namespace
} // namespace systole::lab
