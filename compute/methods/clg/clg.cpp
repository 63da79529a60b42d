// The outer loop of CLG: scale, pyramid, and on each level warp, tensor, smooth, solve, compose.
#include "compute/methods/clg/clg.h"

#include "compute/core/error.h"
#include "compute/cuda/device.h"
#include "compute/methods/clg/balance.h"
#include "compute/methods/clg/balance_math.h"
#include "compute/methods/clg/brightness.h"
#include "compute/methods/clg/self_similarity.h"
#include "compute/methods/clg/steps.h"
#include "compute/ops/exponential.h"
#include "compute/ops/frame_masks.h"
#include "compute/ops/pyramid.h"
#include "compute/ops/resample.h"
#include "compute/ops/smooth.h"
#include "compute/ops/still_region.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace systole {
namespace {

/// Buffers are listed when constructed and must be acquired before use. All but the pyramid have
/// the finest level's size; coarser levels use their beginnings.
class Buffers {
public:
    /// `input` says which masks there are.
    Buffers(std::vector<PyramidLevel> levels, const ClgParameters& p, bool weighted,
            const MotionInput& input = {})
        : pyramid(std::move(levels), weighted, space), masks(pyramid.levels(), input, space) {
        const std::size_t n = pyramid.levels()[0].size.voxels();
        warped_ = space.add<float>("warped frame", n);
        inside_ = space.add<float>("inside", n);
        tensor_ = space.add<float>("structure tensor", 9 * n);
        fields_[0] = space.add<float>("motion field", 3 * n);
        fields_[1] = space.add<float>("motion field, next", 3 * n);
        total_ = space.add<float>("solver, total", 3 * n);
        if (p.usesSelfSimilarity())
            differences_ = space.add<float>("self-similarity", 3 * n);
        if (p.adaptive)
            for (const PyramidLevel& level : pyramid.levels())
                still_.push_back(space.add<std::uint8_t>("still region", level.size.voxels()));
        const std::size_t cells = brightnessCells(pyramid.levels());
        sums_ = space.add<clg::BrightnessSums>("brightness of cells", cells);
        coefficients_ = space.add<clg::BrightnessCoefficients>("brightness of cells", cells);
    }
    Buffers(const Buffers&) = delete; // the pyramid refers to the workspace
    Buffers& operator=(const Buffers&) = delete;

    VolumeView<float> warped(Size3 size) const { return {space.data(warped_), size}; }
    VolumeView<float> inside(Size3 size) const { return {space.data(inside_), size}; }
    VolumeView<float> coefficient(std::size_t k, Size3 size) const {
        return {space.data(tensor_) + k * size.voxels(), size};
    }
    /// Fields 0 and 1: the motion field, which alternates between them.
    FieldView<float> field(std::size_t which, Size3 size) const {
        return {space.data(fields_[which]), size};
    }
    FieldView<float> total(Size3 size) const { return {space.data(total_), size}; }
    /// Of the fixed frame (describe).
    FieldView<float> differences(Size3 size) const { return {space.data(differences_), size}; }
    /// 0 where gray values don't count since nothing was recorded there (findStillRegion), else 1.
    VolumeView<std::uint8_t> counts(std::size_t level) const {
        return {space.data(still_[level]), pyramid.levels()[level].size};
    }
    BrightnessScratch brightness() const { return {space.data(sums_), space.data(coefficients_)}; }

    Workspace space;
    Pyramid pyramid;
    MaskPyramid masks;

private:
    Workspace::Block<float> warped_, inside_, tensor_, fields_[2], total_, differences_;
    std::vector<Workspace::Block<std::uint8_t>> still_; ///< by level; empty unless adaptive
    Workspace::Block<clg::BrightnessSums> sums_;
    Workspace::Block<clg::BrightnessCoefficients> coefficients_;
};

std::array<float, 3> inverse(std::array<float, 3> scale) {
    return {1 / scale[0], 1 / scale[1], 1 / scale[2]};
}

class Clg : public MotionEstimator {
public:
    Clg(const ClgParameters& parameters, std::unique_ptr<ClgForm> form)
        : p_(parameters), form_(std::move(form)) {}

    int reach() const override { return clgReach; }

