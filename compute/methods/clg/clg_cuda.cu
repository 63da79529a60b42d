// The steps of CLG on the device.
#include "compute/cuda/replay.cuh"
#include "compute/methods/clg/data_term_cuda.cuh"
#include "compute/methods/clg/level_cuda.cuh"
#include "compute/methods/clg/prefilter_cuda.cuh"
#include "compute/methods/clg/tensor_math.h"
#include "compute/methods/clg/trend_cuda.cuh"
#include "compute/ops/on_device.cuh"
#include "compute/ops/smooth_halved_cuda.cuh"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

namespace systole {
namespace clg {
namespace {

constexpr int maxLevels = gpu::StillMarks::maxLevels;

/// Report of the device about an estimation; copied to the host once, at its end.
struct DeviceReport {
    DeviceState state[maxLevels]; ///< finest first
    double energy[maxLevels];
    int notFinite[2]; ///< 1 where the fixed or the moving frame holds non-finite values
    StillState still;
    int startHelped; ///< 1 if the motion to start from was used
};

DeviceSolveOptions solveOptions(const ClgParameters& p) {
    DeviceSolveOptions options{p.solveOptions()};
    options.jacobi = p.variants.sweep;
    options.halfTensor = p.variants.halfTensor;
    options.withBeta = p.beta > 0;
    options.stencil = p.stencil();
    return options;
}

class StepsOnDevice : public gpu::OnDevice {
public:
    using Report = DeviceReport;

    StepsOnDevice(const ClgParameters& parameters, Size3 finest, Workspace& space)
        : p_(parameters)
        , space_(space)
        , room_(gridSumBlocks(finest), space)
        , sideRoom_(roughnessBlocks(finest), space)
        , folds_(space.add<gpu::FoldState>("folds", 1))
        , prefilter_(parameters, maxLevels, space) {}

    /// Bytes that an estimation takes in addition to the plan's own memory.
    std::size_t bytes(const std::vector<PyramidLevel>& levels) const {
        std::size_t sum = TrendOnDevice::bytes(p_, levels);
        for (const PyramidLevel& level : levels) {
            if (&level >= &levels[finestMotion(p_, levels.size())])
                sum += DeviceSolver::scratchBytes(level.size, solveOptions(p_));
            if (textureOfWarp(p_.variants.warp) != gpu::TextureUse::None)
                sum += sizeof(float) * level.size.voxels();
        }
        return sum;
    }
    void acquired(CudaContext& cuda, const std::vector<LevelBuffers>& levels, Report* report) {
        levels_ = &levels;
        trend_.acquire(p_, levels, cuda);
        prefilter_.acquire(cuda, levels.size());
        beside_.emplace(cuda);
        report_ = report;
        for (const LevelBuffers& b : levels) {
            solvers_.push_back(
                b.level >= finestMotion(p_, levels.size())
                    ? std::make_unique<DeviceSolver>(cuda, b.size(), solveOptions(p_))
                    : nullptr);
            const gpu::TextureUse use = textureOfWarp(p_.variants.warp);
            if (use != gpu::TextureUse::None)
                textures_.push_back(std::make_unique<gpu::DeviceTexture>(
                    b.size(), use == gpu::TextureUse::Filtered));
        }
        room_.clear(cuda);
        sideRoom_.clear(cuda);
    }

    void abandon() {
        prefilter_.abandon();
        beside_->abandon();
    }

    static LevelFigures figures(const Report& report, std::size_t level, int warps) {
        const DeviceState& state = report.state[level];
        return {.warps = warps,
                .sweeps = state.sweeps,
                .lastChange = static_cast<double>(state.change),
                .energy = report.energy[level],
                .brightness = static_cast<double>(state.brightness),
                .selfSimilarity = static_cast<double>(state.selfSimilarity),
                .noise = state.noise};
    }
    const double* energy(std::size_t level) const { return report_->energy + level; }

    void begin(const Pyramid& pyramid, const Masks& masks, const MotionInput& input,
               FieldView<const float> start, LaunchLog& log) const {
        OnDevice::begin(pyramid, masks, input, report_->notFinite, log);
        resample(start, gpu::downsampling(totalFactor(pyramid.levels())), levels_->back(),
                 levels_->back().fields[0], log);
    }

