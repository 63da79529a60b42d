// The steps of CLG on the host, for the estimation (clg.cpp) and what asks its last system
// (errors.cpp).
#pragma once

#include "compute/methods/clg/balance.h"
#include "compute/methods/clg/balance_math.h"
#include "compute/methods/clg/data_term.h"
#include "compute/methods/clg/host_fields.h"
#include "compute/methods/clg/plan.h"
#include "compute/methods/clg/self_similarity.h"
#include "compute/methods/clg/steps.h"
#include "compute/ops/exponential.h"
#include "compute/ops/on_host.h"
#include "compute/ops/over_voxels.h"
#include "compute/ops/smooth_halved.h"
#include "compute/ops/still_region.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace systole::clg {

inline constexpr std::size_t maxLevels = 10;

class StepsOfForm : public OnHost {
public:
    struct Report {
        LevelFigures figures[maxLevels]; ///< finest first
        int notFinite[2];
    };

    StepsOfForm(const ClgParameters& parameters, std::unique_ptr<ClgForm> form)
        : p_(parameters), form_(std::move(form)) {}

    std::size_t bytes(const std::vector<PyramidLevel>& levels) const {
        const Size3 finest = levels[0].size;
        return std::max({Pyramid::decimateBytes(finest),
                         BufferPool::blockBytes(sizeof(float) * finest.voxels()),
                         smoothHalvedScratch(finest, levels[0].alongAxes(p_.rho)),
                         form_->solveBytes(levels[finestMotion(p_, levels.size())].size,
                                           p_.solveOptions(), p_.beta > 0)});
    }
    void acquired(BufferPool&, const std::vector<LevelBuffers>& levels, Report* report) {
        levels_ = &levels;
        trends_ = trendsOf(p_, levels);
        report_ = report;
    }
    static LevelFigures figures(const Report& report, std::size_t level, int) {
        return report.figures[level];
    }
    const double* energy(std::size_t level) const { return &report_->figures[level].energy; }

    void begin(Pyramid& pyramid, const Masks& masks, const MotionInput& input,
               FieldView<const float> start, Run& ctx) {
        ScopedSpan span(ctx.profile, "pyramid", "pyramid");
        double bytes = pyramid.begin(input, ctx);
        if (p_.adaptive)
            bytes += findStill(ctx);
        bytes += pyramid.decimate(ctx);
        masks.build(input, ctx);
        for (const LevelBuffers& b : *levels_) {
            const double automatic =
                p_.adaptive ? prefilterSigma(neighborCorrelation(b.fixed, b.grid.scale(), ctx)) : 0;
            const double sigma = std::max(p_.prefilter, automatic);
            if (b.level == 0 && p_.adaptive)
                prefilter_ = static_cast<float>(sigma);
            if (sigma > 0) {
                const TapsOfAxes taps = tapsOfAxes(b.grid.alongAxes(sigma));
                form_->smooth(b.fixed, taps, ctx);
                form_->smooth(b.moving, taps, ctx);
                bytes += 2 * smoothingBytes(b.size());
            }
        }
        span.setWork(bytes, 0);
        downsample(start, totalFactor(pyramid.levels()), levels_->back().fields[0], ctx);
    }
    static void buildPyramid(const Pyramid&, const Masks&, Run&) {} // begin() has

    /// Sets the coarsest level's field to zero where the motion to start from doesn't help.
    void checkStart(Run& ctx) const {
        const LevelBuffers& b = levels_->back();
        const FieldView<float> field = b.fields[0];
        mend(b, field, ctx);
        const ScopedSpan span(ctx.profile, "warp", "check start",
                              36 * static_cast<double>(b.size().voxels()), 0);
        form_->warp(b.moving, field, b.warped, b.inside, false, ctx);
        leaveOutWhatDoesNotCount(b, field, ctx);
        if (!warpHelps(b.fixed, b.moving, b.warped, b.inside, ctx))
            std::fill_n(field.u, 3 * b.size().voxels(), 0.0f);
    }

    void enter(const LevelBuffers& b, const LevelBuffers& m, Run&) {
        for (std::size_t k = 0; k < 9; ++k)
            products_[k] = b.coefficient(k);
        system_ = {};
        system_.scale = m.scale();
        system_.stencil = p_.stencil();
        system_.incompressibility = m.weight;
        system_.beta = static_cast<float>(p_.beta);
        described_ = false;
    }

    static void keepStart(const LevelBuffers& m, FieldView<const float> field,
                          FieldView<float> start, Run& ctx) {
        copy(field, start);
        scaleField(start, inverse(m.scale()), ctx);
    }

