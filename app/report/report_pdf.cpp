#include "app/report/report_pdf.h"

#include "app/base/web_page.h"
#include "app/report/page_pieces.h"

#include <QAbstractTextDocumentLayout>
#include <QBuffer>
#include <QGuiApplication>
#include <QHashSeed>
#include <QImage>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QTextDocument>
#include <QTextOption>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

namespace systole {
namespace {

// Lengths of the layout in tenths of a point, since a font size is a whole number.
constexpr double point = 10, millimeter = 72 / 25.4 * point;
constexpr double marginMillimeters = 12;
constexpr double pageWidth = (210 - 2 * marginMillimeters) * millimeter,
                 paperHeight = (297 - 2 * marginMillimeters) * millimeter,
                 pageHeight = paperHeight - 16 * point; ///< height of the content above the foot
constexpr double gap = 10 * point, titleSize = 14 * point, headingSize = 11 * point,
                 textSize = 8.5 * point, footSize = 7.5 * point;
constexpr double highestPicture = 0.45 * pageHeight, longestKept = 0.4 * pageHeight;
// Size of a drawing's pixel; its letters are 11 to 13 pixels high.
constexpr double usualScale = 0.61 * point, smallestScale = 0.52 * point;
constexpr int dotsPerInch = 1200;
constexpr const char* fontName = "DejaVu Sans";
constexpr const char* ink = "#222222";
constexpr const char* blockStyle = "p{margin:20px 0}table{margin:20px 0}"
                                   "th,td{font-size:80px;padding:8px 40px 8px 0;text-align:right}"
                                   "th.first,td.first{text-align:left}";

QString textOf(const std::string& text) { return QString::fromStdString(text); }

QFont fontOf(double pixels, bool bold = false) {
    QFont font(QString::fromLatin1(fontName));
    font.setPixelSize(static_cast<int>(pixels));
    font.setBold(bold);
    return font;
}

QPolygonF polygonOf(const std::vector<DrawingPoint>& points) {
    QPolygonF polygon;
    for (const DrawingPoint& point : points)
        polygon << QPointF(point.x, point.y);
    return polygon;
}

void draw(const Drawing& drawing, QPainter& painter) {
    for (const DrawnArea& area : drawing.areas) {
        painter.setPen(QPen(QColor(textOf(area.edge)), 1));
        painter.setBrush(QColor(textOf(area.color)));
        painter.drawPolygon(polygonOf(area.outline));
    }
    painter.setBrush(Qt::NoBrush);
    for (const DrawnLine& line : drawing.lines) {
        QPen pen(QColor(textOf(line.color)), line.width, Qt::SolidLine, Qt::FlatCap);
        if (line.dashed)
            pen.setDashPattern({6 / line.width, 4 / line.width}); // multiples of the line's width
        painter.setPen(pen);
        painter.drawPolyline(polygonOf(line.points));
    }
    for (const DrawnText& text : drawing.texts) {
        painter.setFont(fontOf(text.size));
        painter.setPen(QColor(textOf(text.color)));
        const QString words = textOf(text.text);
        const double width = QFontMetricsF(painter.font()).horizontalAdvance(words),
                     before = text.anchor == WordsAnchor::Start    ? 0
                              : text.anchor == WordsAnchor::Middle ? width / 2
                                                                   : width;
        painter.drawText(QPointF(text.at.x - before, text.at.y), words);
    }
}

/// Font size, weight and color of a text.
struct Look {
    double size = textSize;
    bool bold = false;
    const char* color = ink;
};
constexpr Look titleLook{titleSize, true}, headingLook{headingSize, true},
    noticeLook{headingSize, true, "#c0392b"};

std::unique_ptr<QTextDocument> document(const std::string& html, const Look& look,
                                        QTextOption::WrapMode wrap, const QString& style) {
    auto made = std::make_unique<QTextDocument>();
    made->setDefaultFont(fontOf(look.size, look.bold));
    made->setDocumentMargin(0);
    QTextOption option;
    option.setWrapMode(wrap);
    made->setDefaultTextOption(option);
    made->setDefaultStyleSheet(style);
    made->setHtml(textOf(html));
    made->setTextWidth(pageWidth);
    return made;
}

/// A document as wide as the page. Words are broken only if a table is too wide otherwise, because
/// of long file names.
std::unique_ptr<QTextDocument> document(const std::string& html, const Look& look = {}) {
    const QString style = QString::fromLatin1(blockStyle);
    auto made = document(html, look, QTextOption::WordWrap,
                         style + QStringLiteral("td{white-space:nowrap}"));
    if (made->size().width() <= pageWidth + 1)
        return made;
    return document(html, look, QTextOption::WrapAtWordBoundaryOrAnywhere, style);
}

std::string paragraph(const std::string& words) { return "<p>" + htmlEscaped(words) + "</p>"; }

double scaleOf(const ReportPicture& picture) {
    return std::min(pageWidth / picture.width, highestPicture / picture.height);
}

/// Drawings side by side.
struct DrawingRow {
    std::size_t first = 0, last = 0; ///< indices of its drawings, `last` excluded
    double scale = 1, height = 0;
};

/// All in one row where their letters stay readable, else as many in a row as have room.
std::vector<DrawingRow> rowsOf(const std::vector<Drawing>& drawings) {
    double wide = 0;
    for (const Drawing& drawing : drawings)
        wide += drawing.width;
    const double gaps = gap * static_cast<double>(drawings.size() - 1);
    const double one = (pageWidth - gaps) / wide;
    const double scale = one < smallestScale ? usualScale : std::min(one, usualScale);
    std::vector<DrawingRow> rows;
    double x = 0;
    for (std::size_t i = 0; i < drawings.size(); ++i) {
        const double width = scale * drawings[i].width;
        if (rows.empty() || x + width > pageWidth + 1) {
            rows.push_back({i, i, scale, 0});
            x = 0;
        }
        x += width + gap;
        rows.back().last = i + 1;
        rows.back().height = std::max(rows.back().height, scale * drawings[i].height);
    }
    return rows;
}

/// Lays out content from top to bottom, page after page; without a painter it only counts pages.
class Pages {
public:
    Pages(QPdfWriter& writer, QPainter* painter, int count)
        : writer_(writer), painter_(painter), count_(count) {}

