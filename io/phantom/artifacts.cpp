#include "io/phantom/artifacts.h"

#include "compute/core/random.h"
#include "io/phantom/motion.h"
#include "io/phantom/random_streams.h"

#include <cmath>
#include <numbers>

namespace systole {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double apexAboveBase = 30, apexBesideAxis = 12; // mm

double uniform(const PhantomOptions& options, std::uint64_t stream, std::uint64_t counter) {
    return uniformFloat(static_cast<std::uint32_t>(randomBits(options.seed, stream, counter)));
}

/// Radius of an ellipsoid about the long axis at height z.
double radiusAt(double z, double radius, double halfLength) {
    return radius * std::sqrt(1 - z * z / (halfLength * halfLength));
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

bool inSector(const PhantomOptions& options, Vec3 own) {
    if (options.sectorDegrees == 0)
        return true;
    const double depth = PhantomMotion::baseHeight + apexAboveBase - own.z;
    const double halfWidth = depth * std::tan(options.sectorDegrees / 2 * pi / 180);
    return depth > 0 && std::abs(own.x - apexBesideAxis) <= halfWidth &&
           std::abs(own.y) <= halfWidth;
}

PhantomDropout::PhantomDropout(const PhantomOptions& options, int frame) {
    for (std::size_t k = 0; k < regions; ++k) {
        const double part = static_cast<double>(k) / regions;
        const double z = -45 + 50 * uniform(options, dropoutPlace, 2 * k);
        const double angle =
            2 * pi * (part + 0.5 / regions * uniform(options, dropoutPlace, 2 * k + 1));
        const double radius =
            0.5 *
            (radiusAt(z, PhantomMotion::endocardialRadius, PhantomMotion::endocardialHalfLength) +
             radiusAt(z, PhantomMotion::epicardialRadius, PhantomMotion::epicardialHalfLength));
        places_[k] = {radius * std::cos(angle), radius * std::sin(angle), z};
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