    std::size_t memoryEstimate(Size3 size) const override {
        const Buffers buffers(pyramidLevels(size, {1, 1, 1}, p_.levels), p_, p_.beta > 0);
        const std::size_t smoothing = BufferPool::blockBytes(sizeof(float) * size.voxels());
        return buffers.space.bytes() +
               std::max({Pyramid::decimateBytes(size), smoothing,
                         form_->solveBytes(size, solveOptions(), p_.beta > 0)});
    }

protected:
    MotionReport run(const MotionInput& input, FieldView<float> displacement,
                     const ExecContext& ctx) override {
        const bool weighted = !input.incompressibility.empty() && p_.beta > 0;
        Buffers buffers(pyramidLevels(input.fixed.size, input.spacing, p_.levels), p_, weighted,
                        input);
        buffers.space.acquire(*ctx.pool);
        FrameState frames;
        buildPyramid(buffers, input, frames, ctx);
        const std::vector<PyramidLevel>& levels = buffers.pyramid.levels();
        MotionReport report;

        std::size_t current = 0;
        start(buffers, displacement, frames, ctx);
        for (std::size_t level = levels.size(); level-- > 0;) {
            ctx.report("motion estimation",
                       1 - static_cast<double>(level + 1) / static_cast<double>(levels.size()));
            report.levels.push_back(estimateLevel(buffers, level, current, frames, ctx));
            if (level > 0) {
                const Size3 finer = levels[level - 1].size;
                const double values = 3 * static_cast<double>(finer.voxels());
                const ScopedSpan span(ctx.profile, "pyramid", "upsample field", 12 * values,
                                      16 * values);
                upsampleField(buffers.field(current, levels[level].size), levels[level].factor,
                              buffers.field(1 - current, finer), ctx);
                mend(buffers, buffers.field(1 - current, finer), ctx);
                current = 1 - current;
            }
        }
        copy(buffers.field(current, levels[0].size), displacement);
        report.comparesGrayValues = p_.features != ClgFeatures::SelfSimilarity;
        report.finish();
        return report;
    }

private:
    /// What the frames themselves have shown so far.
    struct FrameState {
        bool still = false;    ///< part of them isn't data (findStillRegion)
        double brightness = 0; ///< how far brightness has been matched
    };

    /// The tensor's memory, which is free between the solve and the next warp.
    static FieldView<float> spare(const Buffers& buffers, Size3 size) {
        return {buffers.coefficient(0, size).data, size};
    }

    /// A field may fold when its grid changes, where the edges of different voxels meet anew.
    void mend(const Buffers& buffers, FieldView<float> field, const ExecContext& ctx) const {
        if (p_.compositional)
            removeFolds(field, spare(buffers, field.size), buffers.coefficient(3, field.size), ctx);
    }

    /// Sets the coarsest level's field, to zero where the motion to start from doesn't help.
    void start(const Buffers& buffers, FieldView<const float> displacement,
               const FrameState& frames, const ExecContext& ctx) const {
        const std::vector<PyramidLevel>& levels = buffers.pyramid.levels();
        const std::size_t level = levels.size() - 1;
        const Size3 size = levels[level].size;
        const FieldView<float> field = buffers.field(0, size);
        downsampleField(displacement, totalFactor(levels), field, ctx);
        mend(buffers, field, ctx);
        const VolumeView<const float> fixed = buffers.pyramid.fixed(level),
                                      moving = buffers.pyramid.moving(level);
        const ScopedSpan span(ctx.profile, "warp", "check start",
                              36 * static_cast<double>(size.voxels()), 0);
        form_->warp(moving, field, buffers.warped(size), buffers.inside(size), false, ctx);
        leaveOutWhatDoesNotCount(buffers, level, field, frames, ctx);
        if (!warpHelps(fixed, moving, buffers.warped(size), buffers.inside(size), ctx))
            std::fill_n(field.u, 3 * size.voxels(), 0.0f);
    }

    /// Lowers the weight of voxels inside: still surroundings, and what masks leave out.
    static void leaveOutWhatDoesNotCount(const Buffers& buffers, std::size_t level,
                                         FieldView<const float> field, const FrameState& frames,
                                         const ExecContext& ctx) {
        const VolumeView<float> inside = buffers.inside(field.size);
        if (frames.still)
            leaveOut(buffers.counts(level), inside, ctx);
        if (!buffers.masks.empty())
            weighInside(buffers.masks.at(level), field, inside, ctx);
    }

