// Pages of HTML that need no other file and no network.
#pragma once

#include "app/base/drawing.h"

#include <string>
#include <string_view>
#include <vector>

namespace systole {

/// The text with the special characters of HTML replaced, quotes included.
std::string htmlEscaped(const std::string& text);

/// A whole page. `title` is escaped here, `style` and `body` are CSS and HTML.
std::string htmlPage(const std::string& title, const std::string& style, const std::string& body);

/// The CSS that all reports have.
extern const char* const pageStyle;
std::string htmlHeading(const std::string& text);
/// A table whose cells are escaped; the first row is its head.
std::string htmlTable(const std::vector<std::vector<std::string>>& rows);
/// A <figure>; `kind` is HTML within its tag, such as " class=\"key\"".
std::string htmlFigure(const Drawing& drawing, const std::string& kind = "");

/// The source of an <img> or <image> that holds a PNG file itself.
std::string pngSource(std::string_view png);

/// An <svg> element, as wide as its surroundings allow; `drawing.title` is its name.
std::string svgOf(const Drawing& drawing);

} // namespace systole
