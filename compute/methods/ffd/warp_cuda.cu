#include "compute/methods/ffd/warp.h"
#include "compute/methods/ffd/warp_cuda.cuh"

namespace systole::gpu {
namespace {

__device__ inline MovingPosition positionAt(const IndexMap& map,
                                            const FieldView<const float>& field, int x, int y,
                                            int z, std::size_t i) {
    return movingPosition(map, static_cast<float>(x) + field.u[i],
                          static_cast<float>(y) + field.v[i], static_cast<float>(z) + field.w[i]);
}

__global__ void addKernel(FieldView<const float> more, FieldView<float> field, std::size_t voxels) {
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (i >= voxels)
        return;
    field.u[i] += more.u[i];
    field.v[i] += more.v[i];
    field.w[i] += more.w[i];
}

__global__ void warpKernel(const __grid_constant__ MovingImage moving, FieldView<const float> field,
                           VolumeView<const float> fixedMask, VolumeView<float> warped,
                           VolumeView<float> weight, VolumeView<float> lost, int planes) {
    const Column c = columnOf(warped.size, planes);
    if (!c.inGrid)
        return;
    for (int z = c.begin; z < c.end; ++z) {
        const std::size_t i = warped.offset(c.x, c.y, z);
        const MovingPosition p = positionAt(moving.map, field, c.x, c.y, z, i);
        const TrilinearSample there(moving.image.size, p.x, p.y, p.z);
        warped.data[i] = fusedSample(there, moving.image.data);
        float w = insideWeight(p.x, p.y, p.z, moving.image.size);
        if (moving.mask.data)
            w *= fusedSample(there, moving.mask.data);
        if (fixedMask.data)
            w *= fixedMask.data[i];
        weight.data[i] = w;
        if (moving.noise > 0)
            lost.data[i] = moving.noise * NoiseLoss(there).share;
    }
}

__global__ void forceKernel(const __grid_constant__ MovingImage moving,
                            FieldView<const float> field, const WarpDerivative by,
                            FieldView<float> force, int planes) {
    const Column c = columnOf(force.size, planes);
    if (!c.inGrid)
        return;
    for (int z = c.begin; z < c.end; ++z) {
        const std::size_t i = by.warped.offset(c.x, c.y, z);
        const WarpForce found(moving, positionAt(moving.map, field, c.x, c.y, z, i), by, i);
        force.u[i] = found.along(0);
        force.v[i] = found.along(1);
        force.w[i] = found.along(2);
    }
}

} // namespace

void addField(FieldView<const float> more, FieldView<float> field, LaunchLog& log) {
    const char* const name = "add fields";
    const std::size_t voxels = field.size.voxels();
    log.launch({name, 36.0 * static_cast<double>(voxels), 3.0 * static_cast<double>(voxels)},
               addKernel, threadsOver(voxels, log, name), more, field, voxels);
}

void warpMoving(const MovingImage& moving, FieldView<const float> field,
                VolumeView<const float> fixedMask, VolumeView<float> warped,
                VolumeView<float> weight, VolumeView<float> lost, LaunchLog& log) {
    const char* const name = "warp with weight";
    const auto voxels = static_cast<double>(warped.voxels());
    const int planes = planesFor(warped.size, 1);
    log.launch({name, 24 * voxels, 60 * voxels}, warpKernel,
               columnsOver(warped.size, planes, log, name), moving, field, fixedMask, warped,
               weight, lost, planes);
}

void warpForces(const MovingImage& moving, FieldView<const float> field, const WarpDerivative& by,
                FieldView<float> force, LaunchLog& log) {
    const char* const name = "forces of the similarity";
    const auto voxels = static_cast<double>(by.warped.voxels());
    const int planes = planesFor(by.warped.size, 1);
    log.launch({name, 32 * voxels, 80 * voxels}, forceKernel,
               columnsOver(by.warped.size, planes, log, name), moving, field, by, force, planes);
}

} // namespace systole::gpu
