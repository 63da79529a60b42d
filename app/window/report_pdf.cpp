#include "app/window/report_pdf.h"

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

namespace systole {
namespace {

// Pixels of the layout, which is scaled to the page.
constexpr double pageWidth = 1000, gap = 12, titleSize = 20, headingSize = 14, textSize = 11;
constexpr double marginMillimeters = 12;
constexpr int dotsPerInch = 1200;
constexpr const char* fontName = "DejaVu Sans";
constexpr const char* ink = "#222222";
constexpr const char* blockStyle =
    "p{margin:3px 0}table{margin:2px 0}th,td{padding:1px 5px 1px 0;text-align:right}"
    "td{white-space:nowrap}th.first,td.first{text-align:left}";

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
            pen.setDashPattern({6 / line.width, 4 / line.width}); // in widths
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

/// From top to bottom; without a painter it only measures.
class Layout {
public:
    explicit Layout(QPainter* painter) : painter_(painter) {}

    double add(const StrainReportContent& content) {
        addText(content.title, titleSize, true, ink);
        if (!content.about.empty())
            addText(content.about, textSize, false, ink);
        addText(content.notice, headingSize, true, "#c0392b");
        for (const ReportSection& section : content.sections)
            addSection(section, pageWidth);
        addText(content.foot, textSize, false, ink);
        return y_;
    }
    /// Of what was added: more than pageWidth where words of a table need it.
    double widest() const { return widest_; }

private:
    static std::unique_ptr<QTextDocument> document(const std::string& html) {
        auto made = std::make_unique<QTextDocument>();
        made->setDefaultFont(fontOf(textSize));
        made->setDocumentMargin(0);
        QTextOption option; // by default words may be broken
        option.setWrapMode(QTextOption::WordWrap);
        made->setDefaultTextOption(option);
        made->setDefaultStyleSheet(QString::fromLatin1(blockStyle));
        made->setHtml(textOf(html));
        return made;
    }

    void addText(const std::string& text, double size, bool bold, const char* color) {
        const QFont font = fontOf(size, bold);
        const QFontMetricsF metrics(font);
        if (painter_) {
            painter_->setFont(font);
            painter_->setPen(QColor(QString::fromLatin1(color)));
            painter_->drawText(QPointF(left_, y_ + metrics.ascent()), textOf(text));
        }
        y_ += metrics.height();
    }

    void addSection(const ReportSection& section, double width) {
        y_ += gap / 2;
        addText(section.title, headingSize, true, ink);
        for (const ReportPicture& picture : section.pictures)
            addPicture(picture, width);
        addDrawings(section.drawings, width);
        for (const std::string& block : section.blocks)
            addBlock(block, width);
    }

    void addBlock(const std::string& block, double width) {
        const auto made = document(block);
        made->setTextWidth(width);
        if (painter_) {
            painter_->save();
            painter_->translate(left_, y_);
            // Else words have the color of the window's, which are white on dark.
            QAbstractTextDocumentLayout::PaintContext context;
            context.palette.setColor(QPalette::Text, QColor(QString::fromLatin1(ink)));
            made->documentLayout()->draw(painter_, context);
            painter_->restore();
        }
        y_ += made->size().height();
        widest_ = std::max(widest_, left_ + made->size().width());
    }

    void addPicture(const ReportPicture& picture, double width) {
        const double scale = std::min(1.0, width / picture.width);
        if (painter_)
            painter_->drawImage(QRectF(left_, y_, scale * picture.width, scale * picture.height),
                                QImage::fromData(QByteArray::fromStdString(picture.png), "PNG"));
        y_ += scale * picture.height;
        addBlock("<p>" + textOf(picture.caption).toHtmlEscaped().toStdString() + "</p>", width);
    }

    /// Side by side, scaled alike so that they fill the width.
    void addDrawings(const std::vector<Drawing>& drawings, double width) {
        if (drawings.empty())
            return;
        double wide = 0, high = 0;
        for (const Drawing& drawing : drawings) {
            wide += drawing.width;
            high = std::max(high, drawing.height);
        }
        const double gaps = gap * static_cast<double>(drawings.size() - 1);
        const double scale = std::min(1.0, (width - gaps) / wide);
        double x = left_;
        for (const Drawing& drawing : drawings) {
            if (painter_) {
                painter_->save();
                painter_->translate(x, y_);
                painter_->scale(scale, scale);
                draw(drawing, *painter_);
                painter_->restore();
            }
            x += scale * drawing.width + gap;
        }
        y_ += scale * high;
    }

    QPainter* painter_;
    double left_ = 0, y_ = 0, widest_ = pageWidth;
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

std::string strainReportPdf(const StrainReportContent& content) {
    int argc = 3;
    char program[] = "systole", option[] = "-platform", platform[] = "offscreen";
    char* argv[] = {program, option, platform, nullptr};
    std::optional<QGuiApplication> application;
    if (!QCoreApplication::instance()) {
        // Of the user's session, of which nothing is needed here.
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
        QPainter painter(&writer);
        Layout measured(nullptr);
        const double height = measured.add(content), width = measured.widest();
        const double scale = std::min(writer.width() / width, writer.height() / height);
        painter.translate((writer.width() - scale * width) / 2, 0);
        painter.scale(scale, scale);
        Layout(&painter).add(content);
    }
    QHashSeed::resetRandomGlobalSeed();
    removeTime(bytes);
    return bytes.toStdString();
}

} // namespace systole
