#include "io/spelling.h"

#include "io/text.h"

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

} // namespace systole
