#include "app/web_page.h"

#include <fmt/format.h>

#include <string_view>

namespace systole {
namespace {

std::string pointsOf(const std::vector<DrawingPoint>& points) {
    std::string text;
    for (const DrawingPoint& point : points)
        text += fmt::format("{}{:.1f},{:.1f}", text.empty() ? "" : " ", point.x, point.y);
    return text;
}

/// The end of an element, with the name that the mouse shows.
std::string endOf(const char* element, const std::string& name) {
    return name.empty() ? std::string("/>\n")
                        : fmt::format("><title>{}</title></{}>\n", htmlEscaped(name), element);
}

const char* anchorName(WordsAnchor anchor) {
    return anchor == WordsAnchor::Start    ? "start"
           : anchor == WordsAnchor::Middle ? "middle"
                                           : "end";
}

} // namespace

std::string htmlEscaped(const std::string& text) {
    std::string escaped;
    for (const char c : text) {
        const std::string_view meant = "&<>\"'";
        constexpr const char* names[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
        const std::size_t at = meant.find(c);
        if (at == std::string_view::npos)
            escaped += c;
        else
            escaped += names[at];
    }
    return escaped;
}

std::string htmlPage(const std::string& title, const std::string& style, const std::string& body) {
    return fmt::format("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width\">\n"
                       "<title>{}</title>\n<style>{}</style></head>\n<body>\n{}</body></html>\n",
                       htmlEscaped(title), style, body);
}

std::string svgOf(const Drawing& drawing) {
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:g} {:g}\" role=\"img\" "
        "aria-label=\"{}\">\n",
        drawing.width, drawing.height, htmlEscaped(drawing.title));
    for (const DrawnArea& area : drawing.areas)
        svg +=
            fmt::format("<polygon points=\"{}\" fill=\"{}\" stroke=\"{}\"{}",
                        pointsOf(area.outline), area.color, area.edge, endOf("polygon", area.name));
    for (const DrawnLine& line : drawing.lines)
        svg += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" "
                           "stroke-width=\"{:g}\"{}{}",
                           pointsOf(line.points), line.color, line.width,
                           line.dashed ? " stroke-dasharray=\"6 4\"" : "",
                           endOf("polyline", line.name));
    for (const DrawnText& text : drawing.texts)
        svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\" font-size=\"{:g}\" "
                           "text-anchor=\"{}\">{}</text>\n",
                           text.at.x, text.at.y, text.color, text.size, anchorName(text.anchor),
                           htmlEscaped(text.text));
    return svg + "</svg>\n";
}

} // namespace systole
