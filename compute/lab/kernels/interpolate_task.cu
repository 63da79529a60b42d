// Trilinear interpolation as a task of the laboratory: a volume of random gray values and as many
// positions, displaced from the grid by a smooth motion of a few voxels, as after a transform.
#include "compute/lab/kernels/interpolate_cuda.cuh"
#include "compute/lab/kernels/tasks.cuh"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace systole::lab {
using namespace gpu;
namespace {

/// Displaces each component by a wave along another axis, with an amplitude of 3 voxels.
void fillPositions(FieldView<float> positions) {
    const Size3 size = positions.size;
    const int longest = std::max({size.x, size.y, size.z});
    const auto waves = [&](double length) {
        std::vector<float> heights;
        for (int i = 0; i < longest; ++i)
            heights.push_back(static_cast<float>(3 * std::sin(2 * std::numbers::pi * i / length)));
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
    fillPositions({host.data() + n, host.data() + 2 * n, host.data() + 3 * n, size});
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

    KernelTask task;
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
    task.output = d->result();
    task.outputFloats = n;
    task.uploadBytes = 4 * n * sizeof(float);
    task.downloadBytes = n * sizeof(float);
    return task;
}

} // namespace systole::lab
