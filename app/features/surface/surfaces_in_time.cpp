#include "app/features/surface/surfaces_in_time.h"

#include "compute/core/error.h"
#include "compute/core/motion_start.h"
#include "compute/motion/composed_motion.h"
#include "compute/motion/methods.h"
#include "compute/ops/invert_field.h"
#include "compute/ops/smooth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace systole {
namespace {

VectorField copyOf(const VectorField& field, const ExecContext& ctx) {
    VectorField copied(field.geometry, *ctx.pool, "motion over frames");
    std::copy_n(field.components.data(), field.components.size(), copied.components.data());
    return copied;
}

} // namespace

int smoothedPairsOf(int frames) {
    constexpr int most = 5;
    return std::min(most, frames / 4);
}

std::vector<float> smoothingWeights(int reach) {
    const double m = reach, n = 2 * m + 1, squares = m * (m + 1) * n / 3,
                 fourthPowers = squares * (3 * m * m + 3 * m - 1) / 5;
    std::vector<float> weights;
    for (int away = -reach; away <= reach; ++away)
        weights.push_back(static_cast<float>(reach < 2
                                                 ? (m + 1 - std::abs(away)) / ((m + 1) * (m + 1))
                                                 : (fourthPowers - squares * away * away) /
                                                       (n * fourthPowers - squares * squares)));
    return weights;
}

SurfacesInTime::SurfacesInTime(FramesInTime source, const MeanInTimeParameters& parameters)
    : source_(std::move(source)), parameters_(parameters) {
    const int window = 2 * parameters.frames + 1;
    if (parameters.frames < 1 || source_.frames < 2)
        throw ComputeError("surfaces in time need two frames, and a neighbor on either side");
    if (source_.closedCycle && source_.frames < window)
        throw ComputeError(
            fmt::format("a closed cycle of {} frames is shorter than {} to either side of a frame",
                        source_.frames, parameters.frames));
}

int SurfacesInTime::neighbor(int frame, int away) const {
    const int other = frame + away;
    if (source_.closedCycle)
        return (other + source_.frames) % source_.frames;
    return other >= 0 && other < source_.frames ? other : -1;
}

bool SurfacesInTime::isNear(int frame, int other, int within) const {
    int apart = std::abs(frame - other);
    if (source_.closedCycle)
        apart = std::min(apart, source_.frames - apart);
    return apart <= within;
}

void SurfacesInTime::forgetAllBut(int frame) {
    const int frames = parameters_.frames;
    const auto isFar = [&](const auto& entry) { return !isNear(frame, entry.first, frames); };
    std::erase_if(motions_, [&](const auto& entry) {
        return !isNear(frame, entry.first, frames + source_.smoothedPairs);
    });
    std::erase_if(distances_, isFar);
    std::erase_if(forward_, isFar);
    std::erase_if(backward_, isFar);
}

const Volume& SurfacesInTime::distanceOf(int frame, const ExecContext& ctx) {
    const auto known = distances_.find(frame);
    if (known != distances_.end())
        return known->second;
    Volume phi(source_.geometry, *ctx.pool, "signed distance of a neighbor in time");
    source_.distance(frame, phi.view());
    return distances_.emplace(frame, std::move(phi)).first->second;
}

const VectorField& SurfacesInTime::motionOf(int frame) {
    const auto known = motions_.find(frame);
    if (known != motions_.end())
        return known->second;
    return motions_.emplace(frame, source_.motion(frame, neighbor(frame, 1))).first->second;
}

VectorField SurfacesInTime::smoothed(int frame, const ExecContext& ctx) {
    int reach = source_.smoothedPairs;
    if (!source_.closedCycle) // both sides must have that many pairs
        reach = std::min({reach, frame, source_.frames - 2 - frame});
    VectorField sum = fieldAtRest(source_.geometry, *ctx.pool, "smoothed motion");
    const std::vector<float> weights = smoothingWeights(reach);
    constexpr int chunk = 1 << 16;
    for (int away = -reach; away <= reach; ++away) {
        const VectorField& motion = motionOf(neighbor(frame, away));
        const float weight = weights[static_cast<std::size_t>(away + reach)];
        const auto chunks = static_cast<int>(sum.components.size() / chunk + 1);
        parallelFor(ctx, chunks, 1, [&](int begin, int end) {
            const std::size_t last =
                std::min(static_cast<std::size_t>(end) * chunk, sum.components.size());
            for (auto i = static_cast<std::size_t>(begin) * chunk; i < last; ++i)
                sum.components.data()[i] += weight * motion.components.data()[i];
        });
    }
    return sum;
}

