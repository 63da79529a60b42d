// Strain along the heart's axes as a task of the laboratory: smooth waves, and axes that differ
// from voxel to voxel.
#include "compute/cardiac/axis_strain_cuda.cuh"
#include "compute/lab/kernels/tasks.cuh"

#include <numbers>

namespace systole::lab {

KernelTask makeAxisStrainTask(CudaContext& cuda, int side) {
    struct Data {
        std::vector<float> host; ///< motion and both axes
        Buffer<float> values;    ///< copy of `host`, J and three strains
        Size3 size;

        cardiac::AxisStrain work(const float* in, float* out) const {
            const std::size_t n = size.voxels();
            return {.motion = {in, size},
                    .longitudinal = {in + 3 * n, size},
                    .radial = {in + 6 * n, size},
                    .scale = cardiac::axisScale(Geometry(size, {1.5, 1.5, 2})),
                    .jacobian = {out, size},
                    .strain = {out + n, size}};
        }
    };
    const Size3 size = labSize(side);
    const std::size_t n = size.voxels();
    const std::shared_ptr<Data> d(
        new Data{std::vector<float>(9 * n),
                 cuda.devicePool().acquire<float>(13 * n, "laboratory, strain"), size});
    fillWaves({d->host.data(), size}, false);
    const FieldView<float> l(d->host.data() + 3 * n, size), r(d->host.data() + 6 * n, size);
    const std::vector<float> angles = randomValues(2 * n, 17, 2 * std::numbers::pi_v<float>);
    for (std::size_t i = 0; i < n; ++i) {
        const float a = std::cos(angles[i]), b = std::sin(angles[i]), c = std::cos(angles[n + i]),
                    s = std::sin(angles[n + i]);
        l.u[i] = b * c;
        l.v[i] = b * s;
        l.w[i] = a;
        r.u[i] = a * c;
        r.v[i] = a * s;
        r.w[i] = -b;
    }
    cuda.upload(d->host.data(), d->values.data(), 9 * n * sizeof(float), CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);

    KernelTask task = taskOf(d->values.data() + 9 * n, 4 * n, 9 * n * sizeof(float));
    task.launch = [d, out = task.output](int variant, LaunchLog& log) {
        gpu::axisStrain(variant, d->work(d->values.data(), out), log);
    };
    task.onHost = [d](const ExecContext& ctx) {
        std::vector<float> values(4 * d->size.voxels());
        cardiac::axisStrain(d->work(d->host.data(), values.data()), ctx);
        return values;
    };
    return task;
}

} // namespace systole::lab
