// Displacements of places from one frame to another, by SEST, from the coarsest resolution to the
// finest: one direction of the landmark tracker.
#pragma once

#include "compute/landmarks/place_search.h"

#include <span>
#include <vector>

namespace systole::sest {

struct FollowSettings {
    Size3 patch, search;  ///< half-widths; of the search in voxels of the finest level
    int refineRadius = 2; ///< half-width of the search on all levels but the coarsest
};

/// Result of the search for one place.
struct Followed {
    Vec3 displacement;  ///< voxels; before: a prediction, around which is searched
    Voxel from{}, to{}; ///< the voxel of the place, and the one found for it, on the finest level
    bool found = false;
    bool atEdge = false; ///< the best place lies at the region's edge on the coarsest level
    /// Ratio of the match on the coarsest level, where places far apart compete.
    float ratio = 0;
};

class Follower {
public:
    Follower(std::vector<PyramidLevel> levels, const FollowSettings& settings);

    const std::vector<PyramidLevel>& levels() const { return levels_; }

    /// Descriptors of places (voxels of the finest level, inside) at `levels` resolutions from the
    /// finest on: 224 numbers per place at descriptors[level]. The vectors keep their memory.
    void describe(const FrameLevels& frame, std::span<const Vec3> places, std::size_t levels,
                  std::vector<std::vector<float>>& descriptors, const ExecContext& ctx) const;

    /// Finds places, whose descriptors are given, in `target`.
    void find(const FrameLevels& target, std::span<const Vec3> places,
              const std::vector<std::vector<float>>& descriptors, std::span<Followed> found,
              const ExecContext& ctx);

private:
    Window windowOf(std::size_t level) const;

    std::vector<PyramidLevel> levels_;
    std::vector<Size3> factors_; ///< factor of each level, from the finest on
    FollowSettings settings_;
    PlaceSearch search_;
    std::vector<RegionMatch> matches_; ///< scratch of find()
};

} // namespace systole::sest
