#include "io/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace systole {
namespace {

constexpr std::size_t longestQuote = 60;

std::string onOneLine(std::string_view text) {
    std::string line(text);
    std::replace_if(
        line.begin(), line.end(),
        [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; }, '?');
    return line;
}

template <typename Number>
std::optional<Number> parseWhole(std::string_view text) {
    if (text.starts_with('+') && !text.starts_with("+-"))
        text.remove_prefix(1);
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

} // namespace

FileError fileError(const std::string& path, const std::string& sentence) {
    return FileError(fileNote(path, sentence));
}

std::string fileNote(const std::string& path, const std::string& sentence) {
    return onOneLine(fmt::format("{}: {}", path, sentence));
}

std::vector<std::string> fileNotes(const std::string& path,
                                   const std::vector<std::string>& sentences) {
    std::vector<std::string> notes;
    for (const std::string& sentence : sentences)
        notes.push_back(fileNote(path, sentence));
    return notes;
}

std::string inQuotes(std::string_view text) {
    std::string shown = onOneLine(text.substr(0, longestQuote));
    // Bytes outside ASCII may be anything in a damaged header.
    std::replace_if(
        shown.begin(), shown.end(), [](char c) { return static_cast<unsigned char>(c) > 126; },
        '?');
    return fmt::format("'{}{}'", shown, text.size() > longestQuote ? "..." : "");
}

std::string pathInQuotes(std::string_view path) { return fmt::format("'{}'", onOneLine(path)); }

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blank(" \t\r\n\0", 5);
    const std::size_t first = text.find_first_not_of(blank);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::string lowerCase(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
        return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    });
    return lower;
}

std::vector<std::string> words(std::string_view text, std::string_view separators) {
    std::vector<std::string> found;
    std::size_t begin = text.find_first_not_of(separators);
    while (begin != std::string_view::npos) {
        const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
        found.emplace_back(text.substr(begin, end - begin));
        begin = text.find_first_not_of(separators, end);
    }
    return found;
}

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

std::optional<std::vector<std::string>> tableCells(std::string_view line, char separator,
                                                   std::size_t maxCells, bool mayQuote) {
    std::vector<std::string> cells(1);
    bool quoted = false, wasQuoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"' && quoted) {
            if (i + 1 < line.size() && line[i + 1] == '"')
                cells.back() += line[++i];
            else
                quoted = false;
        } else if (c == '"' && mayQuote && !wasQuoted && trimmed(cells.back()).empty()) {
            quoted = wasQuoted = true;
            cells.back().clear();
        } else if (c == separator && !quoted) {
            if (cells.size() > maxCells)
                return cells;
            cells.emplace_back();
            wasQuoted = false;
        } else {
            cells.back() += c;
        }
    }
    if (quoted)
        return std::nullopt;
    for (std::string& cell : cells)
        cell = std::string(trimmed(cell));
    return cells;
}

bool beginsFormula(std::string_view text) {
    constexpr std::array<std::string_view, 8> signs{"=",      "+",      "-",      "@",
                                                    "\uff1d", "\uff0b", "\uff0d", "\uff20"};
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return std::ranges::any_of(signs,
                               [&](std::string_view sign) { return text.starts_with(sign); });
}

char lineEndOf(std::string_view text) {
    const std::size_t first = text.find_first_of("\r\n");
    if (first == std::string_view::npos || text[first] == '\n')
        return '\n';
    const std::size_t behind = text.find_first_not_of('\r', first);
    return behind != std::string_view::npos && text[behind] == '\n' ? '\n' : '\r';
}

std::string_view nextLine(std::string_view& text, char endOfLine) {
    const std::size_t end = std::min(text.find(endOfLine), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    return line;
}

std::string_view nextWord(std::string_view& text) {
    constexpr std::string_view blank = " \t\r\n";
    text.remove_prefix(std::min(text.find_first_not_of(blank), text.size()));
    const std::string_view word = text.substr(0, text.find_first_of(blank));
    text.remove_prefix(word.size());
    return word;
}

std::optional<double> parseReal(std::string_view text) { return parseWhole<double>(trimmed(text)); }

std::optional<long long> parseInteger(std::string_view text) {
    return parseWhole<long long>(trimmed(text));
}

std::string modalityNamedIn(std::string_view text) {
    for (const std::string& word : words(text, " \t\r\n,;:.()[]/_-")) {
        if (word == "MR" || word == "MRI")
            return "MR";
        if (word == "CT")
            return "CT";
        const std::string lower = lowerCase(word);
        if (word == "US" || lower == "ultrasound" || lower == "echo" || lower == "echocardiography")
            return "US";
    }
    return {};
}

} // namespace systole
