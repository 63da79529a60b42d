#include "io/base/voxel_type.h"

#include "compute/core/enum_text.h"

namespace systole {
namespace {

bool swaps(bool bigEndian) { return bigEndian == (std::endian::native == std::endian::little); }

template <typename T>
void convertAs(const std::byte* stored, bool swap, std::size_t stride, Rescale rescale,
               std::span<float> out) {
    const std::size_t step = stride * sizeof(T);
    if (rescale.isIdentity()) {
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = static_cast<float>(loadNumber<T>(stored + i * step, swap));
        return;
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
        const auto value = static_cast<double>(loadNumber<T>(stored + i * step, swap));
        out[i] = static_cast<float>(rescale.slope * value + rescale.intercept);
    }
}

} // namespace

const char* name(VoxelType type) {
    return enumText(type, {"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
                           "float32", "float64"});
}

std::size_t bytesOf(VoxelType type) {
    return withType(type, []<typename T>() { return sizeof(T); });
}

double numberAt(const void* stored, VoxelType type, bool bigEndian) {
    return withType(type, [&]<typename T>() {
        return static_cast<double>(loadNumber<T>(stored, swaps(bigEndian)));
    });
}

void convertVoxels(std::span<const std::byte> stored, VoxelType type, bool bigEndian,
                   std::size_t stride, Rescale rescale, std::span<float> out) {
    withType(type, [&]<typename T>() {
        convertAs<T>(stored.data(), swaps(bigEndian) && sizeof(T) > 1, stride, rescale, out);
    });
}

} // namespace systole
