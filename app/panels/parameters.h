// The column of names in the panels of motion parameters and of the view.
#pragma once

namespace systole {

/// Letters of the longest name that is shown whole: names have up to 6.4 pixels a letter in the
/// panels' font, besides the panel's margin of 8.
inline constexpr int parameterNameLetters = 21;
inline constexpr float parameterNameWidth =
    8 + static_cast<int>(6.4 * parameterNameLetters); ///< logical pixels

} // namespace systole