    int add(const ReportContent& content) {
        name_ = textOf(content.title);
        addText(paragraph(content.title), titleLook);
        if (!content.about.empty())
            addText(paragraph(content.about));
        addText(paragraph(content.notice), noticeLook);
        for (const ReportSection& section : content.sections)
            addSection(section);
        addText(paragraph(content.foot));
        drawFoot();
        return page_;
    }

private:
    /// Room of this height, on the next page where this one has none.
    void need(double height) {
        if (y_ <= 0 || y_ + height <= pageHeight)
            return;
        drawFoot();
        if (painter_)
            writer_.newPage();
        ++page_;
        y_ = 0;
    }

    void drawFoot() {
        if (!painter_)
            return;
        const QFont font = fontOf(footSize);
        const QFontMetricsF metrics(font);
        const QString number = QStringLiteral("page %1 of %2").arg(page_).arg(count_);
        const double y = paperHeight - metrics.descent(), right = metrics.horizontalAdvance(number);
        painter_->setFont(font);
        painter_->setPen(QColor(QString::fromLatin1(ink)));
        painter_->drawText(QPointF(0, y),
                           metrics.elidedText(name_, Qt::ElideMiddle, pageWidth - right - 2 * gap));
        painter_->drawText(QPointF(pageWidth - right, y), number);
    }

    void addSection(const ReportSection& section) {
        if (y_ > 0)
            y_ += gap;
        const std::string title = paragraph(section.title);
        need(document(title, headingLook)->size().height() + beginningOf(section));
        addText(title, headingLook);
        for (const ReportPicture& picture : section.pictures)
            addPicture(picture);
        if (!section.drawings.empty())
            for (const DrawingRow& row : rowsOf(section.drawings))
                addDrawings(section.drawings, row);
        for (const std::string& block : section.blocks)
            addText(block);
    }

    /// The height of what stays with the title of a section.
    static double beginningOf(const ReportSection& section) {
        if (!section.pictures.empty())
            return heightOf(section.pictures.front());
        if (!section.drawings.empty())
            return rowsOf(section.drawings).front().height;
        if (section.blocks.empty())
            return 0;
        return beginningOf(pagePieces(*document(section.blocks.front())));
    }
    /// A short text stays whole.
    static double beginningOf(const std::vector<PagePiece>& pieces) {
        constexpr std::size_t together = 3; // lines, or rows
        if (pieces.empty() || pieces.back().bottom <= longestKept)
            return pieces.empty() ? 0 : pieces.back().bottom;
        return pieces[std::min(together, pieces.size()) - 1].bottom;
    }

