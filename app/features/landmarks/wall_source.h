// Voxels of a frame that are the elastic wall: a label of a segmentation, or of a file.
#pragma once

#include "app/anatomy/label_history.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace systole {

struct WallSource {
    Geometry grid;                          ///< grid of the frame
    std::shared_ptr<const LabelMap> labels; ///< the frame's; null: those of `file`
    std::string file;
    int label = 0; ///< 0: the segmentation's wall, or what the file says
    const char* labelName = "the label of the wall"; ///< name of the label in messages
};

struct WallVoxels {
    std::vector<std::uint8_t> inWall; ///< 0 or 1, x fastest
    int label = 0;
};

/// Throws as readTissueLabels().
WallVoxels voxelsOf(const WallSource& source, const ExecContext& ctx);

} // namespace systole
