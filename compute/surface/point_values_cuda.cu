#include "compute/cuda/kernel_support.cuh"
#include "compute/ops/sample.h"
#include "compute/surface/isosurface_frame.h"
#include "compute/surface/point_values.h"

namespace systole {
namespace {

/// Voxels are toIndex (p − origin) of points in LPS mm.
__global__ void valuesKernel(VolumeView<const float> values, const iso::DeviceFrame frame,
                             const float* points, std::size_t count, float* found) {
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (i >= count)
        return;
    float at[3];
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
        double index = 0;
#pragma unroll
        for (int j = 0; j < 3; ++j)
            index += frame.toIndex[axis][j] *
                     (static_cast<double>(points[3 * i + static_cast<std::size_t>(j)]) -
                      frame.origin[j]);
        at[axis] = static_cast<float>(index);
    }
    found[i] = TrilinearSample(values.size, at[0], at[1], at[2]).of(values.data);
}

} // namespace

std::vector<float> valuesAtPointsOnDevice(VolumeView<const float> values, const Geometry& geometry,
                                          const DeviceMesh& mesh, const ExecContext& ctx) {
    const std::size_t count = mesh.points.size() / 3;
    std::vector<float> found(count);
    if (count == 0)
        return found;
    CudaContext& cuda = *ctx.cuda;
    Buffer<float> onDevice = cuda.devicePool().acquire<float>(count, "values at points");
    cuda.waitFor(CudaStream::Compute, mesh.ready);
    loggedCall(ctx, "values at points", [&](LaunchLog& log) {
        log.launch({"values at points", 48.0 * static_cast<double>(count)}, valuesKernel,
                   gpu::threadsOver(count), values, iso::DeviceFrame(geometry), mesh.points.data(),
                   count, onDevice.data());
    });
    cuda.download(onDevice.data(), found.data(), count * sizeof(float), CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);
    return found;
}

} // namespace systole
