#include "app/cli/note_text.h"

#include <fmt/format.h>

#include <cctype>

namespace systole {

std::string noteText(std::string text) {
    const auto isUpper = [&](std::size_t at) {
        return at < text.size() && std::isupper(static_cast<unsigned char>(text[at])) != 0;
    };
    if (isUpper(0) && !isUpper(1))
        text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
    if (text.ends_with('.') && !text.ends_with("..") && text.find(". ") == std::string::npos)
        text.pop_back();
    return text;
}

void printNote(const std::string& text) { fmt::print("note: {}\n", noteText(text)); }

} // namespace systole
