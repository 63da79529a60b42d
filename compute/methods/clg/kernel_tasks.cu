// The stages of CLG as tasks: a pair of frames of a smooth random pattern, moved by a smooth field
// of a few voxels, goes through the product's own steps up to the one that is measured.
#include "compute/core/random.h"
#include "compute/cuda/texture.cuh"
#include "compute/methods/clg/solver/jacobi_cuda.cuh"
#include "compute/methods/clg/solver/red_black_cuda.cuh"
#include "compute/methods/clg/steps_cuda.cuh"
#include "compute/ops/pyramid.h"

#include <numbers>
#include <optional>

namespace systole::clg {
namespace {

using lab::labSize;
using lab::LabTask;

/// As in CLG's default preset.
constexpr double rho = 4;
constexpr float alpha = 0.3f, omega = 1.7f;

/// Cosines of random directions and phases.
struct Pattern {
    static constexpr int waves = 8;
    float direction[waves][3]; ///< radians a voxel
    float phase[waves];
    float mean, amplitude; ///< of the pattern; of each wave

    __device__ float at(float x, float y, float z) const {
        float sum = mean;
        for (int i = 0; i < waves; ++i)
            sum += amplitude *
                   cosf(direction[i][0] * x + direction[i][1] * y + direction[i][2] * z + phase[i]);
        return sum;
    }
};

/// Wavelengths from `shortest` voxels to four times that.
Pattern patternOf(std::uint64_t seed, double shortest, float mean, float amplitude) {
    Pattern p{};
    p.mean = mean;
    p.amplitude = amplitude;
    for (int i = 0; i < Pattern::waves; ++i) {
        const auto random = [&](int which) {
            return static_cast<double>(uniformFloat(static_cast<std::uint32_t>(randomBits(
                seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(which)))));
        };
        const double wavelength = shortest * (1 + 3 * random(0));
        const double rate = 2 * std::numbers::pi / wavelength;
        const double up = 2 * random(1) - 1, turn = 2 * std::numbers::pi * random(2);
        const double across = std::sqrt(1 - up * up);
        p.direction[i][0] = static_cast<float>(rate * across * std::cos(turn));
        p.direction[i][1] = static_cast<float>(rate * across * std::sin(turn));
        p.direction[i][2] = static_cast<float>(rate * up);
        p.phase[i] = static_cast<float>(2 * std::numbers::pi * random(3));
    }
    return p;
}

struct Motion {
    Pattern along[3];
};

/// Both frames, and half of the motion between them: what a warp amid an estimation starts from.
__global__ void paintFrames(const __grid_constant__ Pattern image,
                            const __grid_constant__ Motion motion, float* fixed, float* moving,
                            FieldView<float> field) {
    const gpu::Column c = gpu::columnOf(field.size, 1);
    if (!c.inGrid)
        return;
    const auto x = static_cast<float>(c.x), y = static_cast<float>(c.y),
               z = static_cast<float>(c.begin);
    float w[3];
#pragma unroll
    for (int k = 0; k < 3; ++k)
        w[k] = motion.along[k].at(x, y, z);
    const std::size_t i = field.componentView(0).offset(c.x, c.y, c.begin);
    fixed[i] = image.at(x, y, z);
    moving[i] = image.at(x - w[0], y - w[1], z - w[2]);
#pragma unroll
    for (int k = 0; k < 3; ++k)
        field.component(k)[i] = 0.5f * w[k];
}

/// The pair, and room for the volumes of a task.
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
        Motion motion;
        for (int k = 0; k < 3; ++k)
            motion.along[k] = patternOf(static_cast<std::uint64_t>(k + 2), 60, 0, 0.5f);
        log.launch({"laboratory/paint"}, paintFrames, gpu::columnsOver(size_, 1),
                   patternOf(1, 10, 0.5f * pyramidGrayRange, 15), motion, volume(0), volume(1),
                   field());
    }

