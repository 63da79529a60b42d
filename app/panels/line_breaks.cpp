#include "app/panels/line_breaks.h"

#include <algorithm>

namespace systole {
namespace {

std::string brokenLine(std::string_view text, float width,
                       const std::function<float(std::string_view)>& widthOf) {
    std::string result, line;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t to = std::min(text.find(' ', from), text.size());
        const std::string word(text.substr(from, to - from));
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