    void warp(const Warp& w, Run& ctx) {
        const LevelBuffers& b = w.b;
        const auto voxels = static_cast<double>(b.size().voxels());
        {
            const ScopedSpan span(ctx.profile, "warp", "warp image", 24 * voxels, 40 * voxels);
            FieldView<float> field = w.field;
            if (w.onHalf()) {
                field = w.onFrames();
                upsampleField(w.field, w.m.grid.factor, field, ctx);
            }
            form_->warp(b.moving, field, b.warped, b.inside, p_.samplesCubically(w.index), ctx);
            leaveOutWhatDoesNotCount(b, field, ctx);
        }
        brightness_ = figuresOf(b).brightness = treatBrightness(p_, w, brightness_, ctx);
    }

    void findTensor(const Warp& w, Run& ctx) {
        const LevelBuffers& b = w.b;
        {
            const auto voxels = static_cast<double>(b.size().voxels());
            const ScopedSpan span(ctx.profile, "gradient", "gradient and products", 48 * voxels,
                                  40 * voxels);
            TensorInput input;
            input.fixed = b.compared();
            input.warped = b.warped;
            input.centralGradient = p_.centralGradient;
            input.scale = b.grid.scale();
            input.epsilon = tensorEpsilon(p_, b, b.compared(), ctx);
            if (p_.compositional || !b.masks.empty())
                input.inside = b.inside;
            epsilon_ = input.epsilon;
            figuresOf(b).noise = form_->tensor(input, products_, ctx);
        }
        if (b.level == 0 && p_.refinesData())
            compareGradients({p_, b, *form_, prefilter_, epsilon_}, products_, ctx);
        if (p_.usesSelfSimilarity())
            addFeatures(w, ctx);
    }

    void findSmoothness(const Warp& w, Run& ctx) {
        const double gain =
            p_.adaptive ? smoothnessGain(fieldRoughness(w.field, w.m.grid.scale(), ctx)) : 1;
        if (w.index == 0)
            gainAtStart_ = gain;
        system_.smoothness = w.m.smoothness(
            w.b.alpha * (p_.adaptive ? warpGain(gainAtStart_, gain, figuresOf(w.b).noise) : 1));
    }

    void smoothTensor(const Warp& w, Run& ctx) {
        const Vec3 sigma = w.b.grid.alongAxes(p_.rho);
        for (std::size_t k = 0; k < 9; ++k)
            system_.coefficient[k] = w.coefficient(k);
        if (w.onHalf()) {
            const HalvedGrid half(w.b.size(), w.m.grid.factor, sigma);
            const ScopedSpan span(ctx.profile, "smooth", "tensor smoothing",
                                  9 * (smoothHalvedBytes(half.size(), half.sigma) +
                                       4 * static_cast<double>(w.b.size().voxels())),
                                  9 * smoothHalvedFlops(half.size(), half.sigma));
            for (std::size_t k = 0; k < 9; ++k) {
                ctx.throwIfCancelled();
                cellMeans(products_[k], half, system_.coefficient[k], ctx);
                form_->smooth(system_.coefficient[k], tapsOfAxes(half.sigma), ctx);
            }
            return;
        }
        const ScopedSpan span(ctx.profile, "smooth", "tensor smoothing",
                              9 * smoothHalvedBytes(w.b.size(), sigma),
                              9 * smoothHalvedFlops(w.b.size(), sigma));
        for (const VolumeView<float>& coefficient : system_.coefficient) {
            ctx.throwIfCancelled();
            smoothHalved(
                coefficient, sigma,
                [&](VolumeView<float> v, Vec3 left) { form_->smooth(v, tapsOfAxes(left), ctx); },
                ctx);
        }
    }