    void addText(const std::string& html, const Look& look = {}) {
        const auto text = document(html, look);
        const std::vector<PagePiece> pieces = pagePieces(*text);
        need(beginningOf(pieces));
        for (std::size_t i = 0; i < pieces.size();) {
            const auto isHead = [&](std::size_t piece) {
                return piece + 1 < pieces.size() && pieces[piece + 1].head == piece;
            };
            need(pieces[i].height() + (isHead(i) ? pieces[i + 1].height() : 0));
            if (const std::size_t head = pieces[i].head; y_ <= 0 && head != i)
                drawPart(*text, look, pieces[head].top, pieces[head].bottom);
            std::size_t end = i + 1;
            while (end < pieces.size() && y_ + pieces[end].bottom - pieces[i].top <= pageHeight)
                ++end;
            if (end - 1 > i && isHead(end - 1))
                --end; // its rows are on the next page
            drawPart(*text, look, pieces[i].top, pieces[end - 1].bottom);
            i = end;
        }
    }

    void drawPart(const QTextDocument& text, const Look& look, double from, double to) {
        if (painter_) {
            painter_->save();
            painter_->translate(0, y_ - from);
            const QRectF part(0, from, pageWidth, to - from);
            painter_->setClipRect(part);
            // Else words have the color of the window's, which are white on dark.
            QAbstractTextDocumentLayout::PaintContext context;
            context.palette.setColor(QPalette::Text, QColor(QString::fromLatin1(look.color)));
            context.clip = part;
            text.documentLayout()->draw(painter_, context);
            painter_->restore();
        }
        y_ += to - from;
    }

    static double heightOf(const ReportPicture& picture) {
        return scaleOf(picture) * picture.height +
               document(paragraph(picture.caption))->size().height();
    }

    void addPicture(const ReportPicture& picture) {
        need(heightOf(picture));
        const double scale = scaleOf(picture);
        if (painter_)
            painter_->drawImage(QRectF(0, y_, scale * picture.width, scale * picture.height),
                                QImage::fromData(QByteArray::fromStdString(picture.png), "PNG"));
        y_ += scale * picture.height;
        addText(paragraph(picture.caption));
    }

    void addDrawings(const std::vector<Drawing>& drawings, const DrawingRow& row) {
        need(row.height);
        double x = 0;
        for (std::size_t i = row.first; i < row.last; ++i) {
            if (painter_) {
                painter_->save();
                painter_->translate(x, y_);
                painter_->scale(row.scale, row.scale);
                draw(drawings[i], *painter_);
                painter_->restore();
            }
            x += row.scale * drawings[i].width + gap;
        }
        y_ += row.height + gap / 2;
    }

    QPdfWriter& writer_;
    QPainter* painter_;
    int count_, page_ = 1;
    QString name_;
    double y_ = 0;
};

/// Qt writes the time into the file.
void removeTime(QByteArray& pdf) {
    static const QByteArray key("/CreationDate (");
    const qsizetype from = pdf.indexOf(key);
    if (from < 0)
        return;
    const qsizetype begin = from + key.size() - 1, end = pdf.indexOf(')', begin);
    std::fill(pdf.begin() + from, pdf.begin() + end + 1, ' ');
}

} // namespace

std::string reportPdf(const ReportContent& content) {
    int argc = 3;
    char program[] = "systole", option[] = "-platform", platform[] = "offscreen";
    char* argv[] = {program, option, platform, nullptr};
    std::optional<QGuiApplication> application;
    if (!QCoreApplication::instance()) {
        // Qt's messages about the user's session don't matter here.
        const auto usual =
            qInstallMessageHandler([](QtMsgType, const QMessageLogContext&, const QString&) {});
        application.emplace(argc, argv);
        qInstallMessageHandler(usual);
    }
    QByteArray bytes;
    QHashSeed::setDeterministicGlobalSeed(); // the order of the fonts in the file
    {
        QBuffer buffer(&bytes);
        buffer.open(QIODevice::WriteOnly);
        QPdfWriter writer(&buffer);
        writer.setTitle(textOf(content.title));
        writer.setCreator(QStringLiteral("systole"));
        writer.setResolution(dotsPerInch);
        writer.setPageSize(QPageSize(QPageSize::A4));
        writer.setPageMargins(
            QMarginsF(marginMillimeters, marginMillimeters, marginMillimeters, marginMillimeters),
            QPageLayout::Millimeter);
        const int count = Pages(writer, nullptr, 0).add(content);
        QPainter painter(&writer);
        constexpr double scale = dotsPerInch / (72 * point);
        painter.scale(scale, scale);
        Pages(writer, &painter, count).add(content);
    }
    QHashSeed::resetRandomGlobalSeed();
    removeTime(bytes);
    return bytes.toStdString();
}

} // namespace systole
