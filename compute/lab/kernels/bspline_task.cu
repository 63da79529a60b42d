// The B-spline field as a task of the laboratory: the control points of a cube with tiles of 5×5×5
// voxels, NiftyReg's default. Random displacements of up to 10 voxels: neighbors differ by more
// than in a registration, so that 8-bit weights show.
#include "compute/cuda/uploaded.h"
#include "compute/lab/kernels/bspline_cuda.cuh"
#include "compute/lab/kernels/tasks.cuh"

namespace systole::lab {
namespace {

struct BsplineData {
    ControlGrid grid;
    std::vector<float> host; ///< control points
    Buffer<float> points, field;
    std::vector<VariantTexture> textures;

    ControlPointsView<const float> view(const float* values) const {
        return {{values, grid.points()}, grid};
    }
};

} // namespace

KernelTask makeBsplineTask(CudaContext& cuda, int side) {
    const ControlGrid grid{labSize(side), {5, 5, 5}};
    const Size3 count = grid.points();
    std::vector<float> host = randomValues(3 * count.voxels(), 6, 20, -10);
    const auto d = std::make_shared<BsplineData>(
        BsplineData{grid,
                    std::move(host),
                    {},
                    cuda.devicePool().acquire<float>(3 * grid.image.voxels(), "laboratory, field"),
                    {}});
    d->points = uploaded(d->host, "laboratory, control points", cuda);
    LaunchLog log(cuda, LaunchLog::Timing::None);
    for (int variant = 0; variant < bsplineFamily.count(); ++variant)
        d->textures.emplace_back(textureOfBspline(variant), Size3{count.x, count.y, 3 * count.z},
                                 d->points.data(), log);
    cuda.synchronize(CudaStream::Compute);

    KernelTask task = taskOf(d->field.data(), d->field.size(), d->host.size() * sizeof(float));
    task.launch = [d](int variant, LaunchLog& to) {
        bsplineField(to, variant, d->view(d->points.data()),
                     d->textures[static_cast<std::size_t>(variant)].object(),
                     {d->field.data(), d->grid.image});
    };
    task.onHost = [d](const ExecContext& ctx) {
        std::vector<float> values(d->field.size());
        systole::bsplineField(d->view(d->host.data()), {values.data(), d->grid.image}, ctx);
        return values;
    };
    return task;
}

} // namespace systole::lab
