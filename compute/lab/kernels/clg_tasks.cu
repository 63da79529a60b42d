// The stages of CLG as tasks: a pair of frames of a smooth random pattern, moved by a smooth field
// of a few voxels, goes through the product's own steps up to the measured one.
#include "compute/lab/kernels/smooth_frames_cuda.cuh"
#include "compute/lab/kernels/tasks.cuh"
#include "compute/methods/clg/solver/jacobi_cuda.cuh"
#include "compute/methods/clg/solver/red_black_cuda.cuh"
#include "compute/methods/clg/steps.h"
#include "compute/methods/clg/steps_cuda.cuh"
#include "compute/methods/clg/tensor_math.h"

#include <optional>

namespace systole::lab {
using namespace clg;
namespace {

/// Value from CLG's default preset.
constexpr double rho = 4;
constexpr float alpha = 0.3f, omega = 1.7f;

/// The frame pair, and memory for the volumes of a task.
class Scene {
public:
    Scene(CudaContext& cuda, int side, std::size_t moreVolumes)
        : cuda_(cuda)
        , size_(labSize(side))
        , floats_(cuda.devicePool().acquire<float>((5 + moreVolumes) * size_.voxels(),
                                                   "laboratory, volumes"))
        , state_(cuda.devicePool().acquire<DeviceState>(1, "laboratory, state"))
        , sums_(cuda.devicePool().acquire<double2>(gridSumBlocks(size_), "laboratory, sums"))
        , arrived_(cuda.devicePool().acquire<unsigned>(1, "laboratory, counter")) {
        cuda.zero(arrived_.data(), sizeof(unsigned), CudaStream::Compute);
        cuda.zero(state_.data(), sizeof(DeviceState), CudaStream::Compute);
        LaunchLog log(cuda, LaunchLog::Timing::None);
        beginLevel(state(), {1, {alpha, alpha, alpha}}, log);
        paintSmoothFrames(volume(0), volume(1), field(), log);
    }

    Size3 size() const { return size_; }
    std::size_t voxels() const { return size_.voxels(); }
    std::size_t bytes(std::size_t volumes) const { return volumes * voxels() * sizeof(float); }
    VolumeView<const float> fixed() { return {volume(0), size_}; }
    VolumeView<const float> moving() { return {volume(1), size_}; }
    FieldView<float> field() { return {volume(2), volume(3), volume(4), size_}; }
    /// The i-th of the volumes that the task requested.
    float* own(std::size_t i) { return volume(5 + i); }
    Planes<float> planesAt(std::size_t i) { return {own(i), own(i + 1), own(i + 2)}; }
    DeviceState* state() { return state_.data(); }
    gpu::GridSum sum() { return {sums_.data(), arrived_.data()}; }

    WarpStep warpStep(float* warped, float* inside) {
        WarpStep step{};
        step.moving = moving();
        step.fixed = fixed();
        step.field = field();
        step.warped = warped;
        step.inside = inside;
        step.findEpsilon = false; // its sum ends in one block, whose time would hide the warp's
        step.state = state();
        return step;
    }
    TensorStep tensorStep(const float* warped, const float* inside, float* products) {
        TensorStep step{};
        step.fixed = fixed();
        step.warped = warped;
        step.inside = inside;
        step.central = true;
        for (float& factor : step.factor)
            factor = differenceFactor(step.central, 1);
        for (std::size_t k = 0; k < 9; ++k)
            step.product[k] = products + k * voxels();
        step.state = state();
        return step;
    }
    /// The products of the pair's gradients, by the simplest variants, into nine volumes; two more
    /// are overwritten.
    void findProducts(float* products, float* two, LaunchLog& log) {
        warp(0, warpStep(two, two + voxels()), sum(), log);
        gradientProducts(0, tensorStep(two, two + voxels(), products), sum(), log);
    }
    /// A warp's system in nine volumes; three more are overwritten.
    DeviceSystem findSystem(float* coefficients, float* three) {
        LaunchLog log(cuda_, LaunchLog::Timing::None);
        findProducts(coefficients, three, log);
        gpu::smoothStack(0, {coefficients, 9, size_}, gpu::gaussianTapsFor(rho),
                         {three, 3 * voxels()}, log);
        DeviceSystem system{};
        for (std::size_t k = 0; k < 9; ++k)
            system.coefficient[k] = coefficients + k * voxels();
        for (float& scale : system.scale)
            scale = 1;
        system.stencil = DivergenceStencil::Energy;
        system.size = size_;
        system.state = state();
        rightHandSide(system, field(), log);
        return system;
    }

    /// A task whose result is the given number of volumes at `output`.
    KernelTask task(float* output, std::size_t volumes, std::size_t uploadVolumes) {
        return taskOf(output, volumes * voxels(), bytes(uploadVolumes));
    }
    /// Copies the given number of volumes, starting at `first`, to the host.
    std::vector<float> onHost(const float* first, std::size_t volumes) {
        return valuesOf(cuda_, first, volumes * voxels());
    }

private:
    float* volume(std::size_t i) { return floats_.data() + i * voxels(); }

