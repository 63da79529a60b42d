// Films without a codec: animated PNG, which every browser plays and other programs show as its
// first picture (PNG specification, third edition, 11.3.6).
#pragma once

#include <string>
#include <vector>

namespace systole {

/// One of its pictures.
struct FilmPicture {
    std::string png; ///< the bytes of a PNG file
    double seconds;  ///< time until the next picture, rounded to milliseconds; at most 65
};

/// The bytes of an animated PNG that plays without end, with the texts of the first picture.
/// Requires complete PNG files of one size and pixel format, at least one.
std::string animatedPng(const std::vector<FilmPicture>& pictures);

} // namespace systole
