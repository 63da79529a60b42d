// Options and limits for opening a file.
#pragma once

#include <cstddef>

namespace systole {

struct OpenOptions {
    /// Milliseconds per frame given by the user; 0: as the file says.
    double frameTimeMilliseconds = 0;
    /// Decoded bytes of one frame (float32) beyond which a file is refused, and of what a
    /// compressed file may inflate to in all.
    std::size_t maximumFrameBytes = std::size_t{2} << 30;
    std::size_t maximumFileBytes = std::size_t{64} << 30;
    /// Accept voxels that are NaN or infinite, as outside a probe's sector: FrameSource::known()
    /// names them. False: reading such a frame is an error, as for labels and masks.
    bool acceptUnknown = false;
    /// True: the header alone is wanted. A compressed file whose size is stated and right, as far
    /// as openInflatedBytes() sees, isn't inflated when it is opened; damage is found when it is
    /// read.
    bool headerAlone = false;
};

} // namespace systole
