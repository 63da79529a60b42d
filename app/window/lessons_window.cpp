#include "app/window/lessons_window.h"

#include "app/lab/lessons.h"
#include "app/live/session.h"
#include "io/error.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QImageReader>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
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

constexpr int listWidth = 250, pageMargin = 26, widestImage = 620;
constexpr int minWidth = 560, minHeight = 190; ///< minimum for a readable page
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

/// Of the experiment that the Bias panel runs.
QString biasText(const BiasStatus& status) {
    if (status.run == 0)
        return QStringLiteral("The experiment hasn't been run yet.");
    if (!status.failure.empty())
        return QString::fromStdString(status.failure).toHtmlEscaped();
    const QString headline = QString::fromStdString(biasHeadline(status)).toHtmlEscaped();
    return status.running ? QStringLiteral("Running the experiment: %1 %<br>%2")
                                .arg(static_cast<int>(100 * status.fraction))
                                .arg(headline)
                          : headline;
}

QString answerText(const Lesson& lesson, const Session& session) {
    if (!lesson.experiment)
        return biasText(session.bias.status);
    const LabSession& lab = session.lab;
    if (lab.lesson != lesson.number || lab.asked == 0)
        return QStringLiteral("The experiment hasn't been run yet.");
    const LabStatus& status = lab.status;
    if (status.busy || status.answered != lab.asked)
        return QStringLiteral("Running the experiment: %1 %")
            .arg(static_cast<int>(100 * status.fraction));
    if (!status.failure.empty())
        return QString::fromStdString(status.failure).toHtmlEscaped();
    if (!status.answer)
        return QStringLiteral("Cancelled.");
    return QStringLiteral("%1<br><span style='color:#9aa0aa'>%2</span>")
        .arg(QString::fromStdString(lesson.headline(*status.answer)).toHtmlEscaped(),
             QString::fromStdString(status.answer->source).toHtmlEscaped());
}

} // namespace

LessonsWindow::LessonsWindow(std::function<void(const Lesson&)> run)
    : QDialog(nullptr, Qt::Window), runLesson_(std::move(run)) {
    setAttribute(Qt::WA_QuitOnClose, false);
    setWindowTitle(QStringLiteral("Lessons"));
    setObjectName(QStringLiteral("lessons"));
    resize(1000, 760);
    list_ = new QListWidget(this);
    list_->setFixedWidth(listWidth);
    list_->setWordWrap(true);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setStyleSheet(QStringLiteral("QListWidget { border: none; padding: 6px; }"
                                        "QListWidget::item { padding: 7px 6px; }"));
    for (const Lesson& lesson : lessons()) {
        auto* item = new QListWidgetItem(
            QStringLiteral("%1  %2").arg(lesson.number).arg(QString::fromStdString(lesson.title)),
            list_);
        item->setToolTip(QString::fromStdString(lesson.question));
    }
    page_ = new QTextBrowser(this);
    page_->setOpenExternalLinks(true);
    page_->setFrameShape(QFrame::NoFrame);
    QFont font = page_->document()->defaultFont();
    font.setPointSizeF(11);
    page_->document()->setDefaultFont(font);
    page_->document()->setDocumentMargin(pageMargin);
    answer_ = new QLabel(this);
    answer_->setWordWrap(true);
    answer_->setTextFormat(Qt::RichText);
    answer_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    run_ = new QPushButton(QStringLiteral("Run this experiment"), this);
    run_->setToolTip(QStringLiteral("Run it in its panel and show its answer here"));
    run_->setDefault(true);

    auto* below = new QHBoxLayout;
    below->setContentsMargins(pageMargin, 8, 16, 12);
    below->addWidget(answer_, 1);
    below->addSpacing(16);
    below->addWidget(run_, 0, Qt::AlignVCenter);
    auto* right = new QVBoxLayout;
    right->addWidget(page_, 1);
    right->addLayout(below);
    auto* all = new QHBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(list_);
    all->addLayout(right, 1);
    connect(list_, &QListWidget::currentRowChanged, this, [this] { showPage(); });
    connect(run_, &QPushButton::clicked, this, [this] { runLesson_(lesson(number())); });
    list_->setCurrentRow(0);
}

void LessonsWindow::placeBeside(const QWidget& other) {
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

bool LessonsWindow::leaveInSight(const QRect& curves, const QRect& above) {
    if (!frameGeometry().intersects(curves))
        return true;
    const QSize frame = frameGeometry().size() - size();
    const QSize room = above.size() - frame;
    if (room.width() < minWidth || room.height() < minHeight)
        return false;
    resize(size().boundedTo(room));
    move(above.topLeft());
    return true;
}

int LessonsWindow::number() const {
    return lessons()[static_cast<std::size_t>(std::max(0, list_->currentRow()))].number;
}

void LessonsWindow::open(int number) {
    for (std::size_t i = 0; i < lessons().size(); ++i)
        if (lessons()[i].number == number)
            list_->setCurrentRow(static_cast<int>(i));
}

void LessonsWindow::showPage() {
    QTextDocument& document = *page_->document();
    QDir folder;
    try {
        const QString path = QString::fromStdString(lessonPath(lesson(number())).string());
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
    answer_->clear();
}

void LessonsWindow::showAnswer(const Session& session) {
    const QString text = answerText(lesson(number()), session);
    if (answer_->text() != text)
        answer_->setText(text);
}

} // namespace systole
