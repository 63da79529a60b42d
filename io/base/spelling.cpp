#include "io/base/spelling.h"

#include "io/base/text.h"

#include <utility>

namespace systole {

std::optional<bool> namesRas(std::string_view text) {
    std::string name;
    for (const char c : lowerCase(trimmed(text)))
        if (std::string_view(" -_").find(c) == std::string_view::npos)
            name += c;
    if (name.ends_with('+'))
        name.pop_back();
    if (name == "ras" || name == "rightanteriorsuperior")
        return true;
    if (name == "lps" || name == "leftposteriorsuperior")
        return false;
    return std::nullopt;
}

std::string withNewLines(std::string text) {
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'))
            text[i] = '\n';
    return text;
}

std::string plainText(std::string text) {
    constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(byteOrderMark))
        text.erase(0, byteOrderMark.size());
    return withNewLines(std::move(text));
}

} // namespace systole
