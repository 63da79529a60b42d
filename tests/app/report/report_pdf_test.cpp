// The report as PDF, read back: its pages, the size of its letters, and where its lines stand.
#include "app/base/web_page.h"
#include "app/report/report_pdf.h"

#include <QByteArray>
#include <QList>
#include <QTransform>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace systole {
namespace {

constexpr double margin = 12 * 72 / 25.4, paperWidth = 595, paperHeight = 842; ///< points

/// Letters in points, from the lower left corner of the page.
struct PrintedWord {
    double size, x, baseline;
};
using PrintedPage = std::vector<PrintedWord>;

/// Matrices, fonts and places of words that a page's stream draws; all else is skipped.
PrintedPage pageOf(const QByteArray& stream) {
    PrintedPage page;
    std::vector<QTransform> kept;
    QTransform now, words;
    std::vector<double> numbers;
    double size = 0;
    const auto matrix = [&] {
        const double* const m = numbers.data() + numbers.size() - 6;
        return QTransform(m[0], m[1], m[2], m[3], m[4], m[5]);
    };
    for (const QByteArray& token : stream.simplified().split(' ')) {
        bool isNumber = false;
        const double number = token.toDouble(&isNumber);
        if (isNumber) {
            numbers.push_back(number);
            continue;
        }
        if (token == "q")
            kept.push_back(now);
        else if (token == "Q" && !kept.empty()) {
            now = kept.back();
            kept.pop_back();
        } else if (token == "cm" && numbers.size() >= 6)
            now = matrix() * now;
        else if (token == "Tf")
            size = numbers.back();
        else if (token == "Tm" && numbers.size() >= 6)
            words = matrix();
        else if (token == "Td" && numbers.size() >= 2)
            words = QTransform::fromTranslate(numbers[numbers.size() - 2], numbers.back()) * words;
        else if (token == "Tj") {
            const QTransform all = words * now;
            page.push_back({std::abs(all.m22()) * size, all.dx(), all.dy()});
        }
        if (!token.startsWith('<')) // letters, which stand between numbers and their word
            numbers.clear();
    }
    return page;
}

std::vector<PrintedPage> pagesOf(const std::string& pdf) {
    std::vector<PrintedPage> pages;
    const QByteArray bytes = QByteArray::fromStdString(pdf);
    const QByteArray begin("stream\n"), end("endstream");
    for (qsizetype from = bytes.indexOf(begin); from >= 0; from = bytes.indexOf(begin, from)) {
        from += begin.size();
        const qsizetype to = bytes.indexOf(end, from);
        const QByteArray part = bytes.mid(from, to - from);
        from = to + end.size();
        // Compressed, before which Qt expects the length.
        const QByteArray stream =
            part.startsWith('x') ? qUncompress(QByteArray::fromHex("00100000") + part) : part;
        if (stream.contains(" Tf"))
            pages.push_back(pageOf(stream));
    }
    return pages;
}

std::string tableOf(int rows, const std::string& file) {
    std::vector<std::vector<std::string>> cells{{"input", "file", "SHA-256"}};
    for (int row = 0; row < rows; ++row)
        cells.push_back({fmt::format("motion to frame {}", row), file, std::string(64, 'a')});
    return htmlTable(cells);
}

ReportContent contentOf(std::vector<std::string> blocks) {
    return {.title = "A study: left ventricle",
            .about = "",
            .notice = "Not for diagnosis.",
            .sections = {{.title = "Inputs", .blocks = std::move(blocks)}},
            .foot = "systole"};
}

/// Lines of the tables' size on a page, each counted once.
std::set<int> rowsOn(const PrintedPage& page) {
    std::set<int> rows;
    for (const PrintedWord& word : page)
        if (std::abs(word.size - 8) < 0.01)
            rows.insert(static_cast<int>(std::lround(10 * word.baseline)));
    return rows;
}

TEST(ReportPdf, LettersAreReadableAndAllOfThemAreOnTheirPages) {
    ReportContent content = contentOf({tableOf(30, "field.mha"), "<p>words</p>"});
    Drawing drawing;
    drawing.width = 420;
    drawing.height = 260;
    drawing.texts.push_back({{10, 250}, "250", "#000000", WordsAnchor::Start, 11});
    content.sections.push_back({.title = "Curves", .drawings = {6, drawing}});
    const std::vector<PrintedPage> pages = pagesOf(reportPdf(content));
    ASSERT_GE(pages.size(), 2u);
    std::map<double, int> sizes;
    for (const PrintedPage& page : pages)
        for (const PrintedWord& word : page) {
            ++sizes[std::round(10 * word.size) / 10];
            EXPECT_GE(word.size, 6);
            EXPECT_GT(word.x, margin - 1);
            EXPECT_LT(word.x, paperWidth - margin);
            EXPECT_GT(word.baseline, margin - 1);
            EXPECT_LT(word.baseline, paperHeight - margin);
        }
    const auto usual =
        std::ranges::max_element(sizes, {}, [](const auto& size) { return size.second; });
    EXPECT_DOUBLE_EQ(usual->first, 8);
    EXPECT_GT(sizes[8.5], 0);
}

TEST(ReportPdf, EveryRowIsDrawnOnceAndTheHeadOfATableIsRepeated) {
    constexpr int rows = 200;
    const std::vector<PrintedPage> pages =
        pagesOf(reportPdf(contentOf({tableOf(rows, "field.mha")})));
    ASSERT_GE(pages.size(), 3u);
    std::size_t lines = 0;
    for (const PrintedPage& page : pages)
        lines += rowsOn(page).size();
    EXPECT_EQ(lines, rows + pages.size());
}

TEST(ReportPdf, LongNamesOfFilesAreBrokenSoThatTheyFit) {
    const std::string file = "/folder/" + std::string(150, 'w') + "/field.mha";
    for (const PrintedPage& page : pagesOf(reportPdf(contentOf({tableOf(30, file)}))))
        for (const PrintedWord& word : page)
            EXPECT_LT(word.x, paperWidth - margin);
}

TEST(ReportPdf, EveryPageHasItsNumberAndTheNameOfTheStudy) {
    for (const PrintedPage& page : pagesOf(reportPdf(contentOf({tableOf(200, "field.mha")})))) {
        double left = paperWidth, right = 0;
        for (const PrintedWord& word : page)
            if (std::abs(word.size - 7.5) < 0.01) {
                EXPECT_LT(word.baseline, margin + 5);
                left = std::min(left, word.x);
                right = std::max(right, word.x);
            }
        EXPECT_NEAR(left, margin, 1);
        EXPECT_GT(right, paperWidth - margin - 10);
    }
}

} // namespace
} // namespace systole