const VectorField& SurfacesInTime::step(int frame, int direction, const ExecContext& ctx) {
    auto& steps = direction > 0 ? forward_ : backward_;
    const auto known = steps.find(frame);
    if (known != steps.end())
        return known->second;
    if (direction > 0)
        return steps.emplace(frame, smoothed(frame, ctx)).first->second;
    const VectorField& there = step(neighbor(frame, -1), 1, ctx);
    return steps
        .emplace(frame, toVoxels(invertField(there, source_.geometry, {}, ctx).field, *ctx.pool))
        .first->second;
}

void SurfacesInTime::mean(int frame, VolumeView<float> phi, const ExecContext& ctx) {
    const Volume& own = distanceOf(frame, ctx);
    MeanInTime mean(own.view(), source_.geometry.spacing(), parameters_, ctx);
    Volume carried;
    if (source_.motion)
        carried = Volume(source_.geometry, *ctx.pool, "carried distance");
    for (const int direction : {1, -1}) {
        VectorField total;
        for (int away = 1; away <= parameters_.frames; ++away) {
            ctx.throwIfCancelled();
            const int other = neighbor(frame, direction * away);
            if (other < 0)
                break;
            if (!source_.motion) {
                mean.add(distanceOf(other, ctx).view(), away, ctx);
                continue;
            }
            const VectorField& last = step(neighbor(frame, direction * (away - 1)), direction, ctx);
            if (away == 1)
                total = copyOf(last, ctx);
            else
                total = composedMotion(total, last, ctx);
            carryDistance(distanceOf(other, ctx).view(), std::as_const(total).view(),
                          carried.view(), ctx);
            mean.add(carried.view(), away, ctx);
        }
    }
    std::ranges::copy(own.view().span(), phi.data);
    mean.finish(phi, ctx);
    forgetAllBut(neighbor(frame, 1) < 0 ? frame : neighbor(frame, 1));
}

VectorField clgMotion(const Volume& fixed, const Volume& moving, float low, float high,
                      bool adaptive, const ExecContext& ctx) {
    const MotionMethod& method = motionMethod("clg");
    ParamSet parameters(*method.parameters, "default");
    if (!adaptive)
        parameters.set("adaptive", false);
    VectorField field = fieldAtRest(fixed.geometry, *ctx.pool, "motion");
    ExecContext onHost = ctx;
    onHost.backend = Backend::Cpu;
    onHost.progress = {};
    method.make(parameters, Backend::Cpu)
        ->estimate(motionInput(fixed, moving, {low, high}), field.view(), onHost);
    return field;
}

VectorField motionOfDistances(const Volume& fixed, const Volume& moving, const ExecContext& ctx) {
    constexpr double clampedSides = 4; // mean voxel sides: the steeper, the less is smoothed away
    constexpr Vec3 sigma{1, 1, 1};     // voxels, against the noise that motion would follow
    const Vec3 spacing = fixed.geometry.spacing();
    const auto most =
        static_cast<float>(clampedSides * std::cbrt(spacing.x * spacing.y * spacing.z));
    const auto clamped = [&](const Volume& phi) {
        Volume image(phi.geometry, *ctx.pool, "clamped distance");
        std::ranges::transform(phi.view().span(), image.voxels.data(),
                               [&](float value) { return std::clamp(value, -most, most); });
        smoothGaussian(std::as_const(image).view(), image.view(), sigma, ctx);
        return image;
    };
    // A method adapted to noise is too smooth here: it finds 70 % of the motion of a noisy ball.
    return clgMotion(clamped(fixed), clamped(moving), -most, most, false, ctx);
}

} // namespace systole
