#include "io/voxel_type.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

namespace systole {
namespace {

template <typename T>
T load(const std::byte* bytes, bool swap) {
    std::array<std::byte, sizeof(T)> raw;
    std::memcpy(raw.data(), bytes, sizeof(T));
    if (swap)
        std::reverse(raw.begin(), raw.end());
    return std::bit_cast<T>(raw);
}

template <typename T>
void convertAs(const std::byte* stored, bool swap, std::size_t stride, Rescale rescale,
               std::span<float> out) {
    const std::size_t step = stride * sizeof(T);
    if (rescale.isIdentity()) {
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = static_cast<float>(load<T>(stored + i * step, swap));
        return;
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
        const auto value = static_cast<double>(load<T>(stored + i * step, swap));
        out[i] = static_cast<float>(rescale.slope * value + rescale.intercept);
    }
}

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

} // namespace

const char* name(VoxelType type) {
    switch (type) {
    case VoxelType::Int8:
        return "int8";
    case VoxelType::UInt8:
        return "uint8";
    case VoxelType::Int16:
        return "int16";
    case VoxelType::UInt16:
        return "uint16";
    case VoxelType::Int32:
        return "int32";
    case VoxelType::UInt32:
        return "uint32";
    case VoxelType::Int64:
        return "int64";
    case VoxelType::UInt64:
        return "uint64";
    case VoxelType::Float32:
        return "float32";
    case VoxelType::Float64:
        return "float64";
    }
    return "unknown";
}

std::size_t bytesOf(VoxelType type) {
    return withType(type, []<typename T>() { return sizeof(T); });
}

void convertVoxels(std::span<const std::byte> stored, VoxelType type, bool bigEndian,
                   std::size_t stride, Rescale rescale, std::span<float> out) {
    const bool swap = bigEndian == (std::endian::native == std::endian::little);
    withType(type, [&]<typename T>() {
        convertAs<T>(stored.data(), swap && sizeof(T) > 1, stride, rescale, out);
    });
}

} // namespace systole
