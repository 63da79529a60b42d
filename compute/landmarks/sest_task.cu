// SEST tracking as a task: the distances of all candidates of side²/16 landmarks (256 for a side of
// 64, 2500 for one of 200: as many as the paper's thousands at the sizes of its images) in a cube
// of random grey values. Search regions lie inside the cube where its side is at least 25.
#include "compute/core/random.h"
#include "compute/core/variant_name.h"
#include "compute/landmarks/sest_cuda.cuh"

#include <algorithm>

namespace systole::gpu {
namespace {

using lab::labSize;
using lab::LabTask;

/// Spread over what the search regions don't reach beyond, where the cube is large enough.
std::vector<Voxel> randomLandmarks(int side, int count) {
    std::vector<Voxel> voxels;
    for (int i = 0; i < count; ++i) {
        const auto along = [&](int radius, std::uint64_t axis) {
            const int margin = std::min(radius, (side - 1) / 2);
            const std::uint64_t bits = randomBits(3, axis, static_cast<std::uint64_t>(i));
            return margin + static_cast<int>(bits % static_cast<std::uint64_t>(side - 2 * margin));
        };
        voxels.push_back({along(sest::searchRadius.x, 0), along(sest::searchRadius.y, 1),
                          along(sest::searchRadius.z, 2)});
    }
    return voxels;
}

class SestTask : public LabTask {
public:
    SestTask(CudaContext& cuda, int side)
        : size_(labSize(side))
        , count_(std::max(1, side * side / 16))
        , planes_(cuda.devicePool().acquire<float>(sest::features * size_.voxels(),
                                                   "laboratory, features"))
        , landmarks_(cuda.devicePool().acquire<Voxel>(static_cast<std::size_t>(count_),
                                                      "laboratory, landmarks"))
        , descriptors_(cuda.devicePool().acquire<float>(
              sest::numbers * static_cast<std::size_t>(count_), "laboratory, descriptors"))
        , distances_(cuda.devicePool().acquire<float>(
              sest::candidates * static_cast<std::size_t>(count_), "laboratory, distances")) {
        std::vector<float> frame(size_.voxels());
        for (std::size_t i = 0; i < frame.size(); ++i)
            frame[i] = 255 * uniformFloat(static_cast<std::uint32_t>(randomBits(4, 1, i)));
        const std::vector<Voxel> landmarks = randomLandmarks(side, count_);
        Buffer<float> onDevice =
            cuda.devicePool().acquire<float>(frame.size(), "laboratory, frame");
        cuda.upload(frame.data(), onDevice.data(), frame.size() * sizeof(float),
                    CudaStream::Compute);
        cuda.upload(landmarks.data(), landmarks_.data(), landmarks.size() * sizeof(Voxel),
                    CudaStream::Compute);
        LaunchLog log(cuda, LaunchLog::Timing::None);
        sestFeatures({onDevice.data(), size_}, planes_.data(), log);
        sestDescribe(target(), landmarks_.data(), count_, descriptors_.data(), log);
        cuda.synchronize(CudaStream::Compute);
    }

    void launch(const std::string& variant, LaunchLog& log) override {
        sestDistances(variantNamed<sest::DistanceVariant>(variant, sest::distanceKernels), target(),
                      landmarks_.data(), count_, descriptors_.data(), distances_.data(), log);
    }
    float* output() override { return distances_.data(); }
    std::size_t outputFloats() const override { return distances_.size(); }
    /// Features, places and descriptors, as the paper has it.
    std::size_t uploadBytes() const override {
        return (planes_.size() + descriptors_.size()) * sizeof(float) +
               landmarks_.size() * sizeof(Voxel);
    }
    std::size_t downloadBytes() const override { return distances_.size() * sizeof(float); }

private:
    sest::FeatureView target() const { return {planes_.data(), size_}; }

    Size3 size_;
    int count_;
    Buffer<float> planes_;
    Buffer<Voxel> landmarks_;
    Buffer<float> descriptors_, distances_;
};

} // namespace

std::unique_ptr<LabTask> makeSestTask(CudaContext& cuda, int side) {
    return std::make_unique<SestTask>(cuda, side);
}

} // namespace systole::gpu
