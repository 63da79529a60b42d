// The number types that files store voxels in, and their conversion to float32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace systole {

enum class VoxelType { Int8, UInt8, Int16, UInt16, Int32, UInt32, Int64, UInt64, Float32, Float64 };

const char* name(VoxelType type); ///< "uint8", "int16", "float32", ...
std::size_t bytesOf(VoxelType type);

/// real = slope · stored + intercept.
struct Rescale {
    double slope = 1;
    double intercept = 0;
    bool isIdentity() const { return slope == 1 && intercept == 0; }
};

/// Converts out.size() voxels that lie `stride` voxels apart in `stored`.
void convertVoxels(std::span<const std::byte> stored, VoxelType type, bool bigEndian,
                   std::size_t stride, Rescale rescale, std::span<float> out);

} // namespace systole
