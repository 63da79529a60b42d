// Texts for the values of an enumeration.
#pragma once

#include <cstddef>

namespace systole {

/// The text of a value: `texts` has one for each, in the order of the enumeration.
template <typename Enum, std::size_t count>
constexpr const char* enumText(Enum value, const char* const (&texts)[count]) {
    const auto index = static_cast<std::size_t>(value);
    return index < count ? texts[index] : "unknown";
}

} // namespace systole