    void buildPyramid(Buffers& buffers, const MotionInput& input, FrameState& frames,
                      const ExecContext& ctx) const {
        ScopedSpan span(ctx.profile, "pyramid", "pyramid");
        Pyramid& pyramid = buffers.pyramid;
        double bytes = pyramid.begin(input, ctx);
        if (p_.adaptive)
            bytes += findStill(buffers, frames, ctx);
        bytes += pyramid.decimate(ctx);
        buffers.masks.build(input, ctx);
        for (std::size_t level = 0; level < pyramid.levels().size(); ++level) {
            const PyramidLevel& grid = pyramid.levels()[level];
            const double automatic =
                p_.adaptive
                    ? prefilterSigma(neighborCorrelation(pyramid.fixed(level), grid.scale(), ctx))
                    : 0;
            const double sigma = std::max(p_.prefilter, automatic);
            if (sigma > 0) {
                form_->smooth(pyramid.fixed(level), grid.alongAxes(sigma), ctx);
                form_->smooth(pyramid.moving(level), grid.alongAxes(sigma), ctx);
                bytes += 2 * smoothingBytes(grid.size);
            }
        }
        span.setWork(bytes, 0);
    }

    /// Looks for still surroundings in the frames of the finest level and extends the frames into
    /// them. Returns the bytes moved.
    double findStill(const Buffers& buffers, FrameState& frames, const ExecContext& ctx) const {
        const std::vector<PyramidLevel>& levels = buffers.pyramid.levels();
        const Size3 finest = levels[0].size;
        const VolumeView<float> fixed = buffers.pyramid.fixed(0),
                                moving = buffers.pyramid.moving(0);
        const VolumeView<std::uint8_t> kinds(
            reinterpret_cast<std::uint8_t*>(buffers.coefficient(0, finest).data), finest);
        frames.still = findStillRegion(fixed, moving, kinds, ctx);
        if (!frames.still)
            return 9 * static_cast<double>(finest.voxels());
        std::array<int, 3> factor{1, 1, 1};
        for (std::size_t level = 0; level < levels.size(); ++level) {
            for (std::size_t axis = 0; axis < 3; ++axis)
                factor[axis] *= levels[level].factor[axis];
            markStillRegion(kinds, factor, buffers.counts(level), ctx);
        }
        extendIntoStillRegion(kinds, fixed, moving, buffers.coefficient(1, finest).data, ctx);
        return 29 * static_cast<double>(finest.voxels());
    }

    SolveOptions solveOptions() const {
        SolveOptions options;
        options.solver = p_.solver;
        options.sweeps = p_.sweeps;
        options.tolerance = p_.tolerance;
        options.omega = p_.omega;
        return options;
    }

