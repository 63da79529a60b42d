// Spellings of other programs and computers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace systole {

/// Whether a name of a coordinate system is that of RAS, else of LPS: "RAS", "LPS+",
/// "left-posterior-superior" and so on; nullopt: it is neither.
std::optional<bool> namesRas(std::string_view text);

/// The text with the line ends of old Macs ("\r" alone) as "\n".
std::string withNewLines(std::string text);

/// The text with such line ends and without the byte order mark that editors and spreadsheets put
/// before UTF-8.
std::string plainText(std::string text);

} // namespace systole
