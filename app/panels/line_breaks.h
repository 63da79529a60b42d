// Breaks sentences into lines so that a number stays with its unit and a decimal with its point.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace systole {

/// The text with a line break in place of the space before each word that would end beyond `width`,
/// as `widthOf` measures; breaks that it has stay. A word that is wider itself has a line of its
/// own.
std::string brokenLines(std::string_view text, float width,
                        const std::function<float(std::string_view)>& widthOf);

/// The same rule for whoever breaks lines itself: the space between number and unit is one that
/// doesn't break (U+00A0).
std::string withFirmSpaces(std::string_view text);

} // namespace systole
