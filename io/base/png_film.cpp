#include "io/base/png_film.h"

#include "io/base/png_chunk.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace systole {
namespace {

constexpr int millisecondsPerSecond = 1000;
constexpr double longestDelay = 65535; ///< max of 16 bits, ms

std::string twoBytes(int value) {
    return {static_cast<char>(value >> 8 & 0xff), static_cast<char>(value & 0xff)};
}

/// Calls each(type, content, whole chunk) in their order.
template <typename Each>
void forChunks(std::string_view png, const Each& each) {
    for (std::size_t at = pngSignature.size(); at + pngChunkFrame <= png.size();) {
        const std::size_t length = bigEndian(png.substr(at));
        each(png.substr(at + 4, 4), png.substr(at + 8, length),
             png.substr(at, pngChunkFrame + length));
        at += pngChunkFrame + length;
    }
}

/// The chunk that begins a picture: all of it is replaced, after `seconds` the next one follows.
std::string control(std::uint32_t sequence, std::string_view header, double seconds) {
    const double delay = std::clamp(std::round(seconds * millisecondsPerSecond), 1.0, longestDelay);
    return pngChunk("fcTL", bigEndian(sequence) + std::string(header.substr(0, 8)) +
                                std::string(8, '\0') + twoBytes(static_cast<int>(delay)) +
                                twoBytes(millisecondsPerSecond) + std::string(2, '\0'));
}

} // namespace

std::string animatedPng(const std::vector<FilmPicture>& pictures) {
    std::string film(pngSignature);
    std::string_view header;
    std::uint32_t sequence = 0; // counts controls and data together
    for (const FilmPicture& picture : pictures) {
        const bool first = &picture == &pictures.front();
        bool begun = false;
        forChunks(picture.png, [&](std::string_view type, std::string_view content,
                                   std::string_view whole) {
            if (type == "IHDR" && first)
                header = content;
            if (type == "IDAT" && !begun) {
                begun = true;
                if (first)
                    film +=
                        pngChunk("acTL", bigEndian(static_cast<std::uint32_t>(pictures.size())) +
                                             bigEndian(std::uint32_t{0}));
                film += control(sequence++, header, picture.seconds);
            }
            if (type == "IDAT" && !first)
                film += pngChunk("fdAT", bigEndian(sequence++) + std::string(content));
            else if (first && type != "IEND")
                film += whole;
        });
    }
    return film + pngChunk("IEND", {});
}

} // namespace systole
