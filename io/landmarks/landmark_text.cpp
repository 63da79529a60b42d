#include "io/landmarks/landmark_text.h"

#include "io/base/bounds.h"
#include "io/base/byte_source.h"
#include "io/base/messages.h"
#include "io/base/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace systole::landmarks {
namespace {

constexpr std::size_t maxBytes = std::size_t{256} << 20;

bool isControl(char c) {
    const auto code = static_cast<unsigned char>(c);
    return (code < 32 && c != '\t' && c != '\r' && c != '\n' && c != '\f') || code == 127;
}

/// Keys of comments that some reader uses; others aren't stored.
constexpr std::array<std::string_view, 6> knownComments{"coordinatesystem", "units",   "frame",
                                                        "frames",           "columns", "reference"};

/// Fields of a line take much more memory than its text. JSON may be one line.
void refuseLongLines(const std::string& path, std::string_view text) {
    constexpr std::size_t longestLine = std::size_t{1} << 16;
    if (trimmed(text).starts_with('{'))
        return;
    for (int number = 1; !text.empty(); ++number)
        if (nextLine(text).size() > longestLine)
            throw lineError(path, number, "is longer than {} characters", longestLine);
}

/// Number of apostrophes before text that a spreadsheet takes for a formula; nothing: it is none.
std::optional<std::size_t> apostrophesOfFormula(std::string_view text) {
    const std::size_t count = std::min(text.find_first_not_of('\''), text.size());
    return beginsFormula(text.substr(count)) ? std::optional(count) : std::nullopt;
}

} // namespace

bool isNumberWithComma(std::string_view word) {
    std::string number(trimmed(word));
    const std::size_t comma = number.find(',');
    if (comma == std::string::npos || comma == 0 || comma + 1 == number.size())
        return false;
    std::ranges::replace(number, ',', '.');
    return parseReal(number).has_value();
}

std::string readText(const std::string& path) {
    const InputFile file(path);
    if (file.size() > maxBytes)
        throw fileError(path, "is larger than {} MiB, too large for a file of points",
                        maxBytes >> 20);
    std::string text = plainText(file.text(0, file.size()));
    if (std::ranges::any_of(text, isControl))
        throw fileError(
            path, "is not a text file; points are read from text (DIR-Lab, Slicer, elastix, CSV)");
    if (trimmed(text).empty())
        throw fileError(path, "the file is empty; points were expected");
    refuseLongLines(path, text);
    return text;
}

std::optional<Line> LineReader::next() {
    while (!rest_.empty()) {
        ++number_;
        std::string_view line = nextLine(rest_);
        const std::string_view content = trimmed(line);
        if (content.empty())
            continue;
        if (content.front() == '#')
            return Line{content, number_};
        constexpr std::string_view blanks(" \r\n\0", 4); // a tab may end or begin an empty cell
        line.remove_prefix(line.find_first_not_of(blanks));
        line.remove_suffix(line.size() - line.find_last_not_of(blanks) - 1);
        return Line{line, number_};
    }
    return {};
}

std::vector<Line> linesOf(const std::string& path, std::string_view text) {
    constexpr std::size_t comments = 1000;
    std::vector<Line> lines;
    LineReader reader(text);
    while (const std::optional<Line> line = reader.next()) {
        if (lines.size() == maxPoints + comments)
            throw fileError(path, "holds more lines than {} points take; no more are read",
                            maxPoints);
        lines.push_back(*line);
    }
    return lines;
}

double coordinate(const std::string& path, int line, std::string_view word) {
    const std::optional<double> value = parseReal(word);
    if (!value && isNumberWithComma(word))
        throw lineError(path, line, "{} has a comma as its decimal point; a point is expected",
                        inQuotes(trimmed(word)));
    if (!value)
        throw lineError(path, line, "{} is no number; a coordinate was expected",
                        inQuotes(trimmed(word)));
    return requireWithin(coordinateBounds, path, *value, "line {}: a coordinate", line);
}

