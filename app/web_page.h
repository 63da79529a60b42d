// Pages of HTML that need no other file and no network.
#pragma once

#include "app/drawing.h"

#include <string>

namespace systole {

/// With the characters replaced that HTML has a meaning for, within quotes too.
std::string htmlEscaped(const std::string& text);

/// A whole page. `title` is escaped here, `style` and `body` are CSS and HTML.
std::string htmlPage(const std::string& title, const std::string& style, const std::string& body);

/// An <svg> element, as wide as its surroundings allow; `drawing.title` is its name.
std::string svgOf(const Drawing& drawing);

} // namespace systole