    void buildPyramid(const Pyramid& pyramid, const Masks& masks, LaunchLog& log) {
        const LaunchLog::Stage stage(log, "pyramid");
        const LevelBuffers& finest = (*levels_)[0];
        const gpu::Scratch scratch{finest.tensor.data, 9 * finest.size().voxels()};
        if (p_.adaptive)
            findStill(pyramid.images(0), log);
        pyramid.decimate(scratch, log);
        gpu::decimate(masks, scratch, log);
        prefilter_.run(
            *levels_, [&](std::size_t level) { return pyramid.images(level); }, report_->state,
            [&](const LevelBuffers& b) {
                if (!textures_.empty())
                    textures_[b.level]->copyFrom(b.moving.data, log);
            },
            log);
    }

    void checkStart(LaunchLog& log) const {
        const LaunchLog::Stage stage(log, "warp");
        const LevelBuffers& b = levels_->back();
        mendFolds(b, b.fields[0], log);
        clg::checkStart({b.fixed, b.moving, stillRegion(b), b.masks, b.fields[0], b.total,
                         &report_->startHelped},
                        room_.sum(), log);
    }

    void enter(const LevelBuffers& b, const LevelBuffers& m, LaunchLog& log) {
        prefilter_.join(b.level, log);
        const LaunchLog::Stage stage(log, "gradient");
        clg::beginLevel(stateOf(b), startOf(b, m), log);
    }

    /// The solver's unknown begins as the motion, in its unit.
    static void keepStart(const LevelBuffers& m, FieldView<const float>, FieldView<float> start,
                          LaunchLog& log) {
        cudaCheck(cudaMemcpyAsync(start.u, m.total.u, 3 * m.size().voxels() * sizeof(float),
                                  cudaMemcpyDeviceToDevice, log.stream()),
                  "copying the motion");
    }

    void warp(const Warp& w, LaunchLog& log) {
        if (trend_.isBeside())
            beside_->run(log, [&] { trend_.find(w, log); });
        const LevelBuffers& b = w.b;
        const LaunchLog::Stage stage(log, "warp");
        WarpStep step{};
        step.moving = b.moving;
        step.fixed = b.fixed;
        step.texture = textures_.empty() ? 0 : textures_[b.level]->object();
        step.field = w.field;
        if (w.onHalf()) {
            step.between = gpu::upsampling(w.m.grid.factor);
            if (!b.masks.empty()) {
                step.field = w.onFrames();
                gpu::resampleField(w.field, step.between, w.onFrames(), {}, log);
            }
        }
        step.warped = b.warped.data;
        step.inside = b.inside.data;
        step.cubic = p_.samplesCubically(w.index);
        step.still = stillRegion(b);
        const bool findEpsilon = p_.normalized && p_.adaptive, masked = !b.masks.empty();
        step.findEpsilon = findEpsilon && !masked;
        step.state = stateOf(b);
        clg::warp(p_.variants.warp, step, room_.sum(), log);
        step.findEpsilon = findEpsilon;
        if (masked)
            weighInside(b.masks, step, room_.sum(), log);
        treatBrightness(p_, w, {b.fixed, step.warped, step.inside, findEpsilon, step.state},
                        room_.sum(), log);
    }

    void findTensor(const Warp& w, LaunchLog& log) const {
        const LevelBuffers& b = w.b;
        const LaunchLog::Stage stage(log, "gradient");
        const std::array<float, 3> scale = b.grid.scale();
        TensorStep step{};
        step.fixed = b.compared();
        step.warped = b.warped.data;
        step.inside = p_.compositional || !b.masks.empty() ? b.inside.data : nullptr;
        step.central = p_.centralGradient;
        for (std::size_t axis = 0; axis < 3; ++axis)
            step.factor[axis] = differenceFactor(p_.centralGradient, scale[axis]);
        for (std::size_t k = 0; k < 9; ++k)
            step.product[k] = b.coefficient(k).data;
        step.noise = p_.adaptive || w.last;
        step.state = stateOf(b);
        if (takesCells(p_, w)) {
            for (std::size_t k = 0; k < 9; ++k)
                step.product[k] = w.coefficient(k).data;
            productsOfCells(step, room_.sum(), log);
        } else {
            gradientProducts(p_.variants.gradient, step, room_.sum(), log);
        }
        if (b.level == 0 && p_.refinesData())
            compareGradients(p_, w, step, room_.sum(), log);
        if (p_.usesSelfSimilarity())
            addFeatures(w, step, log);
    }

    void findSmoothness(const Warp& w, LaunchLog& log) {
        if (!p_.adaptive)
            return;
        beside_->run(log, [&] {
            const LaunchLog::Stage stage(log, "gradient");
            clg::findSmoothness(w.field, startOf(w.b, w.m), w.index == 0, stateOf(w.b),
                                sideRoom_.sum(), log);
        });
    }

