// The warp by a B-spline as a task of the laboratory: random gray values, and random control points
// of up to 3 voxels with tiles of 5×5×5. The result that is compared is value and weight: the
// derivative of a trilinear interpolation jumps between voxels, so that no two roundings of a
// position need agree in it.
#include "compute/lab/kernels/bspline_warp_cuda.cuh"
#include "compute/lab/kernels/tasks.cuh"

namespace systole::lab {
namespace {

struct WarpData {
    ControlGrid grid;
    std::vector<float> image, points;
    Buffer<float> onDevice; ///< image, control points
    Buffer<float> field;    ///< displacement, for the variant that reads one
    Buffer<float> results;  ///< values, weights, gradient

    BsplineWarp input(const float* gray, const float* values) const {
        return {{{values, grid.points()}, grid}, {}, {gray, grid.image}, {}};
    }
    BsplineWarped output(float* to) const {
        const std::size_t n = grid.image.voxels();
        return {{to, grid.image}, {to + n, grid.image}, {to + 2 * n, grid.image}};
    }
};

} // namespace

KernelTask makeBsplineWarpTask(CudaContext& cuda, int side) {
    BufferPool& pool = cuda.devicePool();
    const ControlGrid grid{labSize(side), {5, 5, 5}};
    const std::size_t n = grid.image.voxels(), count = 3 * grid.points().voxels();
    const auto d = std::make_shared<WarpData>(
        WarpData{grid, randomVolume(side, 8), randomValues(count, 7, 6, -3),
                 pool.acquire<float>(n + count, "laboratory, warp by a B-spline"),
                 pool.acquire<float>(3 * n, "laboratory, field"),
                 pool.acquire<float>(5 * n, "laboratory, warped")});
    cuda.upload(d->image.data(), d->onDevice.data(), n * sizeof(float), CudaStream::Compute);
    cuda.upload(d->points.data(), d->onDevice.data() + n, count * sizeof(float),
                CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);

    KernelTask task = taskOf(d->results.data(), 2 * n, (n + count) * sizeof(float));
    task.launch = [d, n](int variant, LaunchLog& to) {
        bsplineWarp(to, variant, d->input(d->onDevice.data(), d->onDevice.data() + n),
                    d->output(d->results.data()), {d->field.data(), d->grid.image});
    };
    task.onHost = [d, n](const ExecContext& ctx) {
        std::vector<float> values(5 * n);
        bsplineWarp(d->input(d->image.data(), d->points.data()), d->output(values.data()), ctx);
        values.resize(2 * n);
        return values;
    };
    task.downloadBytes = 5 * n * sizeof(float);
    return task;
}

} // namespace systole::lab
