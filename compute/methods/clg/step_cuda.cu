// Right-hand side before the solve, and the step after it.
#include "compute/cuda/early_launch.cuh"
#include "compute/methods/clg/steps_cuda.cuh"
#include "compute/ops/sample.h"

namespace systole::clg {
namespace {

using gpu::Column;

struct Coefficients {
    float* c[9];
};

// Work per voxel: J, J4 and w0, three rows of three products; three signs; a sampled field of three
// components at one place; three sums.
constexpr KernelCost rightHandSideCost{.add = 3,
                                       .multiply = 3,
                                       .fusedMultiplyAdd = 6,
                                       .integer = 35,
                                       .globalLoads = 12,
                                       .globalStores = 3};
constexpr KernelCost negateCost{.add = 3, .integer = 15, .globalLoads = 3, .globalStores = 3};
constexpr KernelCost composeCost{.add = 30,
                                 .multiply = 3,
                                 .fusedMultiplyAdd = 24,
                                 .integer = 160,
                                 .globalLoads = 6 + 24,
                                 .globalStores = 9};
constexpr KernelCost addStepCost{
    .fusedMultiplyAdd = 3, .integer = 20, .globalLoads = 6, .globalStores = 6};
constexpr KernelCost addCost{
    .fusedMultiplyAdd = 1, .integer = 10, .globalLoads = 2, .globalStores = 1};

constexpr KernelCost blendCost{
    .add = 1, .fusedMultiplyAdd = 1, .integer = 10, .globalLoads = 2, .globalStores = 1};

__global__ void rightHandSideKernel(const __grid_constant__ Coefficients j,
                                    FieldView<const float> w0, std::size_t voxels) {
    gpu::waitForKernelBefore();
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (i >= voxels)
        return;
    const float u = w0.u[i], v = w0.v[i], w = w0.w[i];
    const float b = j.c[1][i], c = j.c[2][i], f = j.c[4][i];
    j.c[6][i] = j.c[0][i] * u + b * v + c * w - j.c[6][i];
    j.c[7][i] = b * u + j.c[3][i] * v + f * w - j.c[7][i];
    j.c[8][i] = c * u + f * v + j.c[5][i] * w - j.c[8][i];
}

__global__ void negateKernel(float* a, float* b, float* c, std::size_t voxels) {
    gpu::waitForKernelBefore();
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (i >= voxels)
        return;
    a[i] = -a[i];
    b[i] = -b[i];
    c[i] = -c[i];
}

__global__ void composeKernel(FieldView<const float> w, FieldView<float> t, UnitScale scale,
                              FieldView<float> out, gpu::FoldBuffers folds, int planes) {
    gpu::waitForKernelBefore();
    const Size3 size = t.size;
    const Column c = gpu::columnOf(size, planes);
    if (folds.state && c.x == 0 && c.y == 0 && c.begin == 0)
        gpu::clearFolds(folds.state);
    if (!c.inGrid)
        return;
    for (int z = c.begin; z < c.end; ++z) {
        const std::size_t i = w.componentView(0).offset(c.x, c.y, z);
        float step[3];
#pragma unroll
        for (int k = 0; k < 3; ++k)
            step[k] = fmaf(scale.toVoxels[k], t.component(k)[i], -w.component(k)[i]);
        const TrilinearSample before(size, static_cast<float>(c.x) + step[0],
                                     static_cast<float>(c.y) + step[1],
                                     static_cast<float>(z) + step[2]);
        float total[3];
#pragma unroll
        for (int k = 0; k < 3; ++k)
            total[k] = step[k] + before.of(w.component(k));
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            out.component(k)[i] = total[k];
            t.component(k)[i] = scale.fromVoxels[k] * total[k];
            if (folds.state)
                folds.step.component(k)[i] = step[k];
        }
    }
}

__global__ void addKernel(const float* field, float factor, float* to, std::size_t values) {
    gpu::waitForKernelBefore();
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (i < values)
        to[i] = fmaf(factor, field[i], to[i]);
}

__global__ void blendKernel(const float* field, float share, bool fresh, float* to,
                            std::size_t values) {
    gpu::waitForKernelBefore();
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (i >= values)
        return;
    const float before = fresh ? 0 : to[i];
    to[i] = fmaf(share, field[i] - before, before);
}

__global__ void addStepKernel(FieldView<float> w, FieldView<float> t, UnitScale scale,
                              std::size_t voxels) {
    gpu::waitForKernelBefore();
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (i >= voxels)
        return;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
        w.component(k)[i] = fmaf(scale.toVoxels[k], t.component(k)[i], w.component(k)[i]);
        t.component(k)[i] = 0;
    }
}

} // namespace