    void smoothTensor(const Warp& w, LaunchLog& log) {
        const LaunchLog::Stage stage(log, "smooth");
        // The other field is free until the step is composed.
        const gpu::Scratch scratch{w.other.u, 3 * (*levels_)[0].size().voxels()};
        const gpu::VolumeStack products{w.b.tensor.data, 9, w.b.size()};
        const Vec3 sigma = w.b.grid.alongAxes(p_.rho);
        smoothed_ = products.data;
        if (!w.onHalf())
            return gpu::smoothStackHalved(p_.variants.smooth, products, sigma, scratch, log);
        const HalvedGrid half(w.b.size(), w.m.grid.factor, sigma);
        if (!takesCells(p_, w))
            gpu::cellMeans(products, half, w.m.system.data, log);
        smoothed_ = gpu::smoothedStack(p_.variants.smooth, {w.m.system.data, 9, half.size()},
                                       gpu::gaussianTapsFor(half.sigma), scratch, log);
    }

    void solve(const Warp& w, bool withEnergy, LaunchLog& log) {
        DeviceSystem system = systemOf(p_, w, smoothed_, stateOf(w.b));
        DeviceSolver& solver = *solvers_[w.m.level];
        const FieldView<float> total = w.m.total;
        system.withoutB = p_.compositional && !(p_.beta > 0) && solver.formsB();
        // The energy is that of what the solver finds.
        const bool someFree = trend_.exists(w);
        const bool solverAdds = someFree && system.withoutB && !withEnergy;
        const bool adds = someFree && !solverAdds;
        beside_->join(log);
        if (someFree && !trend_.isBeside())
            trend_.find(w, log);
        const LaunchLog::Stage stage(log, "solve");
        if (adds)
            add(trend_.of(w), -1, total, log);
        for (int k = 0; solverAdds && k < 3; ++k)
            system.trend[k] = trend_.of(w).component(k);
        float* const t[3] = {total.u, total.v, total.w};
        const float* const constant[3] = {total.u, total.v, total.w};
        system.keepsB = withEnergy;
        if (!system.withoutB)
            rightHandSide(system, p_.compositional ? total : FieldView<float>{}, log);
        if (p_.compositional && p_.beta > 0)
            addDivergenceOf(system, constant, log);
        solver.solve(system, t, log);
        if (withEnergy)
            clg::energy(system, constant, report_->energy + w.b.level, log);
        if (adds)
            add(trend_.of(w), 1, total, log);
    }

    bool takeStep(const Warp& w, LaunchLog& log) const {
        const LaunchLog::Stage stage(log, "warp");
        const UnitScale scale = unitScale(w.m.scale());
        if (p_.compositional)
            compose(w.field, w.m.total, scale, w.other, foldsOf(w.m), log);
        else
            addStep(w.field, w.m.total, scale, log);
        return p_.compositional;
    }

    void refine(const LevelBuffers& coarse, FieldView<const float> field, const LevelBuffers& fine,
                FieldView<float> out, LaunchLog& log) {
        const LaunchLog::Stage stage(log, "pyramid");
        resample(field, gpu::upsampling(factorTo(fine, coarse)), fine, out, log);
        // Folds of the finest level are mended in memory in which its frames are filtered before.
        prefilter_.join(fine.level, log);
        mendFolds(fine, out, log);
    }

private:
    DeviceState* stateOf(const LevelBuffers& b) const { return report_->state + b.level; }

    LevelStart startOf(const LevelBuffers& b, const LevelBuffers& m) const {
        return levelStart(p_, b, m,
                          b.level + 1 < levels_->size() ? report_->state + b.level + 1 : nullptr);
    }

    /// Empty unless the method adapts to the frames.
    StillRegion stillRegion(const LevelBuffers& b) const {
        return p_.adaptive ? StillRegion{b.counts.data, &report_->still} : StillRegion{};
    }

    void findStill(const gpu::VolumeStack& images, LaunchLog& log) const {
        const LevelBuffers& finest = (*levels_)[0];
        const VolumeView<std::uint8_t> kinds(reinterpret_cast<std::uint8_t*>(finest.tensor.data),
                                             images.size);
        gpu::findStillRegion({finest.fixed, finest.moving, kinds, &report_->still}, room_.sum(),
                             log);
        gpu::StillExtension extension{};
        extension.frames = images;
        extension.kinds = kinds;
        extension.scratch = finest.tensor.data + images.volume();
        extension.state = &report_->still;
        int factor[3] = {1, 1, 1};
        for (const LevelBuffers& b : *levels_) {
            gpu::StillMarks::Level& marks = extension.marks.level[extension.marks.levels++];
            marks.counts = b.counts;
            for (std::size_t axis = 0; axis < 3; ++axis)
                marks.factor[axis] = factor[axis] *= b.grid.factor[axis];
        }
        gpu::extendIntoStillRegion(extension, log);
    }

