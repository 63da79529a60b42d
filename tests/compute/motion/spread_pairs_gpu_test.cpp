// Chains of pairs on the devices of this machine; where there is one, on several contexts of it.
#include "compute/motion/methods.h"
#include "compute/motion/spread_pairs.h"
#include "tests/support/gpu_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace systole {
namespace {

constexpr int frames = 13;
constexpr Size3 size{48, 40, 20};

class SpreadPairsOnDevice : public test::OnDevice {
protected:
    /// Waves that move along x by part of a voxel from frame to frame.
    std::shared_ptr<const Volume> frame(int index) {
        auto volume =
            std::make_shared<Volume>(Geometry(size, {1, 1, 1}), resources.pool(), "frame");
        for (int z = 0; z < size.z; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x)
                    volume->view().row(y, z)[x] =
                        static_cast<float>(100 * std::sin(0.45 * (x - 0.6 * index)) *
                                           std::cos(0.3 * y) * std::cos(0.4 * z));
        return volume;
    }

    std::vector<float> found(const std::vector<int>& devices) {
        const MotionMethod& method = motionMethods().front();
        SpreadPairs::Work work;
        work.lastFrame = frames - 1;
        work.chain = 3;
        work.next = [this, index = 0]() mutable { return frame(index++); };
        work.settings.make = estimatorMaker(method, ParamSet(*method.parameters, "default"));
        work.settings.backend = Backend::Cuda;
        work.settings.scale = {-100, 100};
        for (const int device : devices)
            work.workers.push_back(
                std::make_shared<CudaContext>(CudaContext::Options{.device = device}));
        SpreadPairs pairs(std::move(work), resources.context());
        std::vector<float> all;
        for (int at = 0; at + 1 < frames; ++at) {
            const SpreadPairs::Estimated made = pairs.take();
            EXPECT_EQ(made.result.backend, Backend::Cuda);
            const auto field = made.result.field->view();
            for (const float* component : {field.u, field.v, field.w})
                all.insert(all.end(), component, component + size.voxels());
        }
        return all;
    }
};

TEST_F(SpreadPairsOnDevice, TheBytesAreThoseOfOneDevice) {
    const std::vector<float> one = found({0});
    EXPECT_GT(*std::ranges::max_element(one), 0.3f);
    EXPECT_EQ(found({0, 0}), one);
    EXPECT_EQ(found({0, 0, 0, 0, 0}), one);
    std::vector<int> all;
    for (const CudaDevice& device : cudaStatus().devices)
        if (device.usable && device.name == cudaStatus().devices.front().name)
            all.push_back(device.index);
    EXPECT_EQ(found(all), one);
}

} // namespace
} // namespace systole