    Size3 size() const { return size_; }
    std::size_t voxels() const { return size_.voxels(); }
    std::size_t bytes(std::size_t volumes) const { return volumes * voxels() * sizeof(float); }
    VolumeView<const float> fixed() { return {volume(0), size_}; }
    VolumeView<const float> moving() { return {volume(1), size_}; }
    FieldView<float> field() { return {volume(2), volume(3), volume(4), size_}; }
    /// Of those that the task asked for.
    float* own(std::size_t i) { return volume(5 + i); }
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
        for (std::size_t k = 0; k < 9; ++k)
            step.product[k] = products + k * voxels();
        step.state = state();
        return step;
    }
    /// The products of the pair's gradients into nine volumes, two more used up.
    void findProducts(float* products, float* two, LaunchLog& log) {
        warp(WarpVariant::Direct, warpStep(two, two + voxels()), sum(), log);
        gradientProducts(MemoryVariant::Direct, tensorStep(two, two + voxels(), products), sum(),
                         log);
    }
    /// A warp's system in nine volumes, three more used up.
    DeviceSystem findSystem(float* coefficients, float* three) {
        LaunchLog log(cuda_, LaunchLog::Timing::None);
        findProducts(coefficients, three, log);
        gpu::smoothStack(MemoryVariant::Direct, {coefficients, 9, size_}, gpu::gaussianTapsFor(rho),
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

private:
    float* volume(std::size_t i) { return floats_.data() + i * voxels(); }

    CudaContext& cuda_;
    Size3 size_;
    Buffer<float> floats_;
    Buffer<DeviceState> state_;
    Buffer<double2> sums_;
    Buffer<unsigned> arrived_;
};

class WarpTask : public LabTask {
public:
    WarpTask(CudaContext& cuda, int side)
        : scene_(cuda, side, 2), points_(scene_.size(), false), filtered_(scene_.size(), true) {
        LaunchLog log(cuda, LaunchLog::Timing::None);
        points_.copyFrom(scene_.moving().data, log);
        filtered_.copyFrom(scene_.moving().data, log);
    }
    void launch(const std::string& variant, LaunchLog& log) override {
        WarpStep step = scene_.warpStep(scene_.own(0), scene_.own(1));
        const WarpVariant way = warpVariant(variant);
        step.texture = way == WarpVariant::TextureFilter ? filtered_.object() : points_.object();
        warp(way, step, scene_.sum(), log);
    }
    float* output() override { return scene_.own(0); }
    std::size_t outputFloats() const override { return 2 * scene_.voxels(); }
    std::size_t uploadBytes() const override { return scene_.bytes(5); }
    std::size_t downloadBytes() const override { return scene_.bytes(2); }

private:
    Scene scene_;
    gpu::DeviceTexture points_, filtered_;
};

class GradientTask : public LabTask {
public:
    GradientTask(CudaContext& cuda, int side) : scene_(cuda, side, 11) {
        LaunchLog log(cuda, LaunchLog::Timing::None);
        scene_.findProducts(scene_.own(2), scene_.own(0), log);
    }
    void launch(const std::string& variant, LaunchLog& log) override {
        gradientProducts(memoryVariant(variant),
                         scene_.tensorStep(scene_.own(0), scene_.own(1), scene_.own(2)),
                         scene_.sum(), log);
    }
    float* output() override { return scene_.own(2); }
    std::size_t outputFloats() const override { return 9 * scene_.voxels(); }
    std::size_t uploadBytes() const override { return scene_.bytes(3); }
    std::size_t downloadBytes() const override { return scene_.bytes(9); }

private:
    Scene scene_;
};

/// The nine products of the tensor, with as much scratch as an estimation has.
class SmoothTask : public LabTask {
public:
    SmoothTask(CudaContext& cuda, int side)
        : scene_(cuda, side, 21), taps_(gpu::gaussianTapsFor(rho)) {
        LaunchLog log(cuda, LaunchLog::Timing::None);
        scene_.findProducts(scene_.own(0), scene_.own(18), log);
    }
    void reset(CudaContext& cuda) override {
        cuda.copyOnDevice(scene_.own(0), scene_.own(9), scene_.bytes(9), CudaStream::Compute);
    }
    void launch(const std::string& variant, LaunchLog& log) override {
        gpu::smoothStack(memoryVariant(variant), {scene_.own(9), 9, scene_.size()}, taps_,
                         {scene_.own(18), 3 * scene_.voxels()}, log);
    }
    float* output() override { return scene_.own(9); }
    std::size_t outputFloats() const override { return 9 * scene_.voxels(); }
    std::size_t uploadBytes() const override { return scene_.bytes(9); }
    std::size_t downloadBytes() const override { return scene_.bytes(9); }

private:
    Scene scene_;
    gpu::Taps taps_;
};

/// Two sweeps from the pair's field, none of which is measured: the tolerance asks for two of five.
class JacobiTask : public LabTask {
public:
    JacobiTask(CudaContext& cuda, int side)
        : scene_(cuda, side, 15), system_(scene_.findSystem(scene_.own(0), scene_.own(9))) {}
    void launch(const std::string& variant, LaunchLog& log) override {
        const std::size_t n = scene_.voxels();
        const FieldView<float> start = scene_.field();
        const auto planes = [&](std::size_t first) {
            float* const data = scene_.own(first);
            return Planes<float>{data, data + n, data + 2 * n};
        };
        const Planes<float> once = planes(9), twice = planes(12);
        const SweepMark mark{system_.state, 0, 1, false, false, false};
        const auto sweep = [&](const Planes<float>& from, const Planes<float>& to, int count) {
            launchSweeps(
                sweepVariant(memoryVariant(variant)),
                {system_, {}, {from.plane[0], from.plane[1], from.plane[2]}, to, count, mark}, log);
        };
        if (sweepVariant(memoryVariant(variant)).most >= 2) {
            sweep({start.u, start.v, start.w}, twice, 2);
        } else {
            sweep({start.u, start.v, start.w}, once, 1);
            sweep(once, twice, 1);
        }
    }
    float* output() override { return scene_.own(12); }
    std::size_t outputFloats() const override { return 3 * scene_.voxels(); }
    std::size_t uploadBytes() const override { return scene_.bytes(12); }
    std::size_t downloadBytes() const override { return scene_.bytes(3); }

private:
    Scene scene_;
    DeviceSystem system_;
};

/// Four sweeps from the pair's field; taking the colours apart and together is not part of them.
class RedBlackTask : public LabTask {
public:
    RedBlackTask(CudaContext& cuda, int side)
        : scene_(cuda, side, 12)
        , system_(scene_.findSystem(scene_.own(0), scene_.own(9)))
        , colours_(cuda, scene_.size(), false) {
        if (ResidentRelaxation::fits(cuda, scene_.size()))
            resident_.emplace(cuda, scene_.size());
    }
    void reset(CudaContext& cuda) override {
        cuda.copyOnDevice(scene_.field().u, scene_.own(9), scene_.bytes(3), CudaStream::Compute);
        LaunchLog log(cuda, LaunchLog::Timing::None);
        colours_.load(system_, {}, solution(), log);
        SweepCourse(system_.state, options).begin(log);
    }
    void launch(const std::string& variant, LaunchLog& log) override {
        last_ = variant;
        if (variant == "resident") {
            if (!resident_)
                throw ComputeError("no cluster of this device holds a cube of side " +
                                   std::to_string(scene_.size().x));
            resident_->solve(system_, {}, solution(), options, nullptr, log);
            return;
        }
        const SweepCourse course(system_.state, options);
        for (int sweep = 1; sweep <= options.sweeps; ++sweep)
            if (variant == "colours")
                colours_.sweep(omega, sweep, course, log);
            else
                relaxInPlace(system_, {}, solution(), omega, sweep, course, log);
    }
    void gather(CudaContext& cuda) override {
        LaunchLog log(cuda, LaunchLog::Timing::None);
        if (last_ == "colours")
            colours_.store(solution(), log);
    }
    float* output() override { return scene_.own(9); }
    std::size_t outputFloats() const override { return 3 * scene_.voxels(); }
    std::size_t uploadBytes() const override { return scene_.bytes(12); }
    std::size_t downloadBytes() const override { return scene_.bytes(3); }

private:
    static constexpr SolveOptions options{ClgSolver::RedBlack, 4, 0, static_cast<double>(omega)};
    Planes<float> solution() {
        float* const t = scene_.own(9);
        return {t, t + scene_.voxels(), t + 2 * scene_.voxels()};
    }

    Scene scene_;
    DeviceSystem system_;
    DeviceColours colours_;
    std::optional<ResidentRelaxation> resident_;
    std::string last_;
};

} // namespace

std::unique_ptr<LabTask> makeGradientTask(CudaContext& cuda, int side) {
    return std::make_unique<GradientTask>(cuda, side);
}
std::unique_ptr<LabTask> makeSmoothTask(CudaContext& cuda, int side) {
    return std::make_unique<SmoothTask>(cuda, side);
}
std::unique_ptr<LabTask> makeJacobiTask(CudaContext& cuda, int side) {
    return std::make_unique<JacobiTask>(cuda, side);
}
std::unique_ptr<LabTask> makeRedBlackTask(CudaContext& cuda, int side) {
    return std::make_unique<RedBlackTask>(cuda, side);
}
std::unique_ptr<LabTask> makeWarpTask(CudaContext& cuda, int side) {
    return std::make_unique<WarpTask>(cuda, side);
}

} // namespace systole::clg
