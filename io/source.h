// Opens whatever a user names as one sequence. The list of readers is in source.cpp, one line each.
#pragma once

#include "compute/core/sequence.h"

#include <cstddef>
#include <string>
#include <vector>

namespace systole {

struct OpenOptions {
    /// Milliseconds per frame given by the user; 0: as the file says.
    double frameTimeMilliseconds = 0;
    /// Decoded bytes of one frame (float32) beyond which a file is refused, and of what a
    /// compressed file may inflate to in all.
    std::size_t maximumFrameBytes = std::size_t{2} << 30;
    std::size_t maximumFileBytes = std::size_t{64} << 30;
};

/// One 4D file, one 3D file (one frame), several 3D files (a frame each, in the order given), or a
/// DICOM folder. Reads headers alone; frames are decoded when asked for. Throws FileError.
Sequence openSequence(const std::vector<std::string>& paths, const OpenOptions& options = {});

} // namespace systole
