// The spatial gradient as a task of the laboratory: an image of random gray values, moved by waves
// of a few voxels.
#include "compute/lab/kernels/spatial_gradient_cuda.cuh"
#include "compute/lab/kernels/tasks.cuh"

#include <cmath>
#include <numbers>

namespace systole::lab {
using namespace gpu;
namespace {

struct GradientData {
    Size3 size;
    std::vector<float> host; ///< the image, and three components of the motion
    Buffer<float> values;    ///< the same, and the gradient
    std::vector<std::unique_ptr<GradientTextures>> variants;

    VolumeView<const float> image(const float* all) const { return {all, size}; }
    FieldView<const float> motion(const float* all) const { return {all + size.voxels(), size}; }
    float* result() { return values.data() + host.size(); }
};

/// Each component is a wave along another axis, with an amplitude of 3 voxels.
void fillMotion(FieldView<float> motion) {
    const auto wave = [](int at, double length) {
        return static_cast<float>(3 * std::sin(2 * std::numbers::pi * at / length));
    };
    const Size3 size = motion.size;
    for (int z = 0; z < size.z; ++z) {
        const float alongZ = wave(z, 29.1);
        for (int y = 0; y < size.y; ++y) {
            const float alongY = wave(y, 37.3);
            for (int x = 0; x < size.x; ++x) {
                motion.componentView(0)(x, y, z) = alongY;
                motion.componentView(1)(x, y, z) = alongZ;
            }
        }
    }
    for (int x = 0; x < size.x; ++x) {
        const float alongX = wave(x, 43.7);
        for (int z = 0; z < size.z; ++z)
            for (int y = 0; y < size.y; ++y)
                motion.componentView(2)(x, y, z) = alongX;
    }
}

} // namespace

KernelTask makeSpatialGradientTask(CudaContext& cuda, int side) {
    const Size3 size = labSize(side);
    const std::size_t n = size.voxels();
    std::vector<float> host = randomVolume(side, 7);
    host.resize(4 * n);
    fillMotion({host.data() + n, size});
    const std::shared_ptr<GradientData> d(
        new GradientData{size,
                         std::move(host),
                         cuda.devicePool().acquire<float>(7 * n, "laboratory, gradient"),
                         {}});
    const float* const onDevice = d->values.data();
    cuda.upload(d->host.data(), d->values.data(), 4 * n * sizeof(float), CudaStream::Compute);
    LaunchLog log(cuda, LaunchLog::Timing::None);
    for (int variant = 0; variant < spatialGradientFamily.count(); ++variant)
        d->variants.push_back(std::make_unique<GradientTextures>(variant, d->image(onDevice),
                                                                 d->motion(onDevice), log));
    cuda.synchronize(CudaStream::Compute);

    KernelTask task;
    task.launch = [d](int variant, LaunchLog& to) {
        spatialGradient(variant, d->variants[static_cast<std::size_t>(variant)]->source(),
                        {d->result(), d->size}, to);
    };
    task.onHost = [d](const ExecContext& ctx) {
        std::vector<float> values(3 * d->size.voxels());
        spatialGradient(d->image(d->host.data()), d->motion(d->host.data()),
                        {values.data(), d->size}, ctx);
        return values;
    };
    task.output = d->result();
    task.outputFloats = 3 * n;
    task.uploadBytes = 4 * n * sizeof(float);
    task.downloadBytes = 3 * n * sizeof(float);
    return task;
}

} // namespace systole::lab
