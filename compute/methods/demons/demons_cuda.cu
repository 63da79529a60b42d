// Demons' steps on the device.
#include "compute/cuda/early_launch.cuh"
#include "compute/cuda/replay.cuh"
#include "compute/methods/demons/force_cuda.cuh"
#include "compute/methods/demons/plan.h"
#include "compute/ops/exponential_cuda.cuh"
#include "compute/ops/on_device.cuh"
#include "compute/ops/sample.h"
#include "compute/ops/white_noise_cuda.cuh"

#include <algorithm>
#include <array>

namespace systole {
namespace {

/// Arguments for both widths of the step's smoothing; the device chooses the width.
template <typename Step>
struct EitherWidth {
    Step step[2];
    const int* takeSecond;

    __device__ const Step& taken() const { return step[takeSecond && *takeSecond ? 1 : 0]; }
};

/// Arguments of square(), from a DemonsStep.
struct Squared {
    FieldView<const float> now;
    FieldView<float> spare;
    float factor[3];
};

/// spare(p) = f·now(p) + f·now(p + f·now(p))
__device__ inline void square(const Squared& s, int planes) {
    const gpu::Column c = gpu::columnOf(s.now.size, planes);
    if (!c.inGrid)
        return;
    for (int z = c.begin; z < c.end; ++z) {
        const std::size_t i = s.now.componentView(0).offset(c.x, c.y, z);
        const float u = s.factor[0] * s.now.u[i], v = s.factor[1] * s.now.v[i],
                    w = s.factor[2] * s.now.w[i];
        const TrilinearSample there(s.now.size, static_cast<float>(c.x) + u,
                                    static_cast<float>(c.y) + v, static_cast<float>(z) + w);
        s.spare.u[i] = fmaf(s.factor[0], there.of(s.now.u), u);
        s.spare.v[i] = fmaf(s.factor[1], there.of(s.now.v), v);
        s.spare.w[i] = fmaf(s.factor[2], there.of(s.now.w), w);
    }
}

__global__ void squareKernel(const __grid_constant__ EitherWidth<Squared> steps, int planes) {
    gpu::waitForKernelBefore();
    square(steps.taken(), planes);
}

/// A step as the last composition reads it.
struct Composed {
    FieldView<const float> step;
    HalvedAxis x, y, z;
    bool halved;
    float factor[3]; ///< voxels of the level per voxel of the step's grid, if that is halved
};

/// The cells that a voxel lies between.
struct BetweenCells {
    int lowest;                 ///< offset of the first cell
    int alongX, alongY, alongZ; ///< offsets from it to the next cells; 0 at the border
    float shareX, shareY, shareZ;

