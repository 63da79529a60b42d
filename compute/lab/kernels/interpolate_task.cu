// Trilinear interpolation as a task of the laboratory: a volume of random gray values and as many
// positions, displaced from the grid by a smooth motion of a few voxels, as after a transform.
#include "compute/lab/kernels/interpolate_cuda.cuh"
#include "compute/lab/kernels/tasks.cuh"
#include "compute/lab/kernels/variant_texture.cuh"

namespace systole::lab {
namespace {

struct TrilinearData {
    Size3 size;
    std::vector<float> host; ///< the volume, and positions in x, y, z
    Buffer<float> values;    ///< copy of `host`, and the result
    std::vector<VariantTexture> textures;

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
    const auto d = std::make_shared<TrilinearData>(
        TrilinearData{size,
                      std::move(host),
                      cuda.devicePool().acquire<float>(5 * n, "laboratory, trilinear"),
                      {}});
    cuda.upload(d->host.data(), d->values.data(), d->host.size() * sizeof(float),
                CudaStream::Compute);
    LaunchLog log(cuda, LaunchLog::Timing::None);
    for (int variant = 0; variant < interpolateFamily.count(); ++variant)
        d->textures.emplace_back(textureOfInterpolation(variant), size, d->values.data(), log);
    cuda.synchronize(CudaStream::Compute);

    KernelTask task = taskOf(d->result(), n, 4 * n * sizeof(float));
    task.launch = [d](int variant, LaunchLog& to) {
        interpolate(variant, {d->values.data(), d->size},
                    d->textures[static_cast<std::size_t>(variant)].object(),
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
