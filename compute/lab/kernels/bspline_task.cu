// The B-spline field as a task of the laboratory: the control points of a cube with tiles of 5×5×5
// voxels, NiftyReg's default. Random displacements of up to 10 voxels: neighbors differ by more
// than in a registration, so that 8-bit weights show.
#include "compute/lab/kernels/bspline_cuda.cuh"
#include "compute/lab/kernels/tasks.cuh"

namespace systole::lab {
using namespace gpu;
namespace {

struct BsplineData {
    ControlGrid grid;
    std::vector<float> host; ///< control points
    Buffer<float> points, field;
    DeviceTexture filtered;
    LinearTexture linear;

    ControlPointsView<const float> view(const float* values) const {
        return {{values, grid.points()}, grid};
    }
};

} // namespace

KernelTask makeBsplineTask(CudaContext& cuda, int side) {
    const ControlGrid grid{labSize(side), {5, 5, 5}};
    const Size3 count = grid.points();
    std::vector<float> host = randomValues(3 * count.voxels(), 6, 20, -10);
    Buffer<float> points =
        cuda.devicePool().acquire<float>(host.size(), "laboratory, control points");
    cuda.upload(host.data(), points.data(), host.size() * sizeof(float), CudaStream::Compute);
    float* const onDevice = points.data();
    const std::size_t floats = host.size();
    const std::shared_ptr<BsplineData> d(new BsplineData{
        grid,
        std::move(host),
        std::move(points),
        cuda.devicePool().acquire<float>(3 * grid.image.voxels(), "laboratory, field"),
        {{count.x, count.y, 3 * count.z}, true},
        {cuda, onDevice, floats}});
    LaunchLog log(cuda, LaunchLog::Timing::None);
    d->filtered.copyFrom(onDevice, log);
    cuda.synchronize(CudaStream::Compute);

    KernelTask task = taskOf(d->field.data(), d->field.size(), d->host.size() * sizeof(float));
    task.launch = [d](int variant, LaunchLog& to) {
        const TextureUse use = textureOfBspline(variant);
        bsplineField(to, variant, d->view(d->points.data()),
                     use == TextureUse::Filtered ? d->filtered.object()
                     : use == TextureUse::Linear ? d->linear.object()
                                                 : 0,
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
