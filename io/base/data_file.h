// Shared by text headers: where the voxels are, and voxels written as text.
#pragma once

#include "io/base/stored_image.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace systole {

/// Bytes that a text header may take.
inline constexpr std::size_t longestHeader = std::size_t{1} << 20;

/// Position and coding of the voxels, as a text header states them.
struct VoxelPlace {
    std::vector<std::string> files; ///< one, or several of which each holds an equal share
    std::uint64_t start = 0;
    enum class Coding { Raw, Deflated, Text } coding = Coding::Raw;
    /// Bytes to leave out, of deflated voxels after inflating; −1: whatever precedes raw voxels.
    long long skip = 0;
    std::uint64_t deflatedBytes = 0; ///< number that the header states; 0: it states none
    /// Lines to leave out in each file, before `skip`; ignored for deflated voxels.
    std::uint64_t skipLines = 0;
};
/// Opens all voxels of an image whose sizes have been checked. Numbers in text become float32.
void openVoxels(StoredImage& image, const VoxelPlace& place, const OpenOptions& options);

/// Seconds in "s", "ms", "us" and their longer forms; 0 for anything else.
double secondsPerUnit(const std::string& unit);
/// Millimeters in "mm", "cm", "m", "um" and their longer forms; 0 for anything else.
double millimetersPerUnit(const std::string& unit);

} // namespace systole