    /// Solves for `total`: the field after this warp's step, or, when steps add up, the step; in
    /// smallest spacings.
    void solve(const Warp& w, bool withEnergy, Run& ctx) {
        const FieldView<float> total = w.m.total;
        LevelFigures& figures = figuresOf(w.b);
        const auto voxels = static_cast<double>(w.m.size().voxels());
        if (leavesSomeFree(w))
            takeFreePart(w, ctx);
        {
            ScopedSpan span(ctx.profile, "solve", "solve");
            if (p_.compositional) {
                startFromField(w, ctx);
                form_->rightHandSide(system_.coefficient, total, ctx);
                if (system_.beta > 0)
                    form_->addDivergence(system_, total, ctx);
            } else {
                std::fill_n(total.u, 3 * total.size.voxels(), 0.0f);
                for (std::size_t k = 6; k < 9; ++k)
                    std::transform(system_.coefficient[k].data,
                                   system_.coefficient[k].data + w.m.size().voxels(),
                                   system_.coefficient[k].data, std::negate<>());
            }
            const SolveResult result = form_->solve(system_, total, p_.solveOptions(), ctx);
            figures.sweeps += result.sweeps;
            figures.lastChange = result.lastChange;
            // A sweep that takes a pass of its own streams 18 values per voxel, with beta 24;
            // right-hand side, layout and its inverse 45 once.
            const double bytes = system_.beta > 0 ? 96 : 72,
                         operations = system_.beta > 0 ? 110 : 54;
            span.setWork((bytes * result.sweeps + 180.0) * voxels,
                         (operations * result.sweeps + 100.0) * voxels);
        }
        if (withEnergy)
            figures.energy = form_->energy(system_, total, ctx);
        if (leavesSomeFree(w))
            changeBy(w.other, total, ctx, std::plus<>());
        ++figures.warps;
    }

    /// Applies the step. Returns whether the motion is now in the other field.
    bool takeStep(const Warp& w, Run& ctx) const {
        const FieldView<float> total = w.m.total;
        const auto voxels = static_cast<double>(w.m.size().voxels());
        const ScopedSpan span(ctx.profile, "warp", "compose field", 36 * voxels, 90 * voxels);
        if (p_.compositional) {
            form_->compose(w.field, total, system_.scale, w.other, ctx);
            composeWithoutFolds(w.field, total, w.other, spare(w.m), w.m.coefficient(3), ctx);
            return true;
        }
        scaleField(total, system_.scale, ctx);
        for (int k = 0; k < 3; ++k)
            std::transform(w.field.component(k), w.field.component(k) + w.m.size().voxels(),
                           total.component(k), w.field.component(k), std::plus<>());
        return false;
    }

    void refine(const LevelBuffers& coarse, FieldView<const float> field, const LevelBuffers& fine,
                FieldView<float> out, Run& ctx) const {
        const double values = 3 * static_cast<double>(fine.size().voxels());
        const ScopedSpan span(ctx.profile, "pyramid", "upsample field", 12 * values, 16 * values);
        upsampleField(field, factorTo(fine, coarse), out, ctx);
        mend(fine, out, ctx);
    }

protected:
    LevelFigures& figuresOf(const LevelBuffers& b) const { return report_->figures[b.level]; }

    /// The tensor's memory, which is free between the solve and the next warp.
    static FieldView<float> spare(const LevelBuffers& b) { return {b.tensor.data, b.size()}; }

    bool leavesSomeFree(const Warp& w) const { return !trends_.empty() || !w.b.start.empty(); }

    /// The unknown becomes the field, less the part that is free, in smallest spacings.
    void startFromField(const Warp& w, Run& ctx) const {
        const std::array<float, 3> factor = inverse(system_.scale);
        overRows(w.m.size(), ctx, [&](int y, int z) {
            for (int k = 0; k < 3; ++k) {
                const float* const field = w.field.componentView(k).row(y, z);
                const float* const free =
                    leavesSomeFree(w) ? w.other.componentView(k).row(y, z) : nullptr;
                float* const out = w.m.total.componentView(k).row(y, z);
                const float by = factor[static_cast<std::size_t>(k)];
                for (int x = 0; x < w.m.size().x; ++x)
                    out[x] = by * field[x] - (free ? free[x] : 0.0f);
            }
        });
    }

    /// The other field becomes what smoothness leaves free: the field's trend, and on the finest
    /// level a share of what that began with; in smallest spacings.
    void takeFreePart(const Warp& w, Run& ctx) const {
        if (trends_.empty())
            std::fill_n(w.other.u, 3 * w.m.size().voxels(), 0.0f);
        else
            takeTrend(w, ctx);
        const auto share = static_cast<float>(p_.startShare());
        if (!w.b.start.empty())
            changeBy(w.b.start, w.other, ctx,
                     [share](float trend, float start) { return trend + share * (start - trend); });
    }

    void takeTrend(const Warp& w, Run& ctx) const {
        const auto voxels = static_cast<double>(w.m.size().voxels());
        const ScopedSpan span(ctx.profile, "smooth", "trend of the motion", 24 * voxels,
                              100 * voxels);
        const TrendGrid& trend = trends_[w.m.level];
        const bool coarser = trend.level > w.m.level;
        // The warped frame isn't needed any more.
        const FieldView<float> on =
            coarser ? FieldView<float>(w.b.warped.data, (*levels_)[trend.level].size()) : w.other;
        if (coarser)
            downsampleField(w.field, trend.factor, on, ctx);
        else
            copy(w.field, on);
        for (int k = 0; k < 3; ++k) {
            ctx.throwIfCancelled();
            form_->smooth(on.componentView(k), trend.taps, ctx);
        }
        if (coarser)
            upsampleField(on, trend.factor, w.other, ctx);
        scaleField(w.other, inverse(system_.scale), ctx);
    }

