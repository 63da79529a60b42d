#include "app/base/web_page.h"

#include "io/base/base64.h"

#include <fmt/format.h>

#include <algorithm>
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

const char* const pageStyle =
    "body{font:14px/1.45 'DejaVu Sans',Verdana,sans-serif;color:#222;background:#fff;"
    "max-width:1320px;margin:0 auto;padding:12px 16px}"
    "h1{font-size:22px;margin:0}h2{font-size:16px;margin:22px 0 6px}"
    ".notice{border-left:4px solid #c0392b;padding:4px 10px;margin:8px 0;background:#faf1f0}"
    ".row{display:flex;flex-wrap:wrap;gap:12px;align-items:flex-start}"
    ".row>figure{margin:0;flex:1 1 260px;max-width:430px}.row>figure.key{flex:0 0 132px}"
    "svg{width:100%;height:auto;display:block}img{max-width:100%;height:auto}figcaption{font-size:"
    "12px;color:#666}"
    "table{border-collapse:collapse;font-size:13px}.wide{overflow-x:auto}"
    "th,td{padding:2px 7px;border-bottom:1px solid #ddd;text-align:right;white-space:nowrap}"
    "th{white-space:normal;vertical-align:bottom}"
    "th:first-child,td:first-child,th.first,td.first,td.left,th.left{text-align:left}"
    "td.words{white-space:normal;text-align:left}"
    "code{font:12px 'DejaVu Sans Mono',monospace;overflow-wrap:anywhere}"
    "@media(max-width:600px){th,td{padding:2px 4px}.wide td:first-child,.wide th:first-child{"
    "position:sticky;left:0;background:#fff;white-space:normal}}"
    "@media print{body{max-width:none}h2{break-after:avoid}.row>figure{break-inside:avoid}}";

std::string htmlFigure(const Drawing& drawing, const std::string& kind) {
    return fmt::format("<figure{}>{}</figure>\n", kind, svgOf(drawing));
}

std::string pngSource(std::string_view png) { return "data:image/png;base64," + base64Of(png); }

std::string htmlHeading(const std::string& text) { return "<h2>" + htmlEscaped(text) + "</h2>\n"; }

std::string htmlTable(const std::vector<std::vector<std::string>>& rows) {
    std::string text = "<div class=\"wide\"><table>\n";
    for (std::size_t r = 0; r < rows.size(); ++r) {
        text += "<tr>";
        for (std::size_t c = 0; c < rows[r].size(); ++c)
            text += fmt::format("<{0}{1}>{2}</{0}>", r == 0 ? "th" : "td",
                                c == 0 ? " class=\"first\"" : "", htmlEscaped(rows[r][c]));
        text += "</tr>\n";
    }
    return text + "</table></div>\n";
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
