// Trilinear interpolation as a task of the laboratory: a volume of random gray values and as many
// positions, displaced from the grid by a smooth motion of a few voxels, as after a transform.
#include "compute/lab/kernels/interpolate_cuda.cuh"
#include "compute/lab/kernels/tasks.cuh"

namespace systole::lab {
using namespace gpu;
namespace {

struct TrilinearData {
    Size3 size;
    std::vector<float> host; ///< the volume, and positions in x, y, z
    Buffer<float> values;    ///< the same, and the result
    DeviceTexture points, filtered;
    LinearTexture linear;

    float* result() { return values.data() + host.size(); }
    FieldView<const float> positionsIn(const float* all) const {
        const std::size_t n = size.voxels();
        return {all + n, all + 2 * n, all + 3 * n, size};
    }
};

} // namespace

KernelTask makeTrilinearTask(CudaContext& cuda, int side) {
    const Size3 size = labSize(side);
    const std::size_t n = size.voxels();
    std::vector<float> host = randomVolume(side, 1);
    host.resize(4 * n);
    fillWaves({host.data() + n, size}, true);
    Buffer<float> values = cuda.devicePool().acquire<float>(5 * n, "laboratory, trilinear");
    const float* const volume = values.data();
    const std::shared_ptr<TrilinearData> d(new TrilinearData{
        size, std::move(host), std::move(values), {size, false}, {size, true}, {cuda, volume, n}});
    cuda.upload(d->host.data(), d->values.data(), d->host.size() * sizeof(float),
                CudaStream::Compute);
    LaunchLog log(cuda, LaunchLog::Timing::None);
    d->points.copyFrom(d->values.data(), log);
    d->filtered.copyFrom(d->values.data(), log);
    cuda.synchronize(CudaStream::Compute);

    KernelTask task = taskOf(d->result(), n, 4 * n * sizeof(float));
    task.launch = [d](int variant, LaunchLog& to) {
        const TextureUse use = textureOfInterpolation(variant);
        interpolate(variant, {d->values.data(), d->size},
                    use == TextureUse::Filtered ? d->filtered.object()
                    : use == TextureUse::Points ? d->points.object()
                    : use == TextureUse::Linear ? d->linear.object()
                                                : 0,
                    d->positionsIn(d->values.data()), {d->result(), d->size}, to);
    };
    task.onHost = [d](const ExecContext& ctx) {
        std::vector<float> values(d->size.voxels());
        interpolate({d->host.data(), d->size}, d->positionsIn(d->host.data()),
                    {values.data(), d->size}, ctx);
        return values;
    };
    return task;
}

} // namespace systole::lab