    __device__ BetweenCells(const Composed& c, int x, int y, int z)
        : shareX(c.x.share(x)), shareY(c.y.share(y)), shareZ(c.z.share(z)) {
        const int i = c.x.lower(x), j = c.y.lower(y), k = c.z.lower(z);
        const int firstX = c.x.clampedCell(i), firstY = c.y.clampedCell(j),
                  firstZ = c.z.clampedCell(k);
        lowest = firstX + c.x.coarse * (firstY + c.y.coarse * firstZ);
        alongX = c.x.clampedCell(i + 1) - firstX;
        alongY = c.x.coarse * (c.y.clampedCell(j + 1) - firstY);
        alongZ = c.x.coarse * c.y.coarse * (c.z.clampedCell(k + 1) - firstZ);
    }
    /// Trilinear value, mixed along y, then x, then z, as on the host.
    __device__ float of(const float* cells) const {
        const auto mix = [](float a, float b, float share) { return fmaf(share, b - a, a); };
        const auto row = [&](int i) { return mix(cells[i], cells[i + alongY], shareY); };
        const auto plane = [&](int i) { return mix(row(i), row(i + alongX), shareX); };
        return mix(plane(lowest), plane(lowest + alongZ), shareZ);
    }
};

/// out(p) = step(p) + field(p + step(p))
__device__ inline void compose(FieldView<const float> field, const Composed& s,
                               FieldView<float> out, int planes) {
    const gpu::Column c = gpu::columnOf(out.size, planes);
    if (!c.inGrid)
        return;
    for (int z = c.begin; z < c.end; ++z) {
        const std::size_t i = out.componentView(0).offset(c.x, c.y, z);
        float u = 0, v = 0, w = 0;
        if (s.halved) {
            const BetweenCells cells(s, c.x, c.y, z);
            u = s.factor[0] * cells.of(s.step.u);
            v = s.factor[1] * cells.of(s.step.v);
            w = s.factor[2] * cells.of(s.step.w);
        } else {
            u = s.step.u[i];
            v = s.step.v[i];
            w = s.step.w[i];
        }
        const TrilinearSample there(out.size, static_cast<float>(c.x) + u,
                                    static_cast<float>(c.y) + v, static_cast<float>(z) + w);
        out.u[i] = u + there.of(field.u);
        out.v[i] = v + there.of(field.v);
        out.w[i] = w + there.of(field.w);
    }
}

/// The bounds leave 32 registers, as many as without cells in between.
__global__ void __launch_bounds__(1024, 2)
    composeKernel(const __grid_constant__ FieldView<const float> field,
                  const __grid_constant__ FieldView<float> out,
                  const __grid_constant__ EitherWidth<Composed> steps, int planes) {
    gpu::waitForKernelBefore();
    compose(field, steps.taken(), out, planes);
}

constexpr KernelCost composeCost{.add = 27,
                                 .multiply = 3,
                                 .fusedMultiplyAdd = 24,
                                 .integer = 160,
                                 .globalLoads = 3 + 24,
                                 .globalStores = 3};

/// `arguments`: the kernel's, but for the planes of a thread.
template <typename Kernel, typename... Arguments>
void launchComposition(LaunchLog& log, Kernel kernel, Size3 size, const Arguments&... arguments) {
    const char* const name = "compose fields";
    const auto voxels = static_cast<double>(size.voxels());
    const int planes = gpu::planesFor(size, 1);
    const LaunchShape shape = gpu::columnsOver(size, planes, log, name);
    gpu::launchEarly(log,
                     {name, 36 * voxels, 90 * voxels, gpu::perThread(shape, voxels, composeCost)},
                     kernel, shape, arguments..., planes);
}

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
    /// Only the device knows which of them is taken.
    static Size3 largerOf(const DemonsSteps& steps) {
        const Size3 a = steps.first.now.size, b = steps.second.now.size;
        return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
    }
    static double squaredVoxels(const DemonsSteps& steps) {
        return static_cast<double>(largerOf(steps).voxels());
    }
    static void square(const DemonsSteps& steps, float factor, bool first, LaunchLog& log) {
        const auto squared = [&](const DemonsStep& step) {
            const std::array<float, 3> f =
                first ? step.toGrid(factor) : std::array{factor, factor, factor};
            return Squared{step.now, step.spare, {f[0], f[1], f[2]}};
        };
        const EitherWidth<Squared> either{{squared(steps.first), squared(steps.second)},
                                          steps.takeSecond};
        launchComposition(log, squareKernel, largerOf(steps), either);
    }
    static void compose(FieldView<const float> field, const DemonsSteps& steps, bool squared,
                        FieldView<float> out, LaunchLog& log) {
        const auto composed = [&](const DemonsStep& step) {
            const HalvedGrid& grid = step.grid;
            const std::array<float, 3> f = squared ? step.fromGrid() : std::array{1.0f, 1.0f, 1.0f};
            return Composed{step.now, grid.x, grid.y, grid.z, grid.halves(), {f[0], f[1], f[2]}};
        };
        const EitherWidth<Composed> either{{composed(steps.first), composed(steps.second)},
                                           steps.takeSecond};
        launchComposition(log, composeKernel, out.size, field, out, either);
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
