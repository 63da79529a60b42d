// The course of an estimation by the unbiased method, the same on the host and on a device, where
// it is decided which steps are accepted and when a level ends.
#pragma once

#include "compute/methods/unbiased/steps.h"
#include "compute/methods/unbiased/unbiased.h"
#include "compute/ops/frame_masks_math.h"
#include "compute/ops/pyramid_plan.h"

#include <algorithm>

namespace systole::unbiased {

/// Results of an estimation; finest level first.
struct Report {
    static constexpr int maxLevels = 10;
    LevelState level[maxLevels];
    int notFinite[2];
};

/// A level's memory.
struct LevelBuffers {
    std::size_t level;
    const PyramidLevel& grid;
    Frames frames;
    FrameMasks masks;
    VolumeView<float> compared; ///< empty without masks: room for a masked fixed frame
    FieldView<float> motion[2]; ///< the motion and the candidate, see LevelState::current
    FieldView<float> work[2];   ///< forces; on a device the second is scratch
    LevelState* state;
};

/// A start that folds is smoothed by these one after another, in voxels, until it doesn't; if it
/// still does, the level starts without motion.
inline constexpr double unfoldingSigmas[] = {1, 2, 4};

/// Forces of at least this many voxels are smoothed on half the grid, which represents all that a
/// wide Gaussian leaves; smaller ones, whose time doesn't count, are smoothed on the full grid.
inline constexpr std::size_t minVoxelsHalved = std::size_t{1} << 20;

/// `Steps` is OnHost or OnDevice with the method's own steps.
template <typename Steps>
class Plan : public PyramidPlan<Steps, UnbiasedParameters, Report> {
    using Base = PyramidPlan<Steps, UnbiasedParameters, Report>;
    using Run = typename Steps::Run;
    using Base::levels, Base::sizeOf, Base::p_, Base::shape_, Base::space_, Base::pyramid_,
        Base::masks_;

public:
    Plan(const UnbiasedParameters& parameters, const PlanShape& shape)
        : Base(parameters, shape, false), own_(parameters, shape.size, space_) {
        const std::size_t n = shape.size.voxels();
        compared_ = space_.template add<float>("masked fixed frame", masks_.empty() ? 0 : n);
        motions_[0] = space_.template add<float>("motion field", 3 * n);
        motions_[1] = space_.template add<float>("motion field, next", 3 * n);
        work_ = space_.template add<float>("unbiased, force", 2 * workFloats());
        dropGraphs();
    }
    void acquire(typename Steps::Memory& memory) {
        Base::acquire(memory);
        own_.acquired(memory);
    }
    void dropGraphs() { own_.dropGraphs(levels().size()); }

    static int reach(const UnbiasedParameters& parameters) { return parameters.reach(); }
    float* staging() const { return space_.data(work_); }
    FieldView<const float> result() const { return result_; }

    void begin(const MotionInput& input, FieldView<const float> start, Run& run) {
        Steps::begin(pyramid_, masks_, input, this->report()->notFinite, run);
        const std::size_t coarsest = levels().size() - 1;
        Steps::downsample(start, totalFactor(levels()), buffers(coarsest).motion[0], run);
    }

    void enqueue(Run& run, bool watched, const PlanObserver& between) {
        const FieldView<float> scratch = buffers(0).work[1];
        Steps::decimate(pyramid_, masks_, scratch.u, 3 * scratch.size.voxels(), run);
        for (std::size_t level = levels().size(); level-- > 0;) {
            Steps::beginLevel(level, levels().size(), run);
            const LevelBuffers b = buffers(level);
            start(b, run);
            estimateLevel(b, watched, run, between);
            const FieldView<float> found = own_.settle(b, run);
            if (level > 0)
                Steps::upsample(found, b.grid.factor, buffers(level - 1).motion[0], run);
            else // |M| is bounded in voxels alone; between them the field may fold all the same
                own_.removeFolds(b, found, run);
            result_ = found;
        }
    }

