#include "app/kit/line_breaks.h"

#include <algorithm>

namespace systole {
namespace {

bool beginsCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }

/// Cuts a path at its beginning: paths differ at their ends.
std::string fittingPath(const std::string& word, float width,
                        const std::function<float(std::string_view)>& widthOf) {
    const std::size_t name = word.rfind('/');
    if (name == std::string::npos || widthOf(word) <= width)
        return word;
    for (std::size_t from = 1; from < word.size(); ++from) {
        if (from <= name ? word[from] != '/' : !beginsCharacter(word[from]))
            continue;
        if (std::string rest = "…" + word.substr(from); widthOf(rest) <= width)
            return rest;
    }
    return word;
}

std::string brokenLine(std::string_view text, float width,
                       const std::function<float(std::string_view)>& widthOf) {
    std::string result, line;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t to = std::min(text.find(' ', from), text.size());
        const std::string word =
            fittingPath(std::string(text.substr(from, to - from)), width, widthOf);
        const std::string longer = from == 0 ? word : line + ' ' + word;
        if (from > 0 && widthOf(longer) > width) {
            result += line + '\n';
            line = word;
        } else {
            line = longer;
        }
        from = to + 1;
    }
    return result + line;
}

} // namespace

std::string brokenLines(std::string_view text, float width,
                        const std::function<float(std::string_view)>& widthOf) {
    std::string result;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t to = std::min(text.find('\n', from), text.size());
        result += (from > 0 ? "\n" : "") + brokenLine(text.substr(from, to - from), width, widthOf);
        from = to + 1;
    }
    return result;
}

} // namespace systole
