// Demons' steps on the device.
#include "compute/cuda/replay.cuh"
#include "compute/methods/demons/force_cuda.cuh"
#include "compute/methods/demons/plan.h"
#include "compute/ops/exponential_cuda.cuh"
#include "compute/ops/on_device.cuh"
#include "compute/ops/sample.h"
#include "compute/ops/white_noise_cuda.cuh"

namespace systole {
namespace {

/// out(p) = f·step(p) + f·field(p + f·step(p)): two fields one after the other, both scaled.
__global__ void composeKernel(FieldView<const float> field, FieldView<const float> step,
                              float factor, FieldView<float> out, int planes) {
    const gpu::Column c = gpu::columnOf(out.size, planes);
    if (!c.inGrid)
        return;
    for (int z = c.begin; z < c.end; ++z) {
        const std::size_t i = out.componentView(0).offset(c.x, c.y, z);
        const float u = factor * step.u[i], v = factor * step.v[i], w = factor * step.w[i];
        const TrilinearSample there(out.size, static_cast<float>(c.x) + u,
                                    static_cast<float>(c.y) + v, static_cast<float>(z) + w);
        out.u[i] = u + factor * there.of(field.u);
        out.v[i] = v + factor * there.of(field.v);
        out.w[i] = w + factor * there.of(field.w);
    }
}

constexpr KernelCost composeCost{.add = 27,
                                 .multiply = 3,
                                 .fusedMultiplyAdd = 24,
                                 .integer = 160,
                                 .globalLoads = 3 + 24,
                                 .globalStores = 3};

__global__ void decideKernel(DemonsNoise* noise) { noise->decide(); }

struct DemonsOnDevice : gpu::OnDevice {
    DemonsOnDevice(Size3 size, Workspace& space)
        : room(gpu::demonsForceBlocks(size), space), folds(space.add<gpu::FoldState>("folds", 1)) {}
    void acquired(CudaContext& cuda) const { room.clear(cuda); }

    void findNoise(VolumeView<const float> fixed, VolumeView<const float> moving,
                   DemonsNoise* noise, LaunchLog& log) const {
        gpu::whiteNoise(fixed, 1, room.sum(), noise->variance, log);
        gpu::whiteNoise(moving, 1, room.sum(), noise->variance + 1, log);
        log.launch({"decide on noise"}, decideKernel, LaunchShape{dim3(1), dim3(1)}, noise);
    }
    void forces(int variant, const DemonsForceInput& input, double* energy, LaunchLog& log) const {
        gpu::demonsForces(variant, {input, energy, room.sum()}, log);
    }
    static void compose(FieldView<const float> field, FieldView<const float> step, float factor,
                        FieldView<float> out, LaunchLog& log) {
        const char* const name = "compose fields";
        const auto voxels = static_cast<double>(out.size.voxels());
        const int planes = gpu::planesFor(out.size, 1);
        const LaunchShape shape = gpu::columnsOver(out.size, planes, log, name);
        log.launch({name, 36 * voxels, 90 * voxels, gpu::perThread(shape, voxels, composeCost)},
                   composeKernel, shape, field, step, factor, out, planes);
    }
    /// `copy` becomes a copy of the field if that folds.
    void removeFolds(FieldView<float> field, FieldView<float> spare, FieldView<float> copy,
                     VolumeView<float> marks, LaunchLog& log) const {
        const gpu::FoldBuffers buffers{{}, spare, marks.data, room.space.data(folds)};
        gpu::clearFolds(buffers, log);
        gpu::findFolds(field, buffers, log);
        gpu::mendFolds({}, field, copy, {1, 1, 1}, buffers, log);
    }

    gpu::SumRoom room;
    Workspace::Block<gpu::FoldState> folds;
};

} // namespace

std::unique_ptr<MotionEstimator> makeDemonsCuda(const DemonsParameters& parameters) {
    return std::make_unique<DeviceEstimator<DemonsPlan<DemonsOnDevice>>>(parameters);
}

} // namespace systole
