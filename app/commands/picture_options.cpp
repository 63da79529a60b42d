#include "app/commands/picture_options.h"

#include "app/error.h"

#include <fmt/format.h>

#include <charconv>

namespace systole {
namespace {
constexpr int largestSide = 16384;
}

std::pair<int, int> parsePictureSize(const std::string& text) {
    int width = 0, height = 0;
    const char* end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, width);
    const bool separated = first.ec == std::errc{} && first.ptr != end && *first.ptr == 'x';
    const auto second = separated ? std::from_chars(first.ptr + 1, end, height) : first;
    if (!separated || second.ec != std::errc{} || second.ptr != end || width < 1 || height < 1 ||
        width > largestSide || height > largestSide)
        throw UsageError(fmt::format("--size: expected WIDTHxHEIGHT of 1 to {} pixels, found '{}'",
                                     largestSide, text));
    return {width, height};
}

Layout parseLayout(const std::string& text) {
    for (const Layout layout : {Layout::Single3D, Layout::ThreeSlices, Layout::FourUp})
        if (text == name(layout))
            return layout;
    throw UsageError(fmt::format("--layout: '{}' is not one of single, three, four", text));
}

} // namespace systole
