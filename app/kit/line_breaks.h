// Breaks sentences into lines at their spaces. ImGui itself also breaks at the point of a decimal.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace systole {

/// The text with a line break in place of the space before each word that would end beyond `width`,
/// as `widthOf` measures. Existing breaks stay; a no-break space (U+00A0) is never broken at; a
/// word wider than `width` gets a line of its own, a path without so many of its first folders that
/// its name is seen.
std::string brokenLines(std::string_view text, float width,
                        const std::function<float(std::string_view)>& widthOf);

} // namespace systole
