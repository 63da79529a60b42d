// One frame at every resolution, as the landmark tracker reads it.
#pragma once

#include "compute/landmarks/padded_frame.h"
#include "compute/landmarks/sest.h"
#include "compute/ops/pyramid.h"

#include <vector>

namespace systole::sest {

/// On the backend of the context that it is made with: where that is CUDA, features on the device,
/// else rows on the host.
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
    std::vector<PaddedFrame> padded_;     ///< by level; none on the device
    std::vector<Buffer<float>> features_; ///< by level, in device memory; none on the host
    std::vector<Buffer<float>> plain_;    ///< by level, as decimate() takes them
};

} // namespace systole::sest
