// The number types that files store voxels in, and their conversion to float32.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace systole {

enum class VoxelType { Int8, UInt8, Int16, UInt16, Int32, UInt32, Int64, UInt64, Float32, Float64 };

const char* name(VoxelType type); ///< "uint8", "int16", "float32", ...
std::size_t bytesOf(VoxelType type);

/// Calls use.operator()<T>() with the C++ type of a voxel type.
template <typename Use>
decltype(auto) withType(VoxelType type, Use&& use) {
    switch (type) {
    case VoxelType::Int8:
        return use.template operator()<std::int8_t>();
    case VoxelType::UInt8:
        return use.template operator()<std::uint8_t>();
    case VoxelType::Int16:
        return use.template operator()<std::int16_t>();
    case VoxelType::UInt16:
        return use.template operator()<std::uint16_t>();
    case VoxelType::Int32:
        return use.template operator()<std::int32_t>();
    case VoxelType::UInt32:
        return use.template operator()<std::uint32_t>();
    case VoxelType::Int64:
        return use.template operator()<std::int64_t>();
    case VoxelType::UInt64:
        return use.template operator()<std::uint64_t>();
    case VoxelType::Float32:
        return use.template operator()<float>();
    case VoxelType::Float64:
        return use.template operator()<double>();
    }
    __builtin_unreachable();
}

/// The number that begins there, with its bytes in the machine's order or, if `swap`, the other
/// one.
template <typename T>
T loadNumber(const void* bytes, bool swap) {
    std::array<std::byte, sizeof(T)> raw;
    std::memcpy(raw.data(), bytes, sizeof(T));
    if (swap)
        std::reverse(raw.begin(), raw.end());
    return std::bit_cast<T>(raw);
}
/// The number that begins there.
double numberAt(const void* stored, VoxelType type, bool bigEndian);

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