    CudaContext& cuda_;
    Size3 size_;
    Buffer<float> floats_;
    Buffer<DeviceState> state_;
    Buffer<double2> sums_;
    Buffer<unsigned> arrived_;
};

/// Volume i of a vector that holds several.
VolumeView<float> volumeOf(std::vector<float>& all, Size3 size, std::size_t i) {
    return {all.data() + i * size.voxels(), size};
}
FieldView<float> fieldOf(std::vector<float>& all, Size3 size, std::size_t first) {
    return {volumeOf(all, size, first).data, volumeOf(all, size, first + 1).data,
            volumeOf(all, size, first + 2).data, size};
}
std::array<VolumeView<float>, 9> nineOf(std::vector<float>& all, Size3 size) {
    std::array<VolumeView<float>, 9> nine;
    for (std::size_t k = 0; k < 9; ++k)
        nine[k] = volumeOf(all, size, k);
    return nine;
}

/// The pair's system, whose coefficients are the scene's first own volumes, solved on the host.
std::vector<float> solveOnHost(Scene& scene, const SolveOptions& options, const ExecContext& ctx) {
    const Size3 size = scene.size();
    std::vector<float> coefficients = scene.onHost(scene.own(0), 9),
                       field = scene.onHost(scene.field().u, 3);
    ClgSystem system;
    system.coefficient = nineOf(coefficients, size);
    system.smoothness = {alpha, alpha, alpha};
    solveClg(system, fieldOf(field, size, 0), options, ctx);
    return field;
}

} // namespace

KernelTask makeWarpTask(CudaContext& cuda, int side) {
    struct Data {
        Scene scene;
        gpu::DeviceTexture points, filtered;
        Data(CudaContext& c, int s)
            : scene(c, s, 2), points(scene.size(), false), filtered(scene.size(), true) {}
    };
    const auto d = std::make_shared<Data>(cuda, side);
    LaunchLog log(cuda, LaunchLog::Timing::None);
    d->points.copyFrom(d->scene.moving().data, log);
    d->filtered.copyFrom(d->scene.moving().data, log);

    KernelTask task = d->scene.task(d->scene.own(0), 2, 5);
    task.launch = [d](int variant, LaunchLog& to) {
        WarpStep step = d->scene.warpStep(d->scene.own(0), d->scene.own(1));
        const bool filters = textureOfWarp(variant) == gpu::TextureUse::Filtered;
        step.texture = filters ? d->filtered.object() : d->points.object();
        warp(variant, step, d->scene.sum(), to);
    };
    task.onHost = [d](const ExecContext& ctx) {
        Scene& scene = d->scene;
        const Size3 size = scene.size();
        std::vector<float> pair = scene.onHost(scene.fixed().data, 5), result(2 * size.voxels());
        makeClgCpuForm()->warp(volumeOf(pair, size, 1), fieldOf(pair, size, 2),
                               volumeOf(result, size, 0), volumeOf(result, size, 1), false, ctx);
        return result;
    };
    return task;
}

KernelTask makeGradientTask(CudaContext& cuda, int side) {
    const auto scene = std::make_shared<Scene>(cuda, side, 11);
    LaunchLog log(cuda, LaunchLog::Timing::None);
    scene->findProducts(scene->own(2), scene->own(0), log);

    KernelTask task = scene->task(scene->own(2), 9, 3);
    task.launch = [scene](int variant, LaunchLog& to) {
        gradientProducts(variant, scene->tensorStep(scene->own(0), scene->own(1), scene->own(2)),
                         scene->sum(), to);
    };
    task.onHost = [scene](const ExecContext& ctx) {
        const Size3 size = scene->size();
        std::vector<float> fixed = scene->onHost(scene->fixed().data, 1),
                           warped = scene->onHost(scene->own(0), 2), result(9 * size.voxels());
        TensorInput input;
        input.fixed = volumeOf(fixed, size, 0);
        input.warped = volumeOf(warped, size, 0);
        input.inside = volumeOf(warped, size, 1);
        makeClgCpuForm()->tensor(input, nineOf(result, size), ctx);
        return result;
    };
    return task;
}

/// The nine products of the tensor, with as much scratch memory as in an estimation.
KernelTask makeSmoothTask(CudaContext& cuda, int side) {
    const auto scene = std::make_shared<Scene>(cuda, side, 21);
    LaunchLog log(cuda, LaunchLog::Timing::None);
    scene->findProducts(scene->own(0), scene->own(18), log);

    KernelTask task = scene->task(scene->own(9), 9, 9);
    task.reset = [scene](CudaContext& c) {
        c.copyOnDevice(scene->own(0), scene->own(9), scene->bytes(9), CudaStream::Compute);
    };
    task.launch = [scene, taps = gpu::gaussianTapsFor(rho)](int variant, LaunchLog& to) {
        gpu::smoothStack(variant, {scene->own(9), 9, scene->size()}, taps,
                         {scene->own(18), 3 * scene->voxels()}, to);
    };
    task.onHost = [scene](const ExecContext& ctx) {
        std::vector<float> products = scene->onHost(scene->own(0), 9);
        const auto cpu = makeClgCpuForm();
        for (const VolumeView<float>& product : nineOf(products, scene->size()))
            cpu->smooth(product, tapsOfAxes({rho, rho, rho}), ctx);
        return products;
    };
    return task;
}

/// Two sweeps from the pair's field, neither with its change measured: the tolerance needs two of
/// every five.
KernelTask makeJacobiTask(CudaContext& cuda, int side) {
    const auto scene = std::make_shared<Scene>(cuda, side, 15);
    const DeviceSystem system = scene->findSystem(scene->own(0), scene->own(9));

    KernelTask task = scene->task(scene->own(12), 3, 12);
    task.launch = [scene, system](int variant, LaunchLog& log) {
        const Planes<float> once = scene->planesAt(9), twice = scene->planesAt(12);
        const SweepMark mark{system.state, 0, 1, false, false, false};
        const auto sweep = [&](const FieldView<const float>& from, const Planes<float>& to,
                               int count) {
            launchSweeps({variant, system, {}, {from.u, from.v, from.w}, to, count, mark}, log);
        };
        if (jacobiKernel(variant).sweepsPerLaunch >= 2) {
            sweep(scene->field(), twice, 2);
        } else {
            sweep(scene->field(), once, 1);
            sweep({once.plane[0], once.plane[1], once.plane[2], scene->size()}, twice, 1);
        }
    };
    task.onHost = [scene](const ExecContext& ctx) {
        return solveOnHost(*scene, {ClgSolver::Jacobi, 2, 0}, ctx);
    };
    return task;
}

/// Four sweeps from the pair's field; splitting and merging the colors is not included.
KernelTask makeRedBlackTask(CudaContext& cuda, int side) {
    struct Data {
        Scene scene;
        DeviceSystem system;
        DeviceColors colors;
        std::optional<DeviceColors> tiles;
        std::optional<ResidentRelaxation> resident;
        RedBlackForm last = RedBlackForm::InPlace;
        Data(CudaContext& c, int s)
            : scene(c, s, 12)
            , system(scene.findSystem(scene.own(0), scene.own(9)))
            , colors(c, scene.size(), false, false) {
            if (ResidentRelaxation::fits(c, scene.size()))
                resident.emplace(c, scene.size());
            if (hasTiles(c))
                tiles.emplace(c, scene.size(), false, false, true);
        }
        /// Storage in which the colors are separate; null: none.
        DeviceColors* separate() {
            return last == RedBlackForm::Colors           ? &colors
                   : last == RedBlackForm::Tiles && tiles ? &*tiles
                                                          : nullptr;
        }
        Planes<float> solution() { return scene.planesAt(9); }
    };
    static constexpr SolveOptions options{ClgSolver::RedBlack, 4, 0, static_cast<double>(omega)};
    const auto d = std::make_shared<Data>(cuda, side);

    KernelTask task = d->scene.task(d->scene.own(9), 3, 12);
    task.reset = [d](CudaContext& c) {
        c.copyOnDevice(d->scene.field().u, d->scene.own(9), d->scene.bytes(3), CudaStream::Compute);
        LaunchLog log(c, LaunchLog::Timing::None);
        for (DeviceColors* const separate : {&d->colors, d->tiles ? &*d->tiles : nullptr})
            if (separate)
                separate->load(d->system, {}, d->solution(), log);
        SweepCourse(d->system.state, options).begin(log);
    };
    task.launch = [d](int variant, LaunchLog& log) {
        d->last = static_cast<RedBlackForm>(variant);
        if (d->last == RedBlackForm::Resident) {
            if (!d->resident)
                throw ComputeError("no cluster of this device holds a cube of side " +
                                   std::to_string(d->scene.size().x));
            d->resident->solve(d->system, {}, d->solution(), options, nullptr, log);
            return;
        }
        DeviceColors* const separate = d->separate();
        if (d->last == RedBlackForm::Tiles && !separate)
            throw ComputeError("a block of this device has too little shared memory for a tile");
        const SweepCourse course(d->system.state, options);
        for (int sweep = 1; sweep <= options.sweeps;)
            if (separate)
                sweep += separate->sweep(omega, sweep, course, log);
            else
                relaxInPlace(d->system, {}, d->solution(), omega, sweep++, course, log);
    };
    task.gather = [d](CudaContext& c) {
        LaunchLog log(c, LaunchLog::Timing::None);
        if (DeviceColors* const separate = d->separate())
            separate->store(log);
    };
    task.onHost = [d](const ExecContext& ctx) { return solveOnHost(d->scene, options, ctx); };
    return task;
}

} // namespace systole::lab
