#include "compute/ops/white_noise_cuda.cuh"
#include "tests/compute/ops/white_noise_device.h"
#include "tests/support/device_array.h"

#include <vector>

namespace systole::test {

float whiteNoiseOnDevice(VolumeView<const float> image, float factor, CudaContext& cuda) {
    DeviceArray<float> there(cuda, std::vector<float>(image.data, image.data + image.voxels()));
    DeviceArray<float> found(cuda, 1);
    DeviceArray<double2> perBlock(cuda, 256);
    DeviceArray<unsigned> arrived(cuda, std::vector<unsigned>{0});
    LaunchLog log(cuda, LaunchLog::Timing::None);
    gpu::whiteNoise({there.data(), image.size}, factor, {perBlock.data(), arrived.data()},
                    found.data(), log);
    return found.download()[0];
}

} // namespace systole::test
