#include "compute/cardiac/gap_on_device.h"
#include "compute/core/error.h"
#include "compute/core/points.h"
#include "compute/cuda/kernel_support.cuh"
#include "compute/cuda/uploaded.h"
#include "compute/ops/sample.h"

#include <vector>

namespace systole::cardiac {
namespace {

/// The place of a thread's voxel in the list, or the list's end.
__device__ int placeOfThread() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void gatherMotion(int count, const std::int32_t* at, FieldView<const float> field,
                             float* out) {
    const int i = placeOfThread();
    if (i < count)
        for (int k = 0; k < 3; ++k)
            out[k * count + i] = field.component(k)[at[i]];
}

/// One step from where `begun` has led a voxel; null: from its own place. In place, too.
__global__ void followStep(int count, const std::int32_t* at, FieldView<const float> step,
                           const float* begun, float* out) {
    const int i = placeOfThread();
    if (i >= count)
        return;
    const int nx = step.size.x, row = at[i] / nx;
    float moved[3] = {0, 0, 0};
    for (int k = 0; k < 3 && begun; ++k)
        moved[k] = begun[k * count + i];
    const TrilinearSample there(step.size, static_cast<float>(at[i] - row * nx) + moved[0],
                                static_cast<float>(row % step.size.y) + moved[1],
                                static_cast<float>(row / step.size.y) + moved[2]);
    for (int k = 0; k < 3; ++k)
        out[k * count + i] = moved[k] + there.of(step.component(k));
}

__global__ void takeOffGap(int count, const std::int32_t* at, const float* motion, const float* gap,
                           float part, FieldView<float> out) {
    const int i = placeOfThread();
    if (i < count)
        for (int k = 0; k < 3; ++k)
            out.component(k)[at[i]] = motion[k * count + i] - part * gap[k * count + i];
}

} // namespace

TissueOnDevice::TissueOnDevice(const Ventricle& ventricle, const ExecContext& ctx)
    : ventricle_(ventricle) {
    const Size3 size = ventricle.wall.grid.size();
    std::vector<std::int32_t> at;
    for (const TissueVoxels* voxels : {&ventricle.wall, &ventricle.cavity})
        for (const auto& [x, y, z] : voxels->index)
            at.push_back(x + size.x * (y + size.y * z));
    at_ = uploaded(at, "heart's voxels", *ctx.cuda);
    ctx.cuda->synchronize(CudaStream::Compute); // the vector ends here
}

void TissueOnDevice::requireGrid(const VectorField& field) const {
    if (field.geometry.size() != ventricle_.wall.grid.size())
        throw ComputeError("the motion and the heart's labels must be of one size");
}

TissueMotion TissueOnDevice::motion(const ExecContext& ctx) const {
    return ctx.cuda->devicePool().acquire<float>(3 * at_.size(), "heart's motion");
}

TissueMotion TissueOnDevice::motionIn(const VectorField& field, const ExecContext& ctx) const {
    requireGrid(field);
    ctx.cuda->waitFor(CudaStream::Compute, field.ready);
    TissueMotion all = motion(ctx);
    loggedCall(ctx, "strain", [&](LaunchLog& log) {
        log.launch({"gather-motion", 28 * static_cast<double>(at_.size()), 0}, gatherMotion,
                   gpu::threadsOver(at_.size(), log, "gather-motion", 256),
                   static_cast<int>(at_.size()), at_.data(), field.view(), all.data());
    });
    return all;
}

TissueMotion TissueOnDevice::followed(const TissueMotion& begun,
                                      std::span<const std::shared_ptr<const VectorField>> steps,
                                      const ExecContext& ctx) const {
    TissueMotion all = motion(ctx);
    const float* from = begun.empty() ? nullptr : begun.data();
    loggedCall(ctx, "strain", [&](LaunchLog& log) {
        for (const auto& step : steps) {
            requireGrid(*step);
            ctx.cuda->waitFor(CudaStream::Compute, step->ready);
            log.launch({"follow-step", 40 * static_cast<double>(at_.size()),
                        63 * static_cast<double>(at_.size())},
                       followStep, gpu::threadsOver(at_.size(), log, "follow-step", 256),
                       static_cast<int>(at_.size()), at_.data(), step->view(), from, all.data());
            from = all.data();
        }
    });
    return all;
}

VectorField TissueOnDevice::closed(const TissueMotion& motion, const TissueMotion& gap, double part,
                                   const ExecContext& ctx) const {
    VectorField field(ventricle_.wall.grid, ctx.cuda->devicePool(), "closed motion");
    loggedCall(ctx, "strain", [&](LaunchLog& log) {
        log.launch({"take-off-gap", 40 * static_cast<double>(at_.size()),
                    6 * static_cast<double>(at_.size())},
                   takeOffGap, gpu::threadsOver(at_.size(), log, "take-off-gap", 256),
                   static_cast<int>(at_.size()), at_.data(), motion.data(), gap.data(),
                   static_cast<float>(part), field.view());
    });
    return field;
}

Displacements TissueOnDevice::ofWall(const TissueMotion& motion, const ExecContext& ctx) const {
    std::vector<float> planes(motion.size());
    ctx.cuda->download(motion.data(), planes.data(), planes.size() * sizeof(float),
                       CudaStream::Compute);
    ctx.cuda->synchronize(CudaStream::Compute);
    const std::size_t all = at_.size();
    Displacements wall;
    for (std::size_t i = 0; i < ventricle_.wall.count(); ++i)
        wall.push_back(narrowed(ventricle_.wall.grid.voxelVectorToPhysical(
            {planes[i], planes[all + i], planes[2 * all + i]})));
    return wall;
}

} // namespace systole::cardiac
