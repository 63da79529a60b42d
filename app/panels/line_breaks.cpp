#include "app/panels/line_breaks.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace systole {
namespace {

constexpr std::array<std::string_view, 18> units{"s",    "ms",      "µs",      "ns", "%",  "B",
                                                 "KB",   "MB",      "GB",      "TB", "Hz", "MHz",
                                                 "GB/s", "GFLOP/s", "TFLOP/s", "mm", "×",  "GHz"};
constexpr const char* firmSpace = "\u00a0";

bool isNumber(std::string_view word) {
    while (!word.empty() && (word.front() == '(' || word.front() == '+' || word.front() == '-'))
        word.remove_prefix(1);
    return !word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) != 0;
}

bool isUnit(std::string_view word) {
    while (!word.empty() && std::string_view(".,;:)").find(word.back()) != std::string_view::npos)
        word.remove_suffix(1);
    return std::find(units.begin(), units.end(), word) != units.end();
}

/// At its spaces, but for those between number and unit.
std::vector<std::string_view> pieces(std::string_view line) {
    std::vector<std::string_view> found;
    std::string_view last; ///< word
    for (std::size_t from = 0; from <= line.size();) {
        const std::size_t to = std::min(line.find(' ', from), line.size());
        const std::string_view word = line.substr(from, to - from);
        if (!found.empty() && isNumber(last) && isUnit(word)) {
            const auto begin = static_cast<std::size_t>(found.back().data() - line.data());
            found.back() = line.substr(begin, to - begin);
        } else {
            found.push_back(word);
        }
        last = word;
        from = to + 1;
    }
    return found;
}

template <typename Line>
void eachLine(std::string_view text, std::string& result, const Line& add) {
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t to = std::min(text.find('\n', from), text.size());
        if (from > 0)
            result += '\n';
        add(pieces(text.substr(from, to - from)));
        from = to + 1;
    }
}

} // namespace

std::string brokenLines(std::string_view text, float width,
                        const std::function<float(std::string_view)>& widthOf) {
    std::string result;
    eachLine(text, result, [&](const std::vector<std::string_view>& parts) {
        std::string line;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const std::string longer =
                i == 0 ? std::string(parts[i]) : line + ' ' + std::string(parts[i]);
            if (i > 0 && widthOf(longer) > width) {
                result += line + '\n';
                line = parts[i];
            } else {
                line = longer;
            }
        }
        result += line;
    });
    return result;
}

std::string withFirmSpaces(std::string_view text) {
    std::string result;
    eachLine(text, result, [&](const std::vector<std::string_view>& parts) {
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (i > 0)
                result += ' ';
            for (const char letter : parts[i])
                result += letter == ' ' ? std::string(firmSpace) : std::string(1, letter);
        }
    });
    return result;
}

} // namespace systole
