// Opens whatever a user names as one sequence. The list of readers is in source.cpp, one line each.
#pragma once

#include "compute/core/sequence.h"
#include "io/base/open_options.h"

#include <string>
#include <vector>

namespace systole {

/// One 4D file, one 3D file (one frame), several 3D files (a frame each, in the order given), a
/// DICOM folder, or one of DIR-Lab's phases. Reads headers; decodes frames when asked. Throws
/// FileError.
Sequence openSequence(const std::vector<std::string>& paths, const OpenOptions& options = {});

/// Whether a single file is in a format of images that is read here, by its first bytes or name.
bool isImageFile(const std::string& path);

} // namespace systole
