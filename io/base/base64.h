// Base64 (RFC 4648) with padding.
#pragma once

#include <string>
#include <string_view>

namespace systole {

/// The bytes as text.
std::string base64Of(std::string_view bytes);

/// Value of a digit, 0 to 63; −1 for any other character.
int base64Digit(char c);

} // namespace systole
