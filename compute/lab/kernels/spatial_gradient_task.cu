// The spatial gradient as a task of the laboratory: an image of random gray values, moved by waves
// of a few voxels.
#include "compute/lab/kernels/spatial_gradient_cuda.cuh"
#include "compute/lab/kernels/tasks.cuh"

namespace systole::lab {
using namespace gpu;
namespace {

struct GradientData {
    Size3 size;
    std::vector<float> host; ///< the image, and three components of the motion
    Buffer<float> values;    ///< copy of `host`, and the gradient
    std::vector<std::unique_ptr<GradientTextures>> variants;

    VolumeView<const float> image(const float* all) const { return {all, size}; }
    FieldView<const float> motion(const float* all) const { return {all + size.voxels(), size}; }
    float* result() { return values.data() + host.size(); }
};

} // namespace

KernelTask makeSpatialGradientTask(CudaContext& cuda, int side) {
    const Size3 size = labSize(side);
    const std::size_t n = size.voxels();
    std::vector<float> host = randomVolume(side, 7);
    host.resize(4 * n);
    fillWaves({host.data() + n, size}, false);
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

    KernelTask task = taskOf(d->result(), 3 * n, 4 * n * sizeof(float));
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
    return task;
}

} // namespace systole::lab
