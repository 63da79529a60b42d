#include "io/phantom/artifacts.h"

#include "compute/core/random.h"
#include "io/phantom/random_streams.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace systole {
namespace {

constexpr double pi = std::numbers::pi;

double uniform(const PhantomOptions& options, std::uint64_t stream, std::uint64_t counter) {
    return uniformFloat(static_cast<std::uint32_t>(randomBits(options.seed, stream, counter)));
}

} // namespace

double phantomGain(const PhantomOptions& options, int frame) {
    return options.frames < 2
               ? 1
               : std::pow(options.gainDrift, static_cast<double>(frame) / (options.frames - 1));
}

PhantomBias::PhantomBias(const PhantomOptions& options, const Geometry& geometry, int frame) {
    const double drift = 2 * pi * frame / options.frames;
    for (int axis = 0; axis < 3; ++axis) {
        const double phase =
            2 * pi * uniform(options, biasPhase, static_cast<std::uint64_t>(axis)) + drift;
        std::vector<float>& wave = waves_[static_cast<std::size_t>(axis)];
        for (int i = 0; i < geometry.size()[axis]; ++i) {
            const double p = geometry.origin()[axis] + i * geometry.spacing()[axis];
            wave.push_back(static_cast<float>(
                options.biasAmplitude / 3 * std::cos(2 * pi * p / wavelengthMillimeters + phase)));
        }
    }
}

bool inSector(const PhantomOptions& options, Vec3 p) {
    if (options.sectorDegrees == 0)
        return true;
    const double depth = probe.z - p.z;
    const double halfWidth = depth * std::tan(options.sectorDegrees / 2 * pi / 180);
    return depth > 0 && std::abs(p.x - probe.x) <= halfWidth &&
           std::abs(p.y - probe.y) <= halfWidth;
}

PhantomShadow::PhantomShadow(const PhantomOptions& options) : loss_(options.shadow) {
    for (std::size_t k = 0; k < obstacles_.size(); ++k) {
        const auto within = [&](std::uint64_t n, double low, double high) {
            return low + (high - low) * uniform(options, shadowPlace, 4 * k + n);
        };
        const Vec3 behind{within(0, -30, 30), within(1, -30, 30), within(2, -30, 10)};
        const Vec3 ray = behind - probe;
        obstacles_[k] = {(1 / length(ray)) * ray, within(3, 25, 55)};
    }
}

float PhantomShadow::amplitude(Vec3 p) const {
    constexpr double sigmaRadians = 4 * pi / 180, beginMillimeters = 3;
    const Vec3 ray = p - probe;
    const double depth = std::max(length(ray), 1e-9);
    double factor = 1;
    for (const Obstacle& each : obstacles_) {
        const double angle = std::acos(std::clamp(dot(ray, each.towards) / depth, -1.0, 1.0));
        const double behind = std::clamp((depth - each.depth) / beginMillimeters, 0.0, 1.0);
        factor *= 1 - loss_ * behind * std::exp(-angle * angle / (2 * sigmaRadians * sigmaRadians));
    }
    return static_cast<float>(factor);
}

PhantomDropout::PhantomDropout(const PhantomOptions& options, int frame) {
    for (std::size_t k = 0; k < regions; ++k) {
        const double part = static_cast<double>(k) / regions;
        const double lowest = -0.75 * options.heart.endocardialHalfLength;
        const double z = lowest + (5 - lowest) * uniform(options, dropoutPlace, 2 * k);
        const double angle =
            2 * pi * (part + 0.5 / regions * uniform(options, dropoutPlace, 2 * k + 1));
        places_[k] = options.heart.middleOfWall(z, angle);
        const double c = std::cos(pi * (static_cast<double>(frame) / options.frames - part));
        losses_[k] = options.dropout * c * c;
    }
}

float PhantomDropout::amplitude(Vec3 material) const {
    double factor = 1;
    for (std::size_t k = 0; k < regions; ++k) {
        const Vec3 d = material - places_[k];
        factor *= 1 - losses_[k] * std::exp(-dot(d, d) / (2 * sigmaMillimeters * sigmaMillimeters));
    }
    return static_cast<float>(factor);
}

} // namespace systole
