// The outer loop of CLG, the same on the host and on a device: pyramid, and on each level warp,
// tensor, smoothing, solve, step.
#pragma once

#include "compute/methods/clg/brightness.h"
#include "compute/methods/clg/clg.h"
#include "compute/methods/clg/gain_field.h"
#include "compute/methods/clg/gray_map.h"
#include "compute/methods/clg/trend.h"
#include "compute/ops/frame_masks_math.h"
#include "compute/ops/pyramid_plan.h"

#include <cstdint>
#include <vector>

namespace systole::clg {

/// The memory of a level: the beginnings of blocks that have the finest level's size, but for the
/// pyramid and `counts`.
struct LevelBuffers {
    std::size_t level; ///< 0 is the finest
    PyramidLevel grid;
    double alpha; ///< weight of smoothness
    /// The solver's unit in smallest spacings of the grid: not 1 where frames are finer (Warp).
    float unit;
    VolumeView<float> fixed, moving;
    VolumeView<const float> weight; ///< weight of volume preservation; empty: 1
    FrameMasks masks;
    VolumeView<float> warped, inside; ///< free from the tensor's smoothing to the next warp
    VolumeView<float> tensor; ///< the first of nine volumes; free between a solve and a warp
    VolumeView<float>
        system; ///< first of the nine volumes of the system of finer frames; free likewise
    FieldView<float> fields[2];
    FieldView<float> total;       ///< the unknown of the solve
    FieldView<float> differences; ///< differences of the fixed frame (describe)
    /// Sum and difference of the frames (gradient_constancy.h), one behind the other; for the
    /// finest level.
    VolumeView<float> gradientFrames[2];
    /// 0 where gray values don't count since nothing was recorded there (findStillRegion), else 1;
    /// empty unless adaptive.
    VolumeView<std::uint8_t> counts;
    BrightnessScratch brightness;
    GainScratch gain;
    GrayMap* grayMap;
    VolumeView<float> mappedFixed; ///< the fixed frame as the warped one is compared with it
    /// The motion that the finest level began with, in the solver's unit; empty elsewhere and where
    /// nothing of it is held (ClgParameters::holdsStart).
    FieldView<float> start;

    VolumeView<const float> compared() const {
        return mappedFixed.empty() ? VolumeView<const float>(fixed) : mappedFixed;
    }

    Size3 size() const { return grid.size; }
    VolumeView<float> coefficient(std::size_t k) const {
        return {tensor.data + k * tensor.voxels(), tensor.size};
    }
    VolumeView<float> coefficientOfSystem(std::size_t k) const {
        return {system.data + k * system.voxels(), system.size};
    }
    /// Voxels of each axis per unit of the solver.
    std::array<float, 3> scale() const {
        const std::array<float, 3> own = grid.scale();
        return {unit * own[0], unit * own[1], unit * own[2]};
    }
    /// ClgSystem::smoothness for a weight in the solver's unit.
    std::array<float, 3> smoothness(double weight) const {
        const std::array<float, 3> own = grid.scale();
        std::array<float, 3> weights{};
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (size()[static_cast<int>(axis)] > 1)
                weights[axis] = static_cast<float>(weight * static_cast<double>(unit * unit)) *
                                own[axis] * own[axis];
        return weights;
    }
};

/// None unless steps are composed.
inline TrendWidth trendWidth(const ClgParameters& p) {
    return p.compositional ? TrendWidth{p.trend, p.trendShare} : TrendWidth{};
}

/// trendGrids() of the levels.
inline std::vector<TrendGrid> trendsOf(const ClgParameters& p,
                                       const std::vector<LevelBuffers>& buffers) {
    std::vector<PyramidLevel> levels;
    for (const LevelBuffers& b : buffers)
        levels.push_back(b.grid);
    return trendGrids(levels, trendWidth(p));
}

/// One warp of a level.
struct Warp {
    const LevelBuffers& b; ///< the frames, and the products of their gradients
    /// The motion and the system that is solved for it: `b`, or the next coarser level's grid
    /// (ClgParameters::motionOnHalf).
    const LevelBuffers& m;
    FieldView<float> field; ///< the motion
    FieldView<float> other; ///< free until the step is composed
    int index;              ///< number of the level's warp, from 0
    bool last;

