// The files of `systole register`: images, masks and label maps, read and checked.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/sequence.h"
#include "compute/core/volume.h"

#include <optional>
#include <string>
#include <vector>

namespace systole {

/// A frame of a file as a user names it: FILE, or FILE@FRAME for a file of several frames.
struct FrameOfFile {
    std::string path;
    std::optional<int> frame;
};

/// A file whose own name ends with @ and a number is taken as such.
FrameOfFile parseFrameOfFile(const std::string& text);

struct RegisterImage {
    std::string path;
    int frame = 0;
    Sequence sequence; ///< the whole file
    Volume volume;
};

/// Reads one frame. `option` names the option or argument in messages. Throws FileError; UsageError
/// for a frame that the file doesn't have, and where it has several and none is named.
RegisterImage readImage(const FrameOfFile& named, const std::string& option,
                        const ExecContext& ctx);

/// A mask: 1 where the file is greater than 0. Throws FileError unless it is one frame of voxels of
/// the grid of `image` (labelsOnGrid(), whose notes are added) with at least one such voxel.
Volume readMask(const std::string& path, const RegisterImage& image, const ExecContext& ctx,
                std::vector<std::string>* notes = nullptr);

/// The volume of the voxels that are 1.
double litersOf(const Volume& mask);

/// Labels: whole numbers from 0 to 65535, one frame. With an `image`, on its grid
/// (labelsOnGrid(), whose notes are added).
Volume readLabelMap(const std::string& path, const RegisterImage* image, const ExecContext& ctx,
                    std::vector<std::string>* notes = nullptr);

} // namespace systole
