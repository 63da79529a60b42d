// The course of an estimation by demons, the same on the host and on a device.
#pragma once

#include "compute/methods/demons/demons.h"
#include "compute/methods/demons/step_grid.h"
#include "compute/ops/pyramid_plan.h"

#include <algorithm>
#include <cmath>

namespace systole {

/// Results of an estimation, finest level first.
struct DemonsReport {
    static constexpr int maxLevels = 10;
    double energy[maxLevels];
    DemonsNoise noise; ///< noise of the pair, found if there are two widths of smoothing
    int notFinite[2];
};

/// `Steps` is OnHost or OnDevice with the method's own steps: findNoise(), forces(), square() and
/// squaredVoxels(), compose(), and removeFolds(), since smoothing and composing on a grid may fold
/// what neither would alone.
template <typename Steps>
class DemonsPlan : public PyramidPlan<Steps, DemonsParameters, DemonsReport> {
    using Base = PyramidPlan<Steps, DemonsParameters, DemonsReport>;
    using Run = typename Steps::Run;
    using Stage = typename Steps::Stage;
    using Base::levels, Base::sizeOf, Base::p_, Base::shape_, Base::space_, Base::pyramid_,
        Base::masks_;

public:
    DemonsPlan(const DemonsParameters& parameters, const PlanShape& shape)
        : Base(parameters, shape, false), own_(shape.size, space_) {
        const std::size_t n = shape.size.voxels();
        warped_ = space_.template add<float>("warped frame", n);
        motions_[0] = space_.template add<float>("motion field", 3 * n);
        motions_[1] = space_.template add<float>("motion field, next", 3 * n);
        steps_ = space_.template add<float>("demons, steps", 2 * stepFloats());
    }
    void acquire(typename Steps::Memory& memory) {
        Base::acquire(memory);
        own_.acquired(memory);
    }

    static int reach(const DemonsParameters&) { return demonsReach; }
    float* staging() const { return space_.data(steps_); }
    FieldView<const float> result() const { return motion(current_, 0); }

    void begin(const MotionInput& input, FieldView<const float> start, Run& run) {
        Steps::begin(pyramid_, masks_, input, this->report()->notFinite, run);
        Steps::downsample(start, totalFactor(levels()), motion(0, levels().size() - 1), run);
    }

    void enqueue(Run& run, bool, const PlanObserver& between) {
        Steps::decimate(pyramid_, masks_, space_.data(steps_), 2 * stepFloats(), run);
        if (twoWidths()) {
            const Stage stage(run, "pyramid", "white noise",
                              8 * static_cast<double>(shape_.size.voxels()));
            own_.findNoise(pyramid_.fixed(0), pyramid_.moving(0), &this->report()->noise, run);
        }
        current_ = 0;
        const double all = static_cast<double>(levels().size()) * p_.iterations;
        double done = 0;
        for (std::size_t level = levels().size(); level-- > 0;) {
            Steps::beginLevel(level, levels().size(), run);
            for (int n = 1; n <= p_.iterations; ++n) {
                Steps::throwIfCancelled(run);
                iterate(level, run);
                between({++done / all, static_cast<int>(level), n, motion(current_, level),
                         this->report()->energy + level});
            }
            if (level == 0)
                continue;
            Steps::upsample(motion(current_, level), levels()[level].factor,
                            motion(1 - current_, level - 1), run);
            current_ = 1 - current_;
        }
        const Stage stage(run, "compose", "remove folds",
                          12 * static_cast<double>(shape_.size.voxels()));
        own_.removeFolds(motion(current_, 0), motion(1 - current_, 0), step(0, 0),
                         {space_.data(warped_), shape_.size}, run);
    }

    MotionReport read(const DemonsReport& from) const {
        MotionReport report;
        for (std::size_t level = levels().size(); level-- > 0;) {
            MotionReport::Level& entry = report.levels.emplace_back();
            entry.size = sizeOf(level);
            entry.iterations = p_.iterations;
            entry.energy = from.energy[level];
            const bool noisy = twoWidths() && from.noise.skip[0] != 0;
            entry.figures.push_back(
                {"step smoothing", noisy ? p_.fluidInNoise : p_.fluid, "voxel"});
        }
        report.finish();
        return report;
    }

private:
    FieldView<float> motion(int which, std::size_t level) const {
        return this->field(motions_[which], sizeOf(level));
    }
    /// Both begin where wide loads may: 256 bytes are the alignment of every block.
    std::size_t stepFloats() const { return (3 * shape_.size.voxels() + 63) / 64 * 64; }
    FieldView<float> step(int which, std::size_t level) const {
        return {space_.data(steps_) + static_cast<std::size_t>(which) * stepFloats(),
                sizeOf(level)};
    }

