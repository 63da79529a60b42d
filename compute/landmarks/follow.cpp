#include "compute/landmarks/follow.h"

#include "compute/ops/two_grids.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace systole::sest {
namespace {

Vec3 divided(Vec3 a, Size3 by) { return {a.x / by.x, a.y / by.y, a.z / by.z}; }

Voxel nearestVoxel(Vec3 p) {
    return {static_cast<int>(std::lround(p.x)), static_cast<int>(std::lround(p.y)),
            static_cast<int>(std::lround(p.z))};
}

/// The voxel of a level, of this size, nearest to a place of the finest one.
Voxel placeOnLevel(Vec3 place, Size3 finest, Size3 factor, Size3 size) {
    const Voxel p = nearestVoxel(divided(place - decimationShift(finest, factor), factor));
    return {clampedIndex(p.x, size.x), clampedIndex(p.y, size.y), clampedIndex(p.z, size.z)};
}

int halvedUp(int radius, int factor) { return (radius + factor - 1) / factor; }

} // namespace

Follower::Follower(std::vector<PyramidLevel> levels, const FollowSettings& settings)
    : levels_(std::move(levels)), settings_(settings) {
    Size3 factor{1, 1, 1};
    for (const PyramidLevel& level : levels_) {
        factor = {factor.x * level.factor[0], factor.y * level.factor[1],
                  factor.z * level.factor[2]};
        factors_.push_back(factor);
    }
}

Window Follower::windowOf(std::size_t level) const {
    if (level + 1 < levels_.size())
        return {settings_.patch,
                {settings_.refineRadius, settings_.refineRadius, settings_.refineRadius}};
    const Size3 factor = factors_[level], search = settings_.search;
    return {
        settings_.patch,
        {halvedUp(search.x, factor.x), halvedUp(search.y, factor.y), halvedUp(search.z, factor.z)}};
}

void Follower::describe(const FrameLevels& frame, std::span<const Vec3> places, std::size_t levels,
                        std::vector<std::vector<float>>& descriptors,
                        const ExecContext& ctx) const {
    descriptors.resize(levels_.size());
    std::vector<Voxel> voxels(places.size());
    const Size3 finest = levels_.front().size;
    for (std::size_t level = 0; level < levels; ++level) {
        std::ranges::transform(places, voxels.begin(), [&](Vec3 place) {
            return placeOnLevel(place, finest, factors_[level], levels_[level].size);
        });
        descriptors[level].resize(places.size() * numbers);
        describePlaces(frame, level, settings_.patch, voxels, descriptors[level].data(), ctx);
    }
}

void Follower::find(const FrameLevels& target, std::span<const Vec3> places,
                    const std::vector<std::vector<float>>& descriptors, std::span<Followed> found,
                    const ExecContext& ctx) {
    std::vector<Voxel> centers(places.size());
    matches_.resize(places.size());
    for (std::size_t level = levels_.size(); level-- > 0;) {
        const bool coarsest = level + 1 == levels_.size();
        const Size3 finest = levels_.front().size, size = levels_[level].size,
                    factor = factors_[level];
        for (std::size_t i = 0; i < places.size(); ++i)
            centers[i] = placeOnLevel(places[i], finest, factor, size) +
                         nearestVoxel(divided(found[i].displacement, factor));
        search_.find(target, level, windowOf(level), centers, descriptors[level].data(), matches_,
                     ctx);
        for (std::size_t i = 0; i < places.size(); ++i) {
            const RegionMatch& match = matches_[i];
            Followed& result = found[i];
            if (coarsest) {
                result.atEdge = match.atEdge;
                result.ratio = match.ratio;
            }
            result.found = match.found;
            if (!match.found)
                continue;
            const Voxel from = placeOnLevel(places[i], finest, factor, size);
            result.from = from;
            result.to = centers[i] + match.offset;
            result.displacement = {factor.x * (centers[i].x - from.x + match.subVoxel.x),
                                   factor.y * (centers[i].y - from.y + match.subVoxel.y),
                                   factor.z * (centers[i].z - from.z + match.subVoxel.z)};
        }
    }
}

} // namespace systole::sest
