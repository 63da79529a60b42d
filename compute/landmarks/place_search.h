// Descriptors of places and the winners of searched regions, on the backend that the frame was made
// for (FrameLevels). Arguments and results lie on the host.
#pragma once

#include "compute/landmarks/descriptor_search.h"
#include "compute/landmarks/frame_levels.h"
#include "compute/landmarks/region_match.h"

#include <span>
#include <vector>

namespace systole::sest {

/// Sets descriptors[224 · p + n] to number n of place p, which lies in the frame.
void describePlaces(const FrameLevels& frame, std::size_t level, Size3 patch,
                    std::span<const Voxel> places, float* descriptors, const ExecContext& ctx);

class PlaceSearch {
public:
    /// matches[l]: the best candidate for landmark l's descriptor in the region around centers[l].
    void find(const FrameLevels& target, std::size_t level, const Window& window,
              std::span<const Voxel> centers, const float* descriptors,
              std::span<RegionMatch> matches, const ExecContext& ctx);

private:
    void findOnHost(const PaddedFrame& target, const Window& window, std::span<const Voxel> centers,
                    const float* descriptors, std::span<RegionMatch> matches,
                    const ExecContext& ctx);
    void findOnDevice(const FeatureView& target, const Window& window,
                      std::span<const Voxel> centers, const float* descriptors,
                      std::span<RegionMatch> matches, const ExecContext& ctx);

    std::vector<float> squared_;        ///< scratch on the host
    std::vector<RegionMinimum> minima_; ///< the same of a search on the device
};

} // namespace systole::sest
