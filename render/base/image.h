// A picture in host memory, and PNG files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace systole {

/// 8 bits per channel, R G B A, rows from top to bottom, no padding.
struct RgbaImage {
    int width = 0, height = 0;
    std::vector<std::uint8_t> pixels;

    const std::uint8_t* at(int x, int y) const {
        return pixels.data() + 4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                                    static_cast<std::size_t>(x));
    }
};

/// The bytes of a PNG file. Throws RenderError.
std::string encodePng(const RgbaImage& image);

} // namespace systole
