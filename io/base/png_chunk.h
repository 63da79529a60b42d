// Chunks of PNG files in memory: length, type, content, check sum (PNG specification, 5.3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace systole {

inline constexpr std::string_view pngSignature = "\x89PNG\r\n\x1a\n";
inline constexpr std::size_t pngChunkFrame = 12; ///< bytes of length, type and check sum

/// The number in the first four bytes.
std::uint32_t bigEndian(std::string_view bytes);
std::string bigEndian(std::uint32_t value);

/// The check sum over type and content.
std::uint32_t pngCheckSum(std::string_view bytes);
std::string pngChunk(const std::string& type, const std::string& content);

} // namespace systole
