// A map of values over the slices of the frame, in place of what overlays would show there.
#pragma once

#include "compute/core/volume.h"
#include "compute/core/voxel_box.h"
#include "render/color_bar.h"

#include <memory>
#include <vector>

namespace systole {

/// Values on the frame's grid: on the host, on a CUDA device, or on both.
struct ValueMap {
    std::shared_ptr<const ValueColors> colors; ///< null: there is no map
    std::shared_ptr<const Volume> values, onDevice;
    std::vector<VoxelBox> boxes; ///< the voxels that the host has; empty: all

    explicit operator bool() const { return colors && (values || onDevice); }
    bool operator==(const ValueMap& other) const {
        return colors == other.colors && values == other.values && onDevice == other.onDevice;
    }
};

} // namespace systole