    /// `current`: which of the two fields holds the motion, before and after.
    MotionReport::Level estimateLevel(const Buffers& buffers, std::size_t level,
                                      std::size_t& current, FrameState& frames,
                                      const ExecContext& ctx) const {
        const PyramidLevel& grid = buffers.pyramid.levels()[level];
        const Size3 size = grid.size;
        const std::size_t n = size.voxels();
        const VolumeView<const float> fixed = buffers.pyramid.fixed(level),
                                      moving = buffers.pyramid.moving(level);
        const VolumeView<float> warped = buffers.warped(size), inside = buffers.inside(size);
        const FieldView<float> total = buffers.total(size);

        ClgSystem system;
        for (std::size_t k = 0; k < 9; ++k)
            system.coefficient[k] = buffers.coefficient(k, size);
        system.scale = grid.scale();
        system.stencil = p_.compositional ? DivergenceStencil::Energy : DivergenceStencil::Paper;
        system.incompressibility = buffers.pyramid.weight(level);

        system.beta = static_cast<float>(p_.beta);
        double gainAtStart = 1;
        bool described = false;
        LevelFigures figures;
        const auto voxels = static_cast<double>(n);
        for (int warp = 0; warp < p_.warps; ++warp) {
            ctx.throwIfCancelled();
            const FieldView<float> field = buffers.field(current, size);
            {
                const ScopedSpan span(ctx.profile, "warp", "warp image", 24 * voxels, 40 * voxels);
                form_->warp(moving, field, warped, inside, p_.samplesCubically(warp), ctx);
                leaveOutWhatDoesNotCount(buffers, level, field, frames, ctx);
            }
            // On the finest level edges that are a voxel apart look like a change of brightness
            // until a warp has brought them together.
            if (p_.matchesBrightness() && (level > 0 || warp > 0 || frames.brightness > 0)) {
                const ScopedSpan span(ctx.profile, "warp", "match brightness", 3 * voxels,
                                      4 * voxels);
                frames.brightness =
                    matchBrightness(fixed, warped, inside, system.scale,
                                    level > 0 ? clg::coarseShares : clg::finestShares,
                                    frames.brightness, buffers.brightness(), ctx);
                figures.brightness = frames.brightness;
            }
            {
                const ScopedSpan span(ctx.profile, "gradient", "gradient and products", 48 * voxels,
                                      40 * voxels);
                TensorInput input;
                input.fixed = fixed;
                input.warped = warped;
                input.centralGradient = p_.centralGradient;
                input.scale = system.scale;
                if (!p_.normalized)
                    input.epsilon = -1;
                else if (p_.adaptive)
                    input.epsilon +=
                        static_cast<float>(meanSquaredResidual(fixed, warped, inside, ctx));
                if (p_.compositional || !buffers.masks.empty())
                    input.inside = inside;
                figures.noise = form_->tensor(input, system.coefficient, ctx);
            }
            if (p_.usesSelfSimilarity())
                described = addFeatures(buffers, level, 1 - current, frames, described, system,
                                        figures, ctx);
            const double gain =
                p_.adaptive ? smoothnessGain(fieldRoughness(field, system.scale, ctx)) : 1;
            if (warp == 0)
                gainAtStart = gain;
            setSmoothness(system,
                          p_.adaptive ? clg::warpGain(gainAtStart, gain, figures.noise) : 1);
            smoothTensor(system, grid, ctx);
            solveStep(system, field, total, figures, ctx);
            // Must precede composing the step, which overwrites `total`.
            if (warp + 1 == p_.warps || ctx.iteration)
                figures.energy = clgEnergy(system, total, ctx);
            if (takeStep(buffers, system.scale, field, total, buffers.field(1 - current, size),
                         ctx))
                current = 1 - current;
            ++figures.warps;
            if (ctx.iteration)
                ctx.iteration({static_cast<int>(level), figures.warps, figures.energy,
                               buffers.field(current, size)});
        }
        return figures.report(size);
    }

    /// Adds self-similarity to the tensor as far as the frames show that it helps. `spare`: the
    /// field that is free until the step is composed. Takes and returns whether the level's fixed
    /// frame has been described.
    bool addFeatures(const Buffers& buffers, std::size_t level, std::size_t spare,
                     const FrameState& frames, bool described, ClgSystem& system,
                     LevelFigures& figures, const ExecContext& ctx) const {
        const Size3 size = system.size();
        const bool alone = p_.features == ClgFeatures::SelfSimilarity;
        SelfSimilarityInput input;
        input.axes = clg::comparedAxes(size, system.scale, alone ? 2 : clg::leastCompared);
        input.weights = alone ? clg::DataWeights{0, 1}
                              : clg::dataWeights(level == 0, figures.noise, frames.brightness);
        if (input.axes.count == 0) {
            if (alone)
                std::fill_n(system.coefficient[0].data, 9 * size.voxels(), 0.0f);
            return described;
        }
        figures.selfSimilarity = static_cast<double>(input.weights.selfSimilarity);
        if (!(input.weights.selfSimilarity > 0))
            return described;
        const auto voxels = static_cast<double>(size.voxels());
        const ScopedSpan span(ctx.profile, "gradient", "self-similarity", 132 * voxels,
                              500 * voxels);
        const FieldView<float> warped = buffers.field(spare, size);
        if (!described)
            describe(buffers.pyramid.fixed(level), input.axes, buffers.differences(size), ctx);
        describe(buffers.warped(size), input.axes, warped, ctx);
        input.fixed = buffers.differences(size);
        input.warped = warped;
        input.inside = buffers.inside(size);
        input.scale = system.scale;
        const double noise = addSelfSimilarity(input, system.coefficient, ctx);
        if (alone)
            figures.noise = noise;
        return true;
    }

