// White noise found on the device against the host, to the bit.
#include "compute/ops/white_noise.h"
#include "tests/compute/ops/white_noise_device.h"
#include "tests/support/compute_support.h"
#include "tests/support/gpu_support.h"

namespace systole {
namespace {

class WhiteNoiseOnDevice : public test::OnDevice {};

TEST_F(WhiteNoiseOnDevice, HasTheBitsOfTheHost) {
    for (const Size3 size : {Size3{33, 18, 7}, Size3{131, 9, 6}, Size3{40, 31, 1}, Size3{1, 2, 1},
                             Size3{96, 80, 70}}) {
        SCOPED_TRACE(size.x);
        test::TestVolume image = test::noiseVolume(size, 4);
        for (float& value : image.voxels)
            value = 120 + 30 * value;
        EXPECT_EQ(test::whiteNoiseOnDevice(image.view(), 0.5f, *cuda),
                  0.5f * whiteNoise(image.view(), resources.context()));
    }
}

} // namespace
} // namespace systole
