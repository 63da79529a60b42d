#include "app/cli/option_checks.h"

#include "app/base/error.h"
#include "app/cli/misspelling.h"
#include "io/base/text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace systole {
namespace {

/// `folded`: letters of both cases are equal.
CLI::Validator wordCheck(std::vector<std::string> words, bool folded) {
    std::string description = fmt::format("{{{}}}", fmt::join(words, ","));
    const auto form = [folded](const std::string& word) {
        return folded ? CLI::detail::to_lower(word) : word;
    };
    return CLI::Validator(
        [=, words = std::move(words)](std::string& text) {
            const auto found = std::ranges::find_if(
                words, [&](const std::string& word) { return form(word) == form(text); });
            if (found != words.end()) {
                text = *found;
                return std::string();
            }
            const auto meant = similarWord(text, words);
            return fmt::format("'{}' isn't one of {}{}", text, fmt::join(words, ", "),
                               meant ? fmt::format("; did you mean '{}'?", *meant) : "");
        },
        std::move(description));
}

} // namespace

CLI::Validator oneOf(const std::vector<std::string>& words) { return wordCheck(words, false); }

CLI::Validator oneOfIgnoringCase(const std::vector<std::string>& words) {
    return wordCheck(words, true);
}

void requirePngName(const std::string& path, const char* option) {
    if (!lowerCase(path).ends_with(".png"))
        throw UsageError(
            fmt::format("{}: expected a name that ends in .png, found '{}'", option, path));
}

} // namespace systole