    /// Noise decides between them.
    bool twoWidths() const { return p_.fluidInNoise != p_.fluid; }
    /// A length, in voxels of each axis; along an axis of fewer than one of them a voxel, since
    /// less averages nothing. Up to 1: as many of each.
    Vec3 stepWidth(double length, std::size_t level) const {
        Vec3 width = levels()[level].alongAxes(length);
        for (int axis = 0; axis < 3; ++axis)
            width[axis] = std::max(width[axis], std::min(length, 1.0));
        return width;
    }
    static void smooth(FieldView<float> field, Vec3 sigma, FieldView<float> scratch, Run& run,
                       const int* skip = nullptr) {
        if (sigma.x > 0)
            Steps::smooth(field, sigma, scratch, "smooth field", run, skip);
    }
    /// The force in step(0, level), smoothed over a length unless *skip.
    DemonsStep smoothStep(double length, std::size_t level, Run& run, const int* skip) const {
        const FieldView<float> force = step(0, level), other = step(1, level);
        const Vec3 width = stepWidth(length, level);
        const HalvedGrid grid(force.size, width);
        if (!grid.halves()) {
            smooth(force, width, other, run, skip);
            return {grid, force, other};
        }
        const FieldView<float> cells(other.u, grid.size()), spare(force.u, grid.size());
        Steps::halve(force, grid, cells, run, skip);
        smooth(cells, grid.sigma, spare, run, skip);
        return {grid, cells, spare};
    }
    DemonsSteps smoothStep(std::size_t level, Run& run) const {
        if (!twoWidths()) {
            const DemonsStep only = smoothStep(p_.fluid, level, run, nullptr);
            return {only, only};
        }
        const int* const skip = this->report()->noise.skip;
        return {smoothStep(p_.fluid, level, run, skip),
                smoothStep(p_.fluidInNoise, level, run, skip + 1), skip};
    }

    /// One iteration on a level, from one of the two motion fields to the other.
    void iterate(std::size_t level, Run& run) {
        const VolumeView<const float> fixed = pyramid_.fixed(level),
                                      moving = pyramid_.moving(level);
        const VolumeView<float> warped(space_.data(warped_), sizeOf(level));
        const FieldView<float> now = motion(current_, level), next = motion(1 - current_, level);
        const auto voxels = static_cast<double>(sizeOf(level).voxels());
        {
            const Stage stage(run, "warp", "warp image", 24 * voxels);
            Steps::warp(moving, now, warped, run);
            // Where a voxel doesn't count there is no difference, and so no force.
            if (!masks_.empty())
                Steps::mix(masks_.at(level), now, fixed, warped, warped, run);
        }
        {
            const Stage stage(run, "force", "forces", 24 * voxels, 40 * voxels);
            own_.forces(p_.forceVariant,
                        {fixed, warped, now, step(0, level), demonsScale(levels()[level], p_)},
                        this->report()->energy + level, run);
        }
        DemonsSteps steps = smoothStep(level, run);
        {
            const int squarings = p_.squarings();
            const Stage stage(run, "exponential", "scaling and squaring",
                              36 * squarings * Steps::squaredVoxels(steps));
            for (int n = 0; n < squarings; ++n) {
                Steps::square(steps, n == 0 ? std::ldexp(1.0f, -squarings) : 1, n == 0, run);
                steps.swap();
            }
        }
        {
            const Stage stage(run, "compose", "compose field", 36 * voxels);
            Steps::compose(now, steps, p_.squarings() > 0, next, run);
        }
        smooth(next, {p_.diffusion, p_.diffusion, p_.diffusion}, step(0, level), run);
        current_ = 1 - current_;
    }

    Steps own_;
    Workspace::Block<float> warped_, motions_[2], steps_;
    int current_ = 0; ///< index of the motion field that holds the motion
};

} // namespace systole
