#include "app/cli/text_parts.h"

#include "app/base/error.h"
#include "app/base/given_parameters.h"
#include "io/base/text.h"

#include <fmt/format.h>

namespace systole {

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
    setParameter(parameters, text.substr(0, at), text.substr(at + 1), option);
    return text.substr(0, at);
}

} // namespace systole