    MotionReport read(const Report& from) const {
        MotionReport all;
        for (std::size_t level = levels().size(); level-- > 0;) {
            const StepState& steps = from.level[level].steps;
            MotionReport::Level& entry = all.levels.emplace_back();
            entry.size = sizeOf(level);
            entry.iterations = steps.iterations;
            entry.energy = steps.energy;
            entry.figures.push_back({"rejected steps", static_cast<double>(steps.rejections), ""});
        }
        all.finish();
        return all;
    }

private:
    /// Both parts begin where wide loads may: 256 bytes are the alignment of every block.
    std::size_t workFloats() const { return (3 * shape_.size.voxels() + 63) / 64 * 64; }

    LevelBuffers buffers(std::size_t level) const {
        const Size3 size = sizeOf(level);
        float* const work = space_.data(work_);
        return {level,
                levels()[level],
                {pyramid_.fixed(level), pyramid_.moving(level)},
                masks_.at(level),
                {space_.data(compared_), size},
                {this->field(motions_[0], size), this->field(motions_[1], size)},
                {{work, size}, {work + workFloats(), size}},
                this->report()->level + level};
    }

    FieldView<float> scratchOf(const LevelBuffers& b) const { return {b.work[1].u, shape_.size}; }
    void smoothForce(const LevelBuffers& b, FieldView<float> force, const int* skip,
                     Run& run) const {
        const Vec3 sigma = b.grid.alongAxes(p_.sigma);
        if (force.size.voxels() < minVoxelsHalved)
            Steps::smooth(force, sigma, scratchOf(b), "smooth force", run, skip);
        else
            Steps::smoothWide(force, sigma, scratchOf(b), "smooth force", run, skip);
    }

    /// LevelState::curvature.
    void boundSteps(const LevelBuffers& b, Run& run) const {
        const VolumeView<const float> frames[] = {b.frames.fixed, b.frames.moving},
                                      masks[] = {b.masks.fixed, b.masks.moving};
        for (int n = 0; n < 2; ++n) {
            own_.squareGradient(p_, b, frames[n], masks[n], run);
            smoothForce(b, b.work[0], nullptr, run);
            own_.takeCurvature(b, run);
        }
    }

    /// Makes the start acceptable (unfoldingSigmas) and computes its force; what isn't needed
    /// does nothing.
    void start(const LevelBuffers& b, Run& run) {
        if (p_.adaptive)
            boundSteps(b, run);
        // Noise counts on the finest level only: the voxels of coarser ones are means of eight and
        // have nearly none. Differences where masks leave out voxels aren't noise.
        if (p_.compensated && b.level == 0 && b.masks.empty())
            own_.takeNoise(b, run);
        const int* const found = &b.state->startFound;
        own_.force(p_, b, ForceUse::Start, run);
        for (const double sigma : unfoldingSigmas) {
            Steps::smooth(b.motion[0], {sigma, sigma, sigma}, scratchOf(b), "smooth start", run,
                          found);
            own_.force(p_, b, ForceUse::Start, run);
        }
        own_.rest(b, run);
        own_.force(p_, b, ForceUse::Start, run);
        smoothForce(b, own_.forceOf(b), nullptr, run);
    }

    void estimateLevel(const LevelBuffers& b, bool watched, Run& run, const PlanObserver& between) {
        const auto levelsDone = static_cast<double>(levels().size() - 1 - b.level),
                   all = static_cast<double>(levels().size());
        const int together = watched ? 1 : Steps::together;
        for (int n = 0; n < p_.iterations;) {
            const int count = std::min(together, p_.iterations - n);
            own_.repeat(b.level, count, run, [&] {
                own_.move(p_, b, run);
                own_.force(p_, b, ForceUse::Candidate, run);
                smoothForce(b, own_.forceOf(b), &b.state->idle, run);
            });
            n += count;
            const FieldView<const float> motion =
                watched ? own_.settle(b, run) : FieldView<const float>();
            between({(levelsDone + static_cast<double>(n) / p_.iterations) / all,
                     static_cast<int>(b.level), n, motion, &b.state->steps.energy});
            if ((watched || p_.tolerance > 0) && own_.hasEnded(b, run))
                return;
        }
    }

    Steps own_;
    Workspace::Block<float> compared_, motions_[2], work_;
    FieldView<const float> result_;
};

} // namespace systole::unbiased
