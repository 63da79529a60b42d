// Quantities of the laboratory with the unit that suits them.
#pragma once

#include <string>

namespace systole {

std::string figureText(double value);    ///< three digits or more, "0.52", "1340": no power of ten
std::string secondsText(double seconds); ///< "412 µs", "1.03 ms"; "–" for 0: not known
std::string partText(double fraction);   ///< "4.2 %"
std::string timesText(double ratio);     ///< "1.35 times"
std::string voxelsText(int side);        ///< "200³ voxels"

} // namespace systole
