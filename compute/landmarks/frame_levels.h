// One frame at every resolution, as the landmark tracker reads it.
#pragma once

#include "compute/landmarks/padded_frame.h"
#include "compute/ops/pyramid.h"

#include <vector>

namespace systole::sest {

class FrameLevels {
public:
    FrameLevels(const std::vector<PyramidLevel>& levels, BufferPool& pool);

    /// Maps the frame to 0 … pyramidGrayRange and fills all levels.
    void assign(VolumeView<const float> frame, GrayMapping gray, const ExecContext& ctx);

    const PaddedFrame& operator[](std::size_t level) const { return padded_[level]; }

private:
    std::vector<PyramidLevel> levels_;
    std::vector<PaddedFrame> padded_;
    std::vector<Buffer<float>> plain_; ///< by level, as decimate() takes them
};

} // namespace systole::sest
