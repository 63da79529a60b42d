#include "app/bench/label_overlap.h"

#include "compute/ops/resample.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace systole {
namespace {

std::vector<Vec3> surfaceOf(const LabelMask& mask) {
    const Size3 size = mask.geometry.size();
    const VolumeView<const std::uint8_t> inside(mask.inside.data(), size);
    const auto isInside = [&](int x, int y, int z) {
        return x >= 0 && y >= 0 && z >= 0 && x < size.x && y < size.y && z < size.z &&
               inside(x, y, z);
    };
    std::vector<Vec3> points;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x)
                if (inside(x, y, z) &&
                    !(isInside(x - 1, y, z) && isInside(x + 1, y, z) && isInside(x, y - 1, z) &&
                      isInside(x, y + 1, z) && isInside(x, y, z - 1) && isInside(x, y, z + 1)))
                    points.push_back(mask.geometry.indexToPhysical(
                        {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)}));
    return points;
}

double meanDistance(const std::vector<Vec3>& from, const std::vector<Vec3>& to) {
    double sum = 0;
    for (const Vec3 p : from) {
        double nearest = std::numeric_limits<double>::infinity();
        for (const Vec3 q : to) {
            const Vec3 d = p - q;
            nearest = std::min(nearest, dot(d, d));
        }
        sum += std::sqrt(nearest);
    }
    return sum / static_cast<double>(from.size());
}

} // namespace

LabelMask maskOf(const Volume& labels, int value) {
    LabelMask mask{labels.geometry, std::vector<std::uint8_t>(labels.geometry.voxels())};
    for (std::size_t i = 0; i < mask.inside.size(); ++i)
        mask.inside[i] = std::lround(labels.voxels.data()[i]) == value;
    return mask;
}

LabelMask warpMask(const LabelMask& moving, FieldView<const float> field, const ExecContext& ctx) {
    Volume before(moving.geometry, *ctx.pool, "mask"),
        after(moving.geometry, *ctx.pool, "moved mask");
    std::copy(moving.inside.begin(), moving.inside.end(), before.voxels.data());
    warpVolume(before.view(), field, after.view(), {}, ctx);
    LabelMask moved{moving.geometry, std::vector<std::uint8_t>(moving.inside.size())};
    for (std::size_t i = 0; i < moved.inside.size(); ++i)
        moved.inside[i] = after.voxels.data()[i] >= 0.5f;
    return moved;
}

double dice(const LabelMask& a, const LabelMask& b) {
    double both = 0, sum = 0;
    for (std::size_t i = 0; i < a.inside.size(); ++i) {
        both += a.inside[i] && b.inside[i];
        sum += a.inside[i] + b.inside[i];
    }
    return sum > 0 ? 2 * both / sum : NAN;
}

double surfaceDistance(const LabelMask& a, const LabelMask& b) {
    const std::vector<Vec3> ofA = surfaceOf(a), ofB = surfaceOf(b);
    if (ofA.empty() || ofB.empty())
        return NAN;
    return 0.5 * (meanDistance(ofA, ofB) + meanDistance(ofB, ofA));
}

} // namespace systole