    /// Buffers for the composition of a field, in the tensor's memory.
    gpu::FoldBuffers foldsOf(const LevelBuffers& b) const {
        return {{b.tensor.data, b.size()},
                {b.coefficient(3).data, b.size()},
                b.coefficient(6).data,
                space_.data(folds_)};
    }

    /// Removes folds of a field that was resampled to another grid.
    void mendFolds(const LevelBuffers& b, FieldView<float> field, LaunchLog& log) const {
        if (!p_.compositional)
            return;
        const gpu::FoldBuffers folds = foldsOf(b);
        std::array<float, 3> gain;
        std::copy_n(unitScale(b.scale()).fromVoxels, 3, gain.begin());
        gpu::clearFolds(folds, log);
        gpu::findFolds(field, folds, log);
        gpu::mendFolds({}, field, b.total, gain, folds, log);
    }

    /// The field on a level's grid, and the solver's unknown: the same in its unit, or, where steps
    /// add up, zero.
    void resample(FieldView<const float> field, gpu::FieldResampling how, const LevelBuffers& to,
                  FieldView<float> out, LaunchLog& log) const {
        std::copy_n(unitScale(to.scale()).fromVoxels, 3, how.copyGain.begin());
        gpu::resampleField(field, how, out, p_.compositional ? to.total : FieldView<float>{}, log);
        if (!p_.compositional)
            log.cuda().zero(to.total.u, 3 * sizeof(float) * to.size().voxels(),
                            CudaStream::Compute);
    }

    /// Adds self-similarity to the tensor, as far as the frames show that it helps.
    void addFeatures(const Warp& w, const TensorStep& tensor, LaunchLog& log) const {
        const LevelBuffers& b = w.b;
        SelfSimilarityStep step{};
        step.fixed = b.fixed;
        step.warped = tensor.warped;
        step.inside = b.inside.data;
        step.ofFixed = b.differences;
        step.ofWarped = {w.other.u, b.size()};
        // The channels follow the differences where there is room: not on the finest level.
        const std::size_t floats = 3 * (*levels_)[0].size().voxels(), n = b.size().voxels();
        step.kept = floats >= (3 + 2 * maxChannels) * n ? w.other.u + 3 * n : nullptr;
        for (std::size_t axis = 0; axis < 3; ++axis)
            step.factor[axis] = differenceFactor(true, b.grid.scale()[axis]);
        step.finest = b.level == 0 && !p_.mapsGrayValues();
        step.alone = p_.features == ClgFeatures::SelfSimilarity;
        step.axes = comparedAxes(b.size(), b.grid.scale(), step.alone ? 2 : minCompared);
        for (std::size_t k = 0; k < 9; ++k)
            step.product[k] = b.coefficient(k).data;
        step.ofCells = takesCells(p_, w) ? w.m.system.data : nullptr;
        step.state = tensor.state;
        if (step.axes.count > 0)
            addSelfSimilarity(step, room_.sum(), log);
        else if (step.alone)
            log.cuda().zero(b.tensor.data, 9 * sizeof(float) * b.size().voxels(),
                            CudaStream::Compute);
    }

    ClgParameters p_;
    Workspace& space_;
    gpu::SumRoom room_,
        sideRoom_; ///< room of kernels that run in order, and of those on a side branch
    Workspace::Block<gpu::FoldState> folds_;
    TrendOnDevice trend_;
    PrefilterOnDevice prefilter_;
    const std::vector<LevelBuffers>* levels_ = nullptr;
    DeviceReport* report_ = nullptr;
    float* smoothed_ = nullptr; ///< the tensor that is solved with
    std::vector<std::unique_ptr<DeviceSolver>> solvers_;
    std::vector<std::unique_ptr<gpu::DeviceTexture>> textures_; ///< empty in variant `direct`
    /// The trend and the field's roughness, beside the warp and the tensor.
    std::optional<SideBranch> beside_;
};

} // namespace
} // namespace clg

std::unique_ptr<MotionEstimator> makeClgCuda(const ClgParameters& parameters) {
    return std::make_unique<DeviceEstimator<clg::Plan<clg::StepsOnDevice>>>(parameters);
}

} // namespace systole