void refuseDecimalCommas(const std::string& path, const Line& line) {
    for (const char* separators : {" \t", ";"}) {
        const std::vector<std::string> parts = words(line.text, separators);
        const auto numbers = std::ranges::count_if(parts, [](const std::string& part) {
            return isNumberWithComma(part) || parseReal(part);
        });
        const bool commas = std::ranges::any_of(
            parts, [](const std::string& part) { return isNumberWithComma(part); });
        if (numbers >= 3 && commas)
            throw lineError(path, line.number,
                            "the numbers have commas as decimal points; points are expected");
    }
}

void DecimalSigns::normalize(const std::string& path, const Line& line, std::string& field) {
    const bool comma = isNumberWithComma(field);
    if (!comma && !(parseReal(field) && field.find('.') != field.npos))
        return;
    (comma ? comma_ : point_) = true;
    if (comma_ && point_)
        throw lineError(path, line.number, "the numbers have commas and points as decimal signs");
    std::ranges::replace(field, ',', '.');
}

char separatorOf(std::string_view line) {
    line = trimmed(line);
    for (const char separator : {';', '\t', ','})
        if (line.find(separator) != std::string_view::npos)
            return separator;
    return ',';
}

void addComment(const std::string& path, Comments& comments, const Line& line) {
    std::string_view text = line.text;
    text.remove_prefix(std::min(text.find_first_not_of("# \t"), text.size()));
    const std::size_t separator = text.find_first_of(":=");
    const std::string key = lowerCase(trimmed(text.substr(0, std::min(separator, text.size()))));
    if (separator == std::string_view::npos || std::ranges::count(knownComments, key) == 0)
        return;
    const std::string value(trimmed(text.substr(separator + 1)));
    const auto [known, fresh] = comments.emplace(key, value);
    if (!fresh && lowerCase(known->second) != lowerCase(value))
        throw lineError(path, line.number, "gives {} as {}, after {} before", inQuotes(key),
                        inQuotes(value), inQuotes(known->second));
}

bool isRas(const std::string& path, std::string_view frame) {
    const std::string_view name = trimmed(frame);
    if (name == "0" || name == "1")
        return name == "0";
    if (const std::optional<bool> ras = namesRas(name))
        return *ras;
    throw fileError(path, "the coordinate system is {}; LPS or RAS is expected", inQuotes(frame));
}

void requireMillimeters(const std::string& path, std::string_view unit, std::string_view meaning) {
    const std::string name = lowerCase(trimmed(unit));
    if (name != "mm" && name != "millimeter" && name != "millimeters" && name != "millimetres")
        throw fileError(path, "the coordinates are in {}{}; millimeters are expected",
                        inQuotes(trimmed(unit)),
                        meaning.empty() ? std::string() : " (" + inQuotes(meaning) + ")");
}

int smallNumber(const std::string& path, std::string_view what, std::string_view text) {
    const std::optional<long long> number = parseInteger(text);
    if (!number || *number < 0 || *number > static_cast<long long>(maxPoints))
        throw fileError(path, "the {} is {}; a whole number from 0 to {} is expected", what,
                        inQuotes(trimmed(text)), maxPoints);
    return static_cast<int>(*number);
}

std::vector<std::string> csvFields(const std::string& path, const Line& line, char separator) {
    std::optional<std::vector<std::string>> fields = tableCells(line.text, separator);
    if (!fields)
        throw lineError(path, line.number, "a quoted name has no closing quote");
    return std::move(*fields);
}

std::string csvField(const std::string& text) {
    std::string field;
    for (const char c : text) {
        field += isControl(c) || c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
        if (c == '"')
            field += c;
    }
    const bool plain = field.find_first_of(",;\"") == std::string::npos &&
                       !field.starts_with('#') && trimmed(field) == field;
    return plain ? field : fmt::format("\"{}\"", field);
}

std::string csvName(const std::string& name) {
    return csvField(apostrophesOfFormula(name) ? "'" + name : name);
}

std::string nameInCsv(const std::string& field) {
    return apostrophesOfFormula(field).value_or(0) > 0 ? field.substr(1) : field;
}

} // namespace systole::landmarks