    bool onHalf() const { return b.level != m.level; }
    /// Destination of smoothed products: the nine volumes of the system.
    VolumeView<float> coefficient(std::size_t k) const {
        return onHalf() ? m.coefficientOfSystem(k) : m.coefficient(k);
    }
    /// The memory of products, free while there are none, for the motion on the frames' grid.
    FieldView<float> onFrames() const { return {b.tensor.data, b.size()}; }
};

/// The level on whose grid the finest level's motion lies.
inline std::size_t finestMotion(const ClgParameters& p, std::size_t levels) {
    return p.halvesMotion() && levels > 1 ? 1 : 0;
}

/// Decimation of the grid of `from` from that of `to`: the same, or the next finer one.
inline std::array<int, 3> factorTo(const LevelBuffers& to, const LevelBuffers& from) {
    return to.level == from.level ? std::array<int, 3>{1, 1, 1} : from.grid.factor;
}

/// `Steps` is OnHost or OnDevice with the method's own steps.
template <typename Steps>
class Plan : public PyramidPlan<Steps, ClgParameters, typename Steps::Report> {
    using Base = PyramidPlan<Steps, ClgParameters, typename Steps::Report>;
    using Run = typename Steps::Run;
    using Base::levels, Base::p_, Base::space_, Base::pyramid_, Base::masks_;

public:
    Plan(const ClgParameters& p, const PlanShape& shape)
        : Base(p, shape, shape.weighted && p.beta > 0), own_(p, shape.size, space_) {
        const std::size_t n = shape.size.voxels();
        const auto add = [&](const char* name, std::size_t floats) {
            return space_.template add<float>(name, floats);
        };
        warped_ = add("warped frame and where it is data", insideAt() + n);
        tensor_ = add("structure tensor", 9 * n);
        system_ =
            add("structure tensor on half the grid", halves() ? 9 * levels()[1].size.voxels() : 0);
        fields_[0] = add("motion field", 3 * n);
        fields_[1] = add("motion field, next", 3 * n);
        total_ = add("solver, total", 3 * n);
        differences_ = add("self-similarity", p.usesSelfSimilarity() ? 3 * n : 0);
        compared_ = add("gradient constancy", p.refinesData() ? 2 * n : 0);
        for (const PyramidLevel& level : levels())
            counts_.push_back(space_.template add<std::uint8_t>(
                "still region", p.adaptive ? level.size.voxels() : 0));
        const std::size_t cells = brightnessCells(levels());
        sums_ = space_.template add<BrightnessSums>("brightness of cells", cells);
        const std::size_t gains = p.fitsGain() ? brightnessCells(levels(), gainCell) : 0;
        gainSums_ = space_.template add<GainSums>("gain of cells", gains);
        gains_ = space_.template add<BrightnessCoefficients>("gain of cells", gains);
        grayMap_ = space_.template add<GrayMap>("map of gray values", p.mapsGrayValues() ? 1 : 0);
        mappedFixed_ = add("fixed frame, mapped", p.mapsGrayValues() ? n : 0);
        start_ =
            add("start of the finest level",
                holdsStart() ? 3 * levels()[finestMotion(p, levels().size())].size.voxels() : 0);
        coefficients_ = space_.template add<BrightnessCoefficients>("brightness of cells", cells);
    }
    /// Bytes from the pool and outside it.
    std::size_t bytes() const { return space_.bytes() + own_.bytes(levels()); }
    void acquire(typename Steps::Memory& memory) {
        Base::acquire(memory);
        for (std::size_t level = 0; level < levels().size(); ++level)
            buffers_.push_back(buffers(level));
        for (std::size_t level = 0; level < levels().size(); ++level)
            motion_.push_back(motionBuffers(level));
        own_.acquired(memory, buffers_, this->report());
    }

    static int reach(const ClgParameters&) { return clgReach; }
    /// The tensor's memory, which is free until the first warp.
    float* staging() const { return space_.data(tensor_); }
    FieldView<const float> result() const { return buffers_[0].fields[current_]; }

    bool halves() const { return finestMotion(p_, levels().size()) > 0; }
    bool holdsStart() const { return p_.holdsStart() && levels().size() > 1; }

    void begin(const MotionInput& input, FieldView<const float> start, Run& run) {
        own_.begin(pyramid_, masks_, input, start, run);
    }