void rightHandSide(const DeviceSystem& system, FieldView<const float> w0, LaunchLog& log) {
    const char* const name = "right-hand side";
    const LaunchShape shape = gpu::threadsOver(system.voxels(), log, name);
    const auto voxels = static_cast<double>(system.voxels());
    if (w0.empty()) {
        gpu::launchEarly(log,
                         {name, 24 * voxels, 3 * voxels, gpu::perThread(shape, voxels, negateCost)},
                         negateKernel, shape, system.coefficient[6], system.coefficient[7],
                         system.coefficient[8], system.voxels());
        return;
    }
    Coefficients coefficients;
    for (int k = 0; k < 9; ++k)
        coefficients.c[k] = system.coefficient[k];
    gpu::launchEarly(
        log, {name, 60 * voxels, 18 * voxels, gpu::perThread(shape, voxels, rightHandSideCost)},
        rightHandSideKernel, shape, coefficients, w0, system.voxels());
}

UnitScale unitScale(std::array<float, 3> scale) {
    UnitScale both;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        both.toVoxels[axis] = scale[axis];
        both.fromVoxels[axis] = 1 / scale[axis];
    }
    return both;
}

void compose(FieldView<const float> w, FieldView<float> t, const UnitScale& scale,
             FieldView<float> out, const gpu::FoldBuffers& folds, LaunchLog& log) {
    const auto voxels = static_cast<double>(t.size.voxels());
    const int planes = gpu::planesFor(t.size, 1);
    const char* const name = "compose field";
    const LaunchShape shape = gpu::columnsOver(t.size, planes, log, name);
    gpu::launchEarly(log,
                     {name, 60 * voxels, 90 * voxels, gpu::perThread(shape, voxels, composeCost)},
                     composeKernel, shape, w, t, scale, out, folds, planes);
    if (!folds.state)
        return;
    gpu::findFolds(out, folds, log);
    gpu::mendFolds(w, out, t, {scale.fromVoxels[0], scale.fromVoxels[1], scale.fromVoxels[2]},
                   folds, log);
}

void add(FieldView<const float> field, float factor, FieldView<float> to, LaunchLog& log) {
    const std::size_t values = 3 * to.size.voxels();
    const auto n = static_cast<double>(values);
    const char* const name = "add trend";
    const LaunchShape shape = gpu::threadsOver(values, log, name);
    gpu::launchEarly(log, {name, 12 * n, n, gpu::perThread(shape, n, addCost)}, addKernel, shape,
                     field.u, factor, to.u, values);
}

void blend(FieldView<const float> field, float share, bool fresh, FieldView<float> to,
           LaunchLog& log) {
    const std::size_t values = 3 * to.size.voxels();
    const auto n = static_cast<double>(values);
    const char* const name = "hold start";
    const LaunchShape shape = gpu::threadsOver(values, log, name);
    gpu::launchEarly(log, {name, 12 * n, 2 * n, gpu::perThread(shape, n, blendCost)}, blendKernel,
                     shape, field.u, share, fresh, to.u, values);
}

void addStep(FieldView<float> w, FieldView<float> t, const UnitScale& scale, LaunchLog& log) {
    const auto voxels = static_cast<double>(t.size.voxels());
    const char* const name = "add step";
    const LaunchShape shape = gpu::threadsOver(t.size.voxels(), log, name);
    gpu::launchEarly(log,
                     {name, 48 * voxels, 3 * voxels, gpu::perThread(shape, voxels, addStepCost)},
                     addStepKernel, shape, w, t, scale, t.size.voxels());
}

} // namespace systole::clg
