// Texts for the values of an enumeration.
#pragma once

#include <cstddef>
#include <string_view>

namespace systole {

/// Whether an enumeration has a name for this value: compilers print "Backend::Cuda", or a number
/// in the place of a name, "(Backend)3".
template <auto value>
consteval bool isNamed() {
    const std::string_view text = __PRETTY_FUNCTION__;
    return text.find("= (") == std::string_view::npos;
}

/// The text of a value: `texts` has one for each, in the order of the enumeration, else it doesn't
/// compile.
template <typename Enum, std::size_t count>
constexpr const char* enumText(Enum value, const char* const (&texts)[count]) {
    static_assert(isNamed<static_cast<Enum>(count - 1)>() && !isNamed<static_cast<Enum>(count)>());
    const auto index = static_cast<std::size_t>(value);
    return index < count ? texts[index] : "unknown";
}

} // namespace systole
