#include "io/data_names.h"

#include "io/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

namespace systole {
namespace {

namespace fs = std::filesystem;

/// "%03d": how many digits at least, and where the number stands in the name.
struct NumberPlace {
    std::size_t begin = 0, end = 0;
    int digits = 0;
    bool zeros = false;
};

std::optional<NumberPlace> numberPlaceIn(const std::string& pattern) {
    NumberPlace place;
    place.begin = pattern.find('%');
    std::size_t at = place.begin + 1;
    place.zeros = at < pattern.size() && pattern[at] == '0';
    while (at < pattern.size() && pattern[at] >= '0' && pattern[at] <= '9' && place.digits < 100)
        place.digits = 10 * place.digits + (pattern[at++] - '0');
    if (at >= pattern.size() || std::string_view("diu").find(pattern[at]) == std::string::npos ||
        pattern.find('%', at) != std::string::npos || place.digits >= 100)
        return std::nullopt;
    place.end = at + 1;
    return place;
}

} // namespace

std::string besideHeader(const std::string& headerPath, const std::string& named) {
    const fs::path folder = fs::path(headerPath).parent_path();
    std::error_code ignored;
    std::string text = named;
    if (text.find('\\') != text.npos && !fs::exists(folder / text, ignored))
        std::ranges::replace(text, '\\', '/');
    const fs::path file(text);
    const bool leadsOut = std::ranges::any_of(file, [](const fs::path& part) {
        return part == ".." || part.string().ends_with(':'); // a drive of Windows
    });
    if (text.empty() || !file.has_filename() || file.filename() == "." || file.is_absolute() ||
        leadsOut)
        throw fileError(headerPath,
                        "names {} as the file of its voxels; it must be a file in the folder of "
                        "the header or below, named from there",
                        inQuotes(named));
    const fs::path found = folder / file;
    if (!fs::exists(found, ignored))
        throw fileError(headerPath,
                        "its voxels should be in the file {} beside it, which is not there",
                        inQuotes(named));
    return found.string();
}

bool isNamePattern(const std::string& text) {
    const std::vector<std::string> parts = words(text);
    return parts.size() >= 4 && parts[0].find('%') != std::string::npos;
}

NamePattern parseNamePattern(const std::string& headerPath, const std::string& text,
                             std::uint64_t most) {
    const std::vector<std::string> parts = words(text);
    const std::optional<NumberPlace> place = numberPlaceIn(parts.at(0));
    const auto first = parseInteger(parts.at(1)), last = parseInteger(parts.at(2)),
               step = parseInteger(parts.at(3));
    constexpr long long farthest = 1'000'000'000;
    const auto sound = [](const std::optional<long long>& number) {
        return number && *number >= -farthest && *number <= farthest;
    };
    if (!place || !sound(first) || !sound(last) || !sound(step) || *step == 0 ||
        (*last - *first) / *step < 0)
        throw fileError(headerPath,
                        "names its data files by {}; a name with one number such as %03d, its "
                        "first and last value and the step are expected",
                        inQuotes(text));
    const auto count = static_cast<std::uint64_t>((*last - *first) / *step) + 1;
    if (count > most)
        throw fileError(headerPath, "names {} data files by {}; at most {} can be filled", count,
                        inQuotes(text), most);
    NamePattern pattern{{}, {parts.begin() + 4, parts.end()}};
    for (std::uint64_t i = 0; i < count; ++i) {
        const long long number = *first + static_cast<long long>(i) * *step;
        pattern.names.push_back(parts[0].substr(0, place->begin) +
                                (place->zeros ? fmt::format("{:0{}}", number, place->digits)
                                              : fmt::format("{:{}}", number, place->digits)) +
                                parts[0].substr(place->end));
    }
    return pattern;
}

} // namespace systole
