// The residual of a pair on the device against the form for processors.
#include "compute/ops/residual.h"
#include "tests/support/compute_support.h"
#include "tests/support/gpu_support.h"

#include <vector>

namespace systole {
namespace {

class ResidualOnDevice : public test::OnDevice {
protected:
    Buffer<float> uploaded(const std::vector<float>& values) {
        Buffer<float> buffer = cuda->devicePool().acquire<float>(values.size(), "test values");
        cuda->upload(values.data(), buffer.data(), values.size() * sizeof(float),
                     CudaStream::Compute);
        cuda->synchronize(CudaStream::Compute);
        return buffer;
    }
};

TEST_F(ResidualOnDevice, EqualsTheFormForProcessorsAndItselfEveryTime) {
    for (const Size3 size : {Size3{33, 18, 7}, Size3{131, 9, 6}, Size3{40, 31, 1}, Size3{1, 1, 1},
                             Size3{96, 80, 70}}) {
        SCOPED_TRACE(size.x);
        test::TestVolume fixed = test::noiseVolume(size, 1), moving = test::noiseVolume(size, 2),
                         warped = test::noiseVolume(size, 3);
        test::TestField field(size);
        field.values = test::noiseVolume({size.x, size.y, 3 * size.z}, 4).voxels;
        test::TestVolume fixedKnown(size,
                                    [](double x, double y, double) { return x + y < 4 ? 0 : 1; });
        const KnownFrames known{fixedKnown.view(), {}, {}};
        const ResidualChange expected = residualChange(fixed.view(), moving.view(), warped.view(),
                                                       field.view(), known, resources.context());
        Buffer<float> f = uploaded(fixed.voxels), m = uploaded(moving.voxels),
                      w = uploaded(warped.voxels), motion = uploaded(field.values),
                      k = uploaded(fixedKnown.voxels);
        const auto onDevice = [&] {
            return residualChangeOnDevice({f.data(), size}, {m.data(), size}, {w.data(), size},
                                          {motion.data(), size}, {{k.data(), size}, {}, {}},
                                          context());
        };
        const ResidualChange found = onDevice(), again = onDevice();
        EXPECT_NEAR(found.before, expected.before, 1e-5 * expected.before);
        EXPECT_NEAR(found.after, expected.after, 1e-5 * expected.after);
        EXPECT_NEAR(found.correlation, expected.correlation, 1e-5);
        EXPECT_EQ(found.correlation, again.correlation);
        EXPECT_EQ(found.before, again.before);
        EXPECT_EQ(found.after, again.after);
    }
}

} // namespace
} // namespace systole