    /// A field may fold when its grid changes, where the edges of different voxels meet anew.
    void mend(const LevelBuffers& b, FieldView<float> field, Run& ctx) const {
        if (p_.compositional)
            removeFolds(field, spare(b), b.coefficient(3), ctx);
    }

    /// Lowers the weight of voxels inside: still surroundings, and what masks leave out.
    void leaveOutWhatDoesNotCount(const LevelBuffers& b, FieldView<const float> field,
                                  Run& ctx) const {
        if (still_)
            leaveOut(b.counts, b.inside, ctx);
        if (!b.masks.empty())
            weighInside(b.masks, field, b.inside, ctx);
    }

    /// Looks for still surroundings in the frames of the finest level and extends the frames into
    /// them. Returns the bytes moved.
    double findStill(Run& ctx) {
        const LevelBuffers& finest = (*levels_)[0];
        const auto voxels = static_cast<double>(finest.size().voxels());
        const VolumeView<std::uint8_t> kinds(reinterpret_cast<std::uint8_t*>(finest.tensor.data),
                                             finest.size());
        still_ = findStillRegion(finest.fixed, finest.moving, kinds, ctx);
        if (!still_)
            return 9 * voxels;
        std::array<int, 3> factor{1, 1, 1};
        for (const LevelBuffers& b : *levels_) {
            for (std::size_t axis = 0; axis < 3; ++axis)
                factor[axis] *= b.grid.factor[axis];
            markStillRegion(kinds, factor, b.counts, ctx);
        }
        extendIntoStillRegion(kinds, finest.fixed, finest.moving, finest.coefficient(1).data, ctx);
        return 29 * voxels;
    }

    /// Adds self-similarity to the tensor as far as the frames show that it helps.
    void addFeatures(const Warp& w, Run& ctx) {
        const LevelBuffers& b = w.b;
        LevelFigures& figures = figuresOf(b);
        const bool alone = p_.features == ClgFeatures::SelfSimilarity;
        SelfSimilarityInput input;
        input.axes = comparedAxes(b.size(), b.grid.scale(), alone ? 2 : minCompared);
        input.weights =
            alone ? DataWeights{0, 1}
                  : dataWeights(b.level == 0 && !p_.mapsGrayValues(), figures.noise, brightness_);
        if (input.axes.count == 0) {
            if (alone)
                std::fill_n(b.tensor.data, 9 * b.size().voxels(), 0.0f);
            return;
        }
        figures.selfSimilarity = static_cast<double>(input.weights.selfSimilarity);
        if (!(input.weights.selfSimilarity > 0))
            return;
        const auto voxels = static_cast<double>(b.size().voxels());
        const ScopedSpan span(ctx.profile, "gradient", "self-similarity", 132 * voxels,
                              500 * voxels);
        if (!described_)
            describe(b.fixed, input.axes, b.differences, ctx);
        described_ = true;
        const FieldView<float> ofWarped(w.other.u, b.size());
        describe(b.warped, input.axes, ofWarped, ctx);
        input.fixed = b.differences;
        input.warped = ofWarped;
        input.inside = b.inside;
        input.scale = b.grid.scale();
        const double noise = addSelfSimilarity(input, products_, ctx);
        if (alone)
            figures.noise = noise;
    }

    ClgParameters p_;
    std::unique_ptr<ClgForm> form_;
    const std::vector<LevelBuffers>* levels_ = nullptr;
    Report* report_ = nullptr;
    std::vector<TrendGrid> trends_; ///< grids of each level's trend
    std::array<VolumeView<float>, 9>
        products_;     ///< products of the level's frames, before smoothing
    ClgSystem system_; ///< system of the level that is solved
    // Properties of the frames that have been found so far.
    float prefilter_ = 0;    ///< width of the finest level's prefilter, if adaptive
    float epsilon_ = 0;      ///< TensorInput::epsilon of the last tensor
    bool still_ = false;     ///< part of the frames isn't data (findStillRegion)
    double brightness_ = 0;  ///< how far brightness has been matched
    double gainAtStart_ = 1; ///< gain when the level was entered
    bool described_ = false; ///< the level's fixed frame has been described
};

} // namespace systole::clg
