// Quantities as text, with a unit that suits their size.
#pragma once

#include <string>
#include <string_view>

namespace systole {

/// Number and unit with a no-break space (U+00A0) between them, so that a line never ends there.
std::string quantity(std::string_view number, std::string_view unit);

/// A text with its spaces replaced by no-break spaces: "1.2 GiB" in a sentence.
std::string unbroken(std::string text);

/// The text with no-break spaces replaced by spaces, for terminals, files and the clipboard.
std::string plainSpaces(std::string text);

std::string figureText(double value);     ///< three digits or more, "0.52", "1340"; no exponent
std::string secondsText(double seconds);  ///< "412 µs", "1.03 ms"; "–" for 0 (unknown)
std::string percentText(double fraction); ///< "4.2 %"
std::string timesText(double ratio);      ///< "1.35 times"
std::string voxelsText(int side);         ///< "200³ voxels"

} // namespace systole
