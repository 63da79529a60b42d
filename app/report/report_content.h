// The content of a report, independent of its form: an HTML page or a PDF.
#pragma once

#include "app/base/drawing.h"

#include <string>
#include <vector>

namespace systole {

/// A picture in pixels.
struct ReportPicture {
    std::string png; ///< bytes of a PNG file
    int width = 0, height = 0;
    std::string caption;
};

struct ReportSection {
    std::string title;
    std::vector<ReportPicture> pictures{}; ///< one below the other, above all else
    std::vector<Drawing> drawings{};       ///< side by side, above the blocks
    std::vector<std::string> blocks{};     ///< HTML: tables and paragraphs
};

struct ReportContent {
    std::string title;
    std::string about; ///< study and date, a line; empty: neither is known
    std::string notice;
    std::vector<ReportSection> sections;
    std::string foot;
};

} // namespace systole
