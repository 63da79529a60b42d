// The thin-plate transform as a task: 300 landmarks, as in the paper's experiment with shared
// memory, carry every voxel of a cube.
#include "compute/core/random.h"
#include "compute/core/variant_name.h"
#include "compute/landmarks/thin_plate_cuda.cuh"

namespace systole::gpu {
namespace {

using lab::labSize;
using lab::LabTask;

constexpr int landmarks = 300;

/// Random places in the cube and places up to two voxels from them.
ThinPlateSpline randomSpline(int side) {
    std::vector<Vec3> from, to;
    for (int i = 0; i < landmarks; ++i) {
        const auto random = [&](int which) {
            return static_cast<double>(uniformFloat(static_cast<std::uint32_t>(
                randomBits(2, static_cast<std::uint64_t>(which), static_cast<std::uint64_t>(i)))));
        };
        const Vec3 p{side * random(0), side * random(1), side * random(2)};
        from.push_back(p);
        to.push_back(p + Vec3{4 * random(3) - 2, 4 * random(4) - 2, 4 * random(5) - 2});
    }
    return fitThinPlate(from, to, 0.1);
}

class ThinPlateTask : public LabTask {
public:
    ThinPlateTask(CudaContext& cuda, int side)
        : size_(labSize(side))
        , terms_(cuda.devicePool().acquire<tps::Term>(landmarks, "laboratory, coefficients"))
        , positions_(cuda.devicePool().acquire<float>(3 * size_.voxels(), "laboratory, tps")) {
        const ThinPlateSpline spline = randomSpline(side);
        affine_ = tps::affineOf(spline);
        const std::vector<tps::Term> terms = tps::termsOf(spline);
        cuda.upload(terms.data(), terms_.data(), termBytes, CudaStream::Compute);
        cuda.synchronize(CudaStream::Compute);
    }

    void launch(const std::string& variant, LaunchLog& log) override {
        transformGrid(variantNamed<ThinPlateVariant>(variant, thinPlateKernels),
                      {terms_.data(), landmarks, affine_}, {positions_.data(), size_}, log);
    }
    float* output() override { return positions_.data(); }
    std::size_t outputFloats() const override { return positions_.size(); }
    std::size_t uploadBytes() const override { return termBytes; }
    std::size_t downloadBytes() const override { return positions_.size() * sizeof(float); }

private:
    static constexpr std::size_t termBytes = landmarks * sizeof(tps::Term);

    Size3 size_;
    Buffer<tps::Term> terms_;
    Buffer<float> positions_;
    tps::Affine affine_{};
};

} // namespace

std::unique_ptr<LabTask> makeThinPlateTask(CudaContext& cuda, int side) {
    return std::make_unique<ThinPlateTask>(cuda, side);
}

} // namespace systole::gpu