    void smoothTensor(const ClgSystem& system, const PyramidLevel& grid,
                      const ExecContext& ctx) const {
        const double voxels = static_cast<double>(system.size().voxels());
        const Vec3 sigma = grid.alongAxes(p_.rho);
        const ScopedSpan span(ctx.profile, "smooth", "tensor smoothing", 9 * 16 * voxels,
                              9 * smoothingFlops(grid.size, sigma));
        for (const VolumeView<float>& coefficient : system.coefficient) {
            ctx.throwIfCancelled();
            form_->smooth(coefficient, sigma, ctx);
        }
    }

    /// Solves for `total`: the field after this warp's step, or, when steps add up, the step; in
    /// smallest spacings.
    void solveStep(ClgSystem& system, FieldView<const float> field, FieldView<float> total,
                   LevelFigures& figures, const ExecContext& ctx) const {
        const auto voxels = static_cast<double>(system.size().voxels());
        ScopedSpan span(ctx.profile, "solve", "solve");
        if (p_.compositional) {
            copy(field, total);
            scaleField(total, inverse(system.scale), ctx);
            form_->rightHandSide(system.coefficient, total, ctx);
            if (system.beta > 0)
                form_->addDivergence(system, total, ctx);
        } else {
            std::fill_n(total.u, 3 * total.size.voxels(), 0.0f);
            for (std::size_t k = 6; k < 9; ++k)
                std::transform(system.coefficient[k].data,
                               system.coefficient[k].data + system.size().voxels(),
                               system.coefficient[k].data, std::negate<>());
        }
        const SolveResult result = form_->solve(system, total, solveOptions(), ctx);
        figures.sweeps += result.sweeps;
        figures.lastChange = result.lastChange;
        // A sweep streams 18 values per voxel, with beta 24; right-hand side, layout and its
        // inverse 45 once.
        const double bytes = system.beta > 0 ? 96 : 72, operations = system.beta > 0 ? 110 : 54;
        span.setWork((bytes * result.sweeps + 180.0) * voxels,
                     (operations * result.sweeps + 100.0) * voxels);
    }

    /// Applies the step. Returns whether the motion is now in `next`, not in `field`.
    bool takeStep(const Buffers& buffers, std::array<float, 3> scale, FieldView<float> field,
                  FieldView<float> total, FieldView<float> next, const ExecContext& ctx) const {
        const auto voxels = static_cast<double>(field.size.voxels());
        const ScopedSpan span(ctx.profile, "warp", "compose field", 36 * voxels, 90 * voxels);
        if (p_.compositional) {
            form_->compose(field, total, scale, next, ctx);
            composeWithoutFolds(field, total, next, spare(buffers, next.size),
                                buffers.coefficient(3, next.size), ctx);
            return true;
        }
        scaleField(total, scale, ctx);
        for (int k = 0; k < 3; ++k)
            std::transform(field.component(k), field.component(k) + field.size.voxels(),
                           total.component(k), field.component(k), std::plus<>());
        return false;
    }

    void setSmoothness(ClgSystem& system, double gain) const {
        const double alpha = p_.alpha * gain;
        for (int axis = 0; axis < 3; ++axis) {
            const auto a = static_cast<std::size_t>(axis);
            system.smoothness[a] = system.size()[axis] > 1 ? static_cast<float>(alpha) *
                                                                 system.scale[a] * system.scale[a]
                                                           : 0;
        }
    }

    ClgParameters p_;
    std::unique_ptr<ClgForm> form_;
};

} // namespace

std::unique_ptr<MotionEstimator> makeClg(const ParamSet& values, Backend backend) {
    switch (backend) {
    case Backend::CpuReference:
        return std::make_unique<Clg>(ClgParameters::from(values), makeClgReferenceForm());
    case Backend::Cpu:
        return std::make_unique<Clg>(ClgParameters::from(values), makeClgCpuForm());
    case Backend::Cuda:
        if constexpr (cudaIsBuilt)
            return makeClgCuda(ClgParameters::from(values));
        break;
    }
    throw ComputeError("CLG has no CUDA implementation here: " + cudaStatus().reason);
}

} // namespace systole
