#include "io/phantom/lung_tissue.h"

#include "io/phantom/random_streams.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace systole {
namespace {

constexpr float air = -1000, lung = -860, softTissue = 40, liver = 60, bone = 350;
constexpr float vesselContrast = 880;
/// Nodes of the noise whose zeros are vessels, mm apart: their mean distance follows.
constexpr double coarseNet = 18, fineNet = 9;
/// Widths of the tubes in units of the noise: radii of about 2 and 1.2 mm.
constexpr float coarseWidth = 0.18f, fineWidth = 0.2f;

float tube(float a, float b, float width) {
    return std::exp(-(a * a + b * b) / (2 * width * width));
}

} // namespace

LungTissue::LungTissue(const LungShape& shape, std::uint64_t seed)
    : shape_(shape)
    , coarseA_(coarseNet, seed, lungVessels)
    , coarseB_(coarseNet, seed, lungVessels + 1)
    , fineA_(fineNet, seed, lungVessels + 2)
    , fineB_(fineNet, seed, lungVessels + 3)
    , texture_(5, seed, lungVessels + 4)
    , soft_(12, seed, lungVessels + 5) {}

float LungTissue::coarseVessels(Vec3 p) const {
    return tube(coarseA_(p), coarseB_(p), coarseWidth);
}

float LungTissue::fineVessels(Vec3 p) const { return tube(fineA_(p), fineB_(p), fineWidth); }

float LungTissue::meeting(Vec3 p) const {
    return shape_.inLung(p) ? coarseVessels(p) * fineVessels(p) : 0;
}

/// The body around the lungs: muscle and fat, ribs that slope down to the front, the spine.
float LungTissue::wall(Vec3 p) const {
    const float tissue = softTissue + 25 * soft_(p);
    const double body = std::hypot(p.x / shape_.bodyX, p.y / shape_.bodyY);
    const double spine = std::hypot(p.x, p.y - 0.78 * shape_.bodyY);
    constexpr double spineRadius = 15, vertebra = 26, ribs = 28;
    if (spine < spineRadius) {
        const double disc = std::cos(2 * std::numbers::pi * p.z / vertebra);
        return disc > -0.7 ? bone - 100 + 20 * soft_(p) : tissue;
    }
    if (body > 0.86 && body < 0.93 &&
        std::cos(2 * std::numbers::pi * (p.z - 0.35 * p.y) / ribs) > 0.55)
        return bone;
    return body > 0.95 ? tissue - 130 : tissue;
}

float LungTissue::hounsfield(Vec3 p, double growth) const {
    if (std::hypot(p.x / shape_.bodyX, p.y / shape_.bodyY) > 1)
        return air;
    const double r = shape_.wallDistance(p);
    if (r >= 1)
        return wall(p);
    if (shape_.inLung(p)) {
        const float vessels = std::max(coarseVessels(p), 0.8f * fineVessels(p));
        const float density = (lung + 35 * texture_(p) - air) / static_cast<float>(growth);
        return air + density + vesselContrast * vessels;
    }
    // The neck lies above the lungs, the liver below them, which moves with them.
    return p.z > shape_.shoulder ? wall(p) : liver + 20 * soft_(p);
}

} // namespace systole
