// Checks of options whose refusals say what the option takes.
#pragma once

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <string>
#include <type_traits>
#include <vector>

namespace systole {

/// A number within a range, both ends included; an integer type takes whole numbers only. The help
/// names the type and the range as CLI::Range does.
template <typename Number>
CLI::Validator inRange(Number least, std::type_identity_t<Number> most) {
    const std::string kind = std::is_integral_v<Number> ? "whole number" : "number";
    return CLI::Validator(
        [=](std::string& text) {
            Number value{};
            if (CLI::detail::lexical_cast(text, value) && value >= least && value <= most)
                return std::string();
            return fmt::format("'{}' isn't a {} from {} to {}", text, kind, least, most);
        },
        fmt::format("{} in [{} - {}]", CLI::detail::type_name<Number>(), least, most));
}

/// One of several words. The refusal names the one that was probably meant, else all of them.
CLI::Validator oneOf(const std::vector<std::string>& words);

/// A check like oneOf() without regard to case; the option's value gets the spelling of the list.
CLI::Validator oneOfIgnoringCase(const std::vector<std::string>& words);

/// Throws UsageError that names the option unless the path of a picture ends in .png.
void requirePngName(const std::string& path, const char* option);

} // namespace systole
