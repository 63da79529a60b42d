// The beginning of a NIfTI-1 file of ours: header, an empty extension, ready for the voxels.
#pragma once

#include "compute/core/geometry.h"
#include "io/voxel_type.h"

#include <cstddef>
#include <string>
#include <vector>

namespace systole {

struct NiftiContents {
    VoxelType type = VoxelType::Float32; ///< float32, uint8 or int16
    int frames = 1;
    double frameSeconds = 0;   ///< 0: unknown
    bool displacement = false; ///< three components in LPS mm, intent 1007
};

/// Position and orientation go into the sform, and into the qform when the axes are perpendicular.
/// Throws FileError naming `path` when the format can't hold the size.
std::vector<std::byte> niftiBeginning(const std::string& path, const Geometry& geometry,
                                      const NiftiContents& contents);

} // namespace systole
