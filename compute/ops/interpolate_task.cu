// Trilinear interpolation as a task: a volume of random grey values at as many positions, which
// a smooth motion of a few voxels has taken from the grid, as after a transform.
#include "compute/core/random.h"
#include "compute/core/variant_name.h"
#include "compute/cuda/texture.cuh"
#include "compute/ops/interpolate_cuda.cuh"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace systole::gpu {
namespace {

using lab::labSize;
using lab::LabTask;

class TrilinearTask : public LabTask {
public:
    TrilinearTask(CudaContext& cuda, int side)
        : size_(labSize(side))
        , values_(cuda.devicePool().acquire<float>(5 * size_.voxels(), "laboratory, trilinear"))
        , plain_(size_, false)
        , filtering_(size_, true) {
        const std::size_t voxels = size_.voxels();
        std::vector<float> host(4 * voxels);
        for (std::size_t i = 0; i < voxels; ++i)
            host[i] = 255 * uniformFloat(static_cast<std::uint32_t>(randomBits(1, 1, i)));
        fillPositions({host.data() + voxels, size_});
        cuda.upload(host.data(), values_.data(), host.size() * sizeof(float), CudaStream::Compute);
        LaunchLog log(cuda, LaunchLog::Timing::None);
        plain_.copyFrom(values_.data(), log);
        filtering_.copyFrom(values_.data(), log);
        cuda.synchronize(CudaStream::Compute);
    }

    void launch(const std::string& variant, LaunchLog& log) override {
        const auto which = variantNamed<InterpolateVariant>(variant, interpolateKernels);
        interpolate(which, {values_.data(), size_},
                    wantsFilter(which)    ? filtering_.object()
                    : wantsTexture(which) ? plain_.object()
                                          : 0,
                    {values_.data() + size_.voxels(), size_},
                    {values_.data() + 4 * size_.voxels(), size_}, log);
    }
    float* output() override { return values_.data() + 4 * size_.voxels(); }
    std::size_t outputFloats() const override { return size_.voxels(); }
    std::size_t uploadBytes() const override { return 4 * size_.voxels() * sizeof(float); }
    std::size_t downloadBytes() const override { return size_.voxels() * sizeof(float); }

private:
    /// A wave along another axis in each component, up to 3 voxels high.
    static void fillPositions(FieldView<float> positions) {
        const Size3 size = positions.size;
        const int longest = std::max({size.x, size.y, size.z});
        const auto waves = [&](double length) {
            std::vector<float> heights;
            for (int i = 0; i < longest; ++i)
                heights.push_back(
                    static_cast<float>(3 * std::sin(2 * std::numbers::pi * i / length)));
            return heights;
        };
        const std::vector<float> alongX = waves(37.3), alongY = waves(29.1), alongZ = waves(43.7);
        for (int z = 0; z < size.z; ++z)
            for (int y = 0; y < size.y; ++y)
                for (int x = 0; x < size.x; ++x) {
                    const std::size_t i = positions.componentView(0).offset(x, y, z);
                    positions.u[i] = static_cast<float>(x) + alongX[static_cast<std::size_t>(y)];
                    positions.v[i] = static_cast<float>(y) + alongY[static_cast<std::size_t>(z)];
                    positions.w[i] = static_cast<float>(z) + alongZ[static_cast<std::size_t>(x)];
                }
    }

    Size3 size_;
    Buffer<float> values_; ///< volume, positions in x, y, z, result
    DeviceTexture plain_, filtering_;
};

} // namespace

std::unique_ptr<LabTask> makeTrilinearTask(CudaContext& cuda, int side) {
    return std::make_unique<TrilinearTask>(cuda, side);
}

} // namespace systole::gpu
