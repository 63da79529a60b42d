// How the unbiased method steps: transport, momentum, and which steps are accepted. Shared by all
// implementations.
#pragma once

#include "compute/methods/unbiased/force_math.h"

#include <algorithm>
#include <numbers>

namespace systole::unbiased {

/// A component of the transport, from its row of M.
constexpr float transportedAlong(const float (&row)[3], const Vector& v) {
    return fused(row[0], v.v[0], fused(row[1], v.v[1], row[2] * v.v[2]));
}

/// The transport M v = v + v·∇w of one voxel.
constexpr Vector transported(const Deformation& m, const Vector& v) {
    Vector out{{0, 0, 0}};
    for (int i = 0; i < 3; ++i)
        out.v[i] = transportedAlong(m.m[i], v);
    return out;
}

/// The squared length of a step in smallest voxels; `inverse`: of ForceRule::scale.
constexpr float squaredLength(const Vector& step, const float (&inverse)[3]) {
    const float x = step.v[0] * inverse[0], y = step.v[1] * inverse[1], z = step.v[2] * inverse[2];
    return fused(z, z, fused(y, y, x * x));
}

/// When steps are accepted and a level ends.
struct StepRule {
    float largest;    ///< largest update of an iteration, smallest voxels
    float momentum;   ///< share of the last velocity that is added to the smoothed force
    bool adaptive;    ///< steps are stable, and one that raises the energy is rejected, too
    double tolerance; ///< the level ends if a window lowers the energy by a smaller fraction
    float curvature;  ///< regularizerCurvature()
};

/// The squares of an image's derivatives along the axes, per smallest voxel, times the weight that
/// its mask gives the voxel (none: 1): what doesn't count bends no energy.
constexpr Vector squaredGradient(VolumeView<const float> image, VolumeView<const float> mask,
                                 const float (&scale)[3], int x, int y, int z) {
    const int position[3] = {x, y, z};
    const std::size_t here = image.offset(x, y, z);
    const float weight = mask.data ? mask.data[here] : 1.0f;
    Vector squared{};
    std::size_t stride = 1;
    for (int j = 0; j < 3; ++j) {
        const int n = image.size[j];
        const std::size_t ahead = here + (position[j] + 1 < n ? stride : 0),
                          behind = here - (position[j] > 0 ? stride : 0);
        const float along =
            scale[j] * differenceFactor(position[j], n) * (image.data[ahead] - image.data[behind]);
        squared.v[j] = weight * along * along;
        stride *= static_cast<std::size_t>(n);
    }
    return squared;
}

/// A bound on the second derivative of lambda (|M| − 1) log |M|, smoothed by a Gaussian of sigma
/// smallest voxels, at the identity: it is lambda (div w)² there, so that a wave k has
/// 2 lambda |k|² exp(−sigma² |k|² / 2). Differences along three axes inside see at most
/// |k|² = 3; at the border, where they are one-sided, a step too long is undone.
inline double regularizerCurvature(double lambda, double sigma) {
    return 2 * lambda * std::min(3.0, 2 / (std::numbers::e * sigma * sigma));
}
inline constexpr int convergenceWindow = 10;
inline constexpr float stepGrowth = 1.2f;

/// The state of a level between iterations.
struct StepState {
    double energy = 0, windowEnergy = 0;
    float step = 0;     ///< largest update of the next iteration
    int iterations = 0; ///< number so far, rejected ones included
    int done = 0;       ///< the level has ended
    int rejected = 0;   ///< the last candidate was rejected
    int rejections = 0; ///< number of rejected candidates so far
};

constexpr StepState startOf(const StepRule& rule, double energy) {
    StepState s;
    s.energy = s.windowEnergy = energy;
    s.step = rule.largest;
    return s;
}

/// The share of the last velocity that goes into the next: none at the start, and none after a
/// rejected step, whose momentum may have led uphill.
constexpr float momentumOf(const StepState& s, const StepRule& rule) {
    return s.iterations == 0 || s.rejected ? 0.0f : rule.momentum;
}

/// The decision about a candidate.
constexpr void judge(StepState& s, const StepRule& rule, const Check& candidate) {
    ++s.iterations;
    const bool better = candidate.energy < s.energy;
    const bool accepted = candidate.folded == 0 && (better || !rule.adaptive);
    s.rejected = accepted ? 0 : 1;
    if (accepted) {
        s.energy = candidate.energy;
        const float grown = stepGrowth * s.step;
        s.step = grown < rule.largest ? grown : rule.largest;
    } else {
        ++s.rejections;
        s.step *= 0.5f;
    }
    if (s.iterations % convergenceWindow == 0) {
        if (rule.tolerance > 0 && s.windowEnergy - s.energy <= rule.tolerance * s.windowEnergy)
            s.done = 1;
        s.windowEnergy = s.energy;
    }
}

/// dt of a velocity whose largest vector has the length `largest`. If that isn't what bounds it, dt
/// is half of what would let a wave grow, 2 (1 + momentum) over the smoothed energy's
/// largest second derivative: the data term's Gauss–Newton part G ∇T ∇Tᵀ has no eigenvalue above
/// max G * |∇T|² (`data`), the largest sum of a row of it scaled by |∇T|. With longer steps, up to
/// where the energy rises, rounding decides where a level ends.
constexpr float timeStep(const StepState& s, const StepRule& rule, float largest, float data) {
    if (!(largest > 0))
        return 0;
    const float byLength = s.step / largest, curvature = data + rule.curvature;
    if (!rule.adaptive || !(curvature > 0))
        return byLength;
    const float stable = (1 + rule.momentum) * s.step / (rule.largest * curvature);
    return stable < byLength ? stable : byLength;
}

/// State that controls a level's iterations. Zero when a level begins.
struct LevelState {
    StepState steps;
    float curvature;  ///< max G * |∇I|² of both frames I, zero unless the steps are adaptive
    float noise;      ///< variance of white noise in the moving frame, where its loss is made good
    int current;      ///< index of the motion field that is the motion; the other is the candidate
    int idle;         ///< the last force isn't used: the step is undone, or the level has ended
    int startFound;   ///< the start doesn't fold
    unsigned largest; ///< bits of the squared length of the candidate's largest update; CUDA only
};

/// The displacement whose force is computed, and the use of its energy.
enum class ForceUse {
    Start,     ///< motion[0], unless startFound: the level begins with it
    Candidate, ///< the candidate, which is judged
    Alone,     ///< motion[0], for measurements: steps.energy becomes its energy
};

/// Takes what a force has found.
constexpr void conclude(LevelState& level, const StepRule& rule, ForceUse use, const Check& check) {
    level.largest = 0;
    if (use == ForceUse::Alone) {
        level.steps.energy = check.energy;
        return;
    }
    if (use == ForceUse::Start) {
        level.startFound = check.folded == 0;
        level.steps = startOf(rule, check.energy);
        return;
    }
    judge(level.steps, rule, check);
    if (!level.steps.rejected)
        level.current = 1 - level.current;
    level.idle = level.steps.rejected || level.steps.done;
}

} // namespace systole::unbiased
