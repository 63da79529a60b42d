// Descriptors of places and the winners of searched regions, on the backend that the frame was made
// for (FrameLevels). Arguments and results lie on the host.
#pragma once

#include "compute/landmarks/descriptor_search.h"
#include "compute/landmarks/padded_frame.h"
#include "compute/landmarks/region_match.h"
#include "compute/landmarks/sest.h"
#include "compute/ops/pyramid.h"

#include <span>
#include <vector>

namespace systole::sest {

/// One frame at every resolution, on the backend of the context that it is made with: where that is
/// CUDA, features on the device, else rows on the host.
class FrameLevels {
public:
    FrameLevels(const std::vector<PyramidLevel>& levels, const ExecContext& ctx);

    /// Maps the frame to 0 … pyramidGrayRange and fills all levels.
    void assign(VolumeView<const float> frame, GrayMapping gray, const ExecContext& ctx);

    Size3 size(std::size_t level) const { return levels_[level].size; }
    bool onDevice() const { return !features_.empty(); }
    /// The levels of a frame on the host.
    const PaddedFrame& rows(std::size_t level) const { return padded_[level]; }
    /// The levels of a frame on the device.
    FeatureView features(std::size_t level) const {
        return {features_[level].data(), levels_[level].size};
    }

private:
    std::vector<PyramidLevel> levels_;
    std::vector<PaddedFrame> padded_; ///< a padded frame per level; none on the device
    /// Features per level, in device memory; none on the host.
    std::vector<Buffer<float>> features_;
    std::vector<Buffer<float>> plain_; ///< frame per level, as decimate() takes it
};

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
    std::vector<RegionMinimum> minima_; ///< minima of a search on the device
};

} // namespace systole::sest