    void enqueue(Run& run, bool watched, const PlanObserver& between) {
        own_.buildPyramid(pyramid_, masks_, run);
        own_.checkStart(run);
        current_ = 0;
        const auto all = static_cast<double>(levels().size()) * p_.warps;
        double done = 0;
        for (std::size_t level = levels().size(); level-- > 0;) {
            const LevelBuffers &b = buffers_[level], &m = motion_[level];
            Steps::beginLevel(level, levels().size(), run);
            own_.enter(b, m, run);
            if (!b.start.empty())
                own_.keepStart(m, m.fields[current_], b.start, run);
            for (int n = 0; n < p_.warps; ++n) {
                Steps::throwIfCancelled(run);
                const Warp warp{
                    b, m, m.fields[current_], m.fields[1 - current_], n, n + 1 == p_.warps};
                own_.warp(warp, run);
                own_.findTensor(warp, run);
                own_.findSmoothness(warp, run);
                own_.smoothTensor(warp, run);
                own_.solve(warp, warp.last || watched, run);
                if (own_.takeStep(warp, run))
                    current_ = 1 - current_;
                const bool ends = warp.last && level == 0 && halves();
                if (ends)
                    refine(m, b, run);
                between({++done / all, static_cast<int>(level), n + 1,
                         (ends ? b : m).fields[current_], watched ? own_.energy(level) : nullptr});
            }
            if (level > 0)
                refine(m, motion_[level - 1], run);
        }
    }

    /// Ends what an enqueue() that has thrown began beside the Compute stream.
    void abandon() requires requires(Steps& steps) { steps.abandon(); }
    { own_.abandon(); }

    MotionReport read(const typename Steps::Report& from) const {
        MotionReport all;
        for (std::size_t level = levels().size(); level-- > 0;)
            all.levels.push_back(
                Steps::figures(from, level, p_.warps).report(levels()[level].size));
        all.comparesGrayValues = p_.features != ClgFeatures::SelfSimilarity && !p_.mapsGrayValues();
        all.finish();
        return all;
    }

private:
    void refine(const LevelBuffers& from, const LevelBuffers& to, Run& run) {
        own_.refine(from, from.fields[current_], to, to.fields[1 - current_], run);
        current_ = 1 - current_;
    }
    /// Offset of `inside`, behind the finest warped frame; even, since kernels read voxels of
    /// coarser levels in pairs.
    std::size_t insideAt() const {
        const std::size_t n = levels()[0].size.voxels();
        return n + n % 2;
    }
    LevelBuffers motionBuffers(std::size_t level) const {
        if (!halves() || level + 1 == levels().size())
            return buffers_[level];
        LevelBuffers motion = buffers_[level + 1];
        motion.unit = static_cast<float>(smallestOf(levels()[level].spacing) /
                                         smallestOf(motion.grid.spacing));
        return motion;
    }
    double alphaOf(std::size_t level) const {
        if (!holdsStart())
            return p_.alpha;
        const double usual = ClgParameters::usualAlpha;
        return level == 0 ? std::max(p_.alpha, usual) : usual;
    }
    LevelBuffers buffers(std::size_t level) const {
        const PyramidLevel& grid = levels()[level];
        const auto volume = [&](Workspace::Block<float> block) {
            return VolumeView<float>(space_.data(block), grid.size);
        };
        const auto field = [&](Workspace::Block<float> block) {
            return FieldView<float>(space_.data(block), grid.size);
        };
        return {level,
                grid,
                alphaOf(level),
                1,
                pyramid_.fixed(level),
                pyramid_.moving(level),
                pyramid_.weight(level),
                masks_.at(level),
                volume(warped_),
                {space_.data(warped_) + insideAt(), grid.size},
                volume(tensor_),
                volume(system_),
                {field(fields_[0]), field(fields_[1])},
                field(total_),
                field(differences_),
                {volume(compared_), {space_.data(compared_) + grid.size.voxels(), grid.size}},
                {space_.data(counts_[level]), grid.size},
                {space_.data(sums_), space_.data(coefficients_)},
                {space_.data(gainSums_), space_.data(gains_)},
                space_.data(grayMap_),
                p_.mapsGrayValues() ? volume(mappedFixed_) : VolumeView<float>{},
                level == 0 && holdsStart()
                    ? FieldView<float>{space_.data(start_),
                                       levels()[finestMotion(p_, levels().size())].size}
                    : FieldView<float>{}};
    }

    Steps own_;
    Workspace::Block<float> warped_, tensor_, system_, fields_[2], total_, differences_, compared_;
    std::vector<Workspace::Block<std::uint8_t>> counts_; ///< counts of each level
    Workspace::Block<BrightnessSums> sums_;
    Workspace::Block<BrightnessCoefficients> coefficients_, gains_;
    Workspace::Block<GainSums> gainSums_;
    Workspace::Block<GrayMap> grayMap_;
    Workspace::Block<float> mappedFixed_, start_;
    std::vector<LevelBuffers> buffers_; ///< buffers of each level
    std::vector<LevelBuffers> motion_;  ///< Warp::m of each level
    int current_ = 0;                   ///< index of the field that holds the motion
};

} // namespace systole::clg
