#include "io/base/png_chunk.h"

#include <zlib.h>

namespace systole {

std::uint32_t bigEndian(std::string_view bytes) {
    std::uint32_t value = 0;
    for (const char c : bytes.substr(0, 4))
        value = value << 8 | static_cast<unsigned char>(c);
    return value;
}

std::string bigEndian(std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8)
        bytes += static_cast<char>(value >> shift & 0xff);
    return bytes;
}

std::uint32_t pngCheckSum(std::string_view bytes) {
    return static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

std::string pngChunk(const std::string& type, const std::string& content) {
    const std::string summed = type + content;
    return bigEndian(static_cast<std::uint32_t>(content.size())) + summed +
           bigEndian(pngCheckSum(summed));
}

} // namespace systole
