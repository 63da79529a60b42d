#include "app/commands/text_parts.h"

#include "app/error.h"
#include "compute/core/error.h"
#include "io/text.h"

#include <fmt/format.h>

namespace systole {

std::vector<std::string_view> partsOf(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos)
            return parts;
        text.remove_prefix(end + 1);
    }
}

std::vector<int> wholeNumbersIn(std::string_view text, char separator, int least, int most) {
    std::vector<int> numbers;
    for (const std::string_view part : partsOf(text, separator)) {
        const std::optional<long long> number = parseInteger(part);
        if (!number || *number < least || *number > most)
            return {};
        numbers.push_back(static_cast<int>(*number));
    }
    return numbers;
}

std::string assignParameter(ParamSet& parameters, const std::string& text, const char* option) {
    const std::size_t at = text.find('=');
    if (at == std::string::npos || at == 0 || at + 1 == text.size())
        throw UsageError(fmt::format("{}: expected NAME=VALUE, found '{}'", option, text));
    try {
        parameters.setText(text.substr(0, at), text.substr(at + 1));
    } catch (const ComputeError& error) {
        throw UsageError(fmt::format("{}: {}", option, error.what()));
    }
    return text.substr(0, at);
}

} // namespace systole
