#include "io/base/data_names.h"

#include "io/base/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

namespace systole {
namespace {

namespace fs = std::filesystem;

/// The one "%03d" of a name; nothing: there is none.
std::optional<NamePattern> patternOf(const std::string& name) {
    NamePattern pattern;
    const std::size_t begin = name.find('%');
    if (begin == name.npos)
        return std::nullopt;
    std::size_t at = begin + 1;
    pattern.zeros = at < name.size() && name[at] == '0';
    while (at < name.size() && name[at] >= '0' && name[at] <= '9' && pattern.digits < 100)
        pattern.digits = 10 * pattern.digits + (name[at++] - '0');
    if (at >= name.size() || std::string_view("diu").find(name[at]) == std::string::npos ||
        name.find('%', at) != std::string::npos || pattern.digits >= 100)
        return std::nullopt;
    pattern.before = name.substr(0, begin);
    pattern.after = name.substr(at + 1);
    return pattern;
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

std::string completedNamePattern(const std::string& headerPath, const std::string& text,
                                 std::uint64_t files) {
    std::vector<std::string> parts = words(text);
    std::error_code ignored;
    if (parts.empty() || parts.size() > 3 || !patternOf(parts[0]) ||
        fs::exists(fs::path(headerPath).parent_path() / text, ignored))
        return text;
    const std::optional<long long> first =
        parts.size() > 1 ? parseInteger(parts[1]) : std::optional(1LL);
    constexpr long long farthest = 1'000'000'000;
    if (!first || *first < -farthest || *first > farthest)
        return text;
    if (parts.size() < 2)
        parts.push_back("1");
    if (parts.size() < 3)
        parts.push_back(fmt::format("{}", *first + static_cast<long long>(files) - 1));
    return fmt::format("{} {} {} 1", parts[0], parts[1], parts[2]);
}

NamePattern parseNamePattern(const std::string& headerPath, const std::string& text) {
    const std::vector<std::string> parts = words(text);
    std::optional<NamePattern> pattern = patternOf(parts.at(0));
    const auto first = parseInteger(parts.at(1)), last = parseInteger(parts.at(2)),
               step = parseInteger(parts.at(3));
    constexpr long long farthest = 1'000'000'000;
    const auto sound = [](const std::optional<long long>& number) {
        return number && *number >= -farthest && *number <= farthest;
    };
    if (!pattern || !sound(first) || !sound(last) || !sound(step) || *step == 0 ||
        (*last - *first) / *step < 0)
        throw fileError(headerPath,
                        "names its data files by {}; a name with one number such as %03d, its "
                        "first and last value and the step are expected",
                        inQuotes(text));
    pattern->first = *first;
    pattern->step = *step;
    pattern->count = static_cast<std::uint64_t>((*last - *first) / *step) + 1;
    pattern->rest.assign(parts.begin() + 4, parts.end());
    return std::move(*pattern);
}

std::vector<std::string> NamePattern::filesBeside(const std::string& headerPath) const {
    std::vector<std::string> files;
    for (std::uint64_t i = 0; i < count; ++i) { // ends at the first that is missing
        const long long number = first + static_cast<long long>(i) * step;
        files.push_back(
            besideHeader(headerPath, before +
                                         (zeros ? fmt::format("{:0{}}", number, digits)
                                                : fmt::format("{:{}}", number, digits)) +
                                         after));
    }
    return files;
}

} // namespace systole
