#include "app/window/pages_window.h"

#include "io/base/error.h"

#include <QDesktopServices>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QImageReader>
#include <QListWidget>
#include <QScreen>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextCursor>
#include <QTextTable>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace systole {
namespace {

constexpr int listWidth = 250, narrowestList = 120, widestImage = 620;
/// The list takes a quarter of a narrow window.
constexpr int shareOfList = 4;
constexpr int titleBar = 32;
constexpr double screenFraction = 0.8;
constexpr qreal lineHeightPercent = 135;

const QColor headingColor(140, 190, 245), codeGround(48, 51, 58), tableLine(80, 84, 94),
    tableHead(50, 56, 68);

/// Spacing of headings, code and paragraphs.
void spaceLines(QTextDocument& document) {
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        QTextCursor cursor(block);
        QTextBlockFormat format = block.blockFormat();
        const bool code = format.hasProperty(QTextFormat::BlockCodeFence) ||
                          format.hasProperty(QTextFormat::BlockCodeLanguage);
        if (const int level = format.headingLevel(); level > 0) {
            format.setTopMargin(level == 1 ? 0 : 16);
            format.setBottomMargin(8);
            QTextCharFormat letters;
            letters.setForeground(headingColor);
            letters.setFontWeight(QFont::DemiBold);
            cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
            cursor.mergeCharFormat(letters);
        } else if (code) {
            format.setBackground(codeGround);
            format.setLeftMargin(8);
            format.setRightMargin(8);
            format.setBottomMargin(10);
        } else if (!cursor.currentTable()) {
            format.setLineHeight(lineHeightPercent, QTextBlockFormat::ProportionalHeight);
            format.setBottomMargin(block.textList() ? 3 : 9);
        }
        cursor.setBlockFormat(format);
    }
}

/// Background for inline code; images scaled to the page.
void dressFragments(QTextDocument& document, const QDir& folder) {
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next())
        for (auto it = block.begin(); !it.atEnd(); ++it) {
            const QTextFragment fragment = it.fragment();
            QTextCharFormat format = fragment.charFormat();
            QTextCursor cursor(&document);
            cursor.setPosition(fragment.position());
            cursor.setPosition(fragment.position() + fragment.length(), QTextCursor::KeepAnchor);
            if (format.isImageFormat()) {
                QTextImageFormat image = format.toImageFormat();
                if (QImageReader(folder.filePath(image.name())).size().width() > widestImage)
                    image.setWidth(widestImage); // its height follows
                cursor.setCharFormat(image);
            } else if (format.fontFixedPitch()) {
                QTextCharFormat ground;
                ground.setBackground(codeGround);
                cursor.mergeCharFormat(ground);
            }
        }
}

void dressTables(QTextDocument& document) {
    for (QTextFrame* frame : document.rootFrame()->childFrames()) {
        auto* table = qobject_cast<QTextTable*>(frame);
        if (!table)
            continue;
        QTextTableFormat format = table->format();
        format.setBorderCollapse(true);
        format.setBorder(1);
        format.setBorderBrush(tableLine);
        format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
        format.setCellPadding(5);
        format.setCellSpacing(0);
        format.setTopMargin(6);
        format.setBottomMargin(12);
        table->setFormat(format);
        for (int column = 0; column < table->columns(); ++column) {
            QTextTableCell cell = table->cellAt(0, column);
            QTextCharFormat head = cell.format();
            head.setBackground(tableHead);
            cell.setFormat(head);
        }
    }
}

} // namespace

PagesWindow::PagesWindow(const QString& title, std::vector<Page> pages)
    : QDialog(nullptr, Qt::Window), pages_(std::move(pages)) {
    setAttribute(Qt::WA_QuitOnClose, false);
    setWindowTitle(title);
    setObjectName(title.toLower());
    resize(1000, 760);
    list_ = new QListWidget(this);
    list_->setWordWrap(true);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setStyleSheet(QStringLiteral("QListWidget { border: none; padding: 6px; }"
                                        "QListWidget::item { padding: 7px 6px; }"));
    for (const Page& page : pages_)
        (new QListWidgetItem(page.title, list_))->setToolTip(page.tooltip);
    page_ = new QTextBrowser(this);
    page_->setOpenLinks(false);
    page_->setFrameShape(QFrame::NoFrame);
    QFont font = page_->document()->defaultFont();
    font.setPointSizeF(11);
    page_->document()->setDefaultFont(font);
    page_->document()->setDocumentMargin(pageMargin);
    column_ = new QVBoxLayout;
    column_->addWidget(page_, 1);
    auto* all = new QHBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(list_);
    all->addLayout(column_, 1);
    connect(list_, &QListWidget::currentRowChanged, this, [this] { showPage(); });
    connect(page_, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) { follow(link); });
    list_->setCurrentRow(0);
}

PagesWindow::~PagesWindow() {
    // The list is deleted last, when there is no page any more that its signals could show.
    list_->disconnect(this);
    page_->disconnect(this);
}

void PagesWindow::resizeEvent(QResizeEvent* event) {
    list_->setFixedWidth(std::clamp(width() / shareOfList, narrowestList, listWidth));
    QDialog::resizeEvent(event);
}

void PagesWindow::placeBeside(const QWidget& other) {
    const QRect room = other.screen()->availableGeometry(), taken = other.frameGeometry();
    const int right = room.right() - taken.right(), left = taken.left() - room.left();
    const int beside = std::max(left, right);
    if (beside < minWidth) { // overlapping, but leaving part of it visible
        resize(size().boundedTo(room.size() * screenFraction));
        return;
    }
    resize(std::min(width(), beside), std::min(height(), room.height() - titleBar));
    move(right >= left ? taken.topRight() + QPoint(1, 0) : taken.topLeft() - QPoint(width(), 0));
}

std::size_t PagesWindow::current() const {
    return static_cast<std::size_t>(std::max(0, list_->currentRow()));
}

void PagesWindow::choose(std::size_t page) { list_->setCurrentRow(static_cast<int>(page)); }

/// A page of the list is shown here and a place on it scrolled to; everything else is the
/// desktop's.
void PagesWindow::follow(const QUrl& link) {
    const QDir folder = QFileInfo(pages_[current()].path()).absoluteDir();
    const auto page = std::ranges::find_if(
        pages_, [&](const Page& each) { return QFileInfo(each.path()).fileName() == link.path(); });
    if (page != pages_.end())
        choose(static_cast<std::size_t>(page - pages_.begin()));
    else if (!link.isRelative())
        QDesktopServices::openUrl(link);
    else if (!link.path().isEmpty())
        QDesktopServices::openUrl(QUrl::fromLocalFile(folder.filePath(link.path())));
    page_->scrollToAnchor(link.fragment());
}

void PagesWindow::showPage() {
    QTextDocument& document = *page_->document();
    QDir folder;
    try {
        const QString path = pages_[current()].path();
        folder = QFileInfo(path).absoluteDir();
        QFile file(path);
        if (!file.open(QIODevice::ReadOnly))
            throw FileError(path.toStdString() + ": " + file.errorString().toStdString());
        page_->setSearchPaths({folder.path()});
        document.setMarkdown(QString::fromUtf8(file.readAll()),
                             QTextDocument::MarkdownDialectGitHub);
    } catch (const FileError& error) {
        document.setPlainText(QString::fromUtf8(error.what()));
    }
    spaceLines(document);
    dressFragments(document, folder);
    dressTables(document);
    page_->moveCursor(QTextCursor::Start); // keeps the beginning in view
    pageShown();
}

} // namespace systole
