#include "app/window/messages_window.h"

#include "app/window/screen_fit.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollBar>
#include <QTextBrowser>
#include <QUrl>
#include <QVBoxLayout>

#include <utility>

namespace systole {
namespace {

const char* colorOf(Severity severity) {
    switch (severity) {
    case Severity::Note:
        return "#9aa0aa";
    case Severity::Warning:
        return "#f2b84b";
    case Severity::Error:
        return "#ff7864";
    }
    return "";
}

QString line(const Message& message) {
    QString html = QStringLiteral("<p style='margin:2px'><span style='color:#9aa0aa'>%1</span> "
                                  "<b style='color:%2'>%3</b> %4")
                       .arg(QString::fromStdString(clockText(message.time)),
                            QString::fromLatin1(colorOf(message.severity)),
                            QString::fromLatin1(name(message.severity)),
                            QString::fromStdString(message.text).toHtmlEscaped());
    if (!message.path.empty())
        html += QStringLiteral(" <a style='color:#7ab8f5' href='%1'>Show in folder</a>")
                    .arg(QString::fromUtf8(
                        QUrl::fromLocalFile(QString::fromStdString(message.path)).toEncoded()));
    return html + QStringLiteral("</p>");
}

} // namespace

MessagesWindow::MessagesWindow(std::function<void(const std::string&)> showInFolder,
                               QWidget* parent)
    : QDialog(parent), text_(new QTextBrowser(this)) {
    setWindowTitle(QStringLiteral("Messages"));
    resize(sizeOnScreen({720, 360}, *this));
    text_->setOpenLinks(false);
    connect(text_, &QTextBrowser::anchorClicked, this,
            [showInFolder = std::move(showInFolder)](const QUrl& file) {
                showInFolder(file.toLocalFile().toStdString());
            });
    auto* copy = new QPushButton(QStringLiteral("Copy all"), this);
    connect(copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(QString::fromStdString(plain_)); });
    auto* close = new QPushButton(QStringLiteral("Close"), this);
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch(1);
    buttons->addWidget(copy);
    buttons->addWidget(close);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(text_, 1);
    layout->addLayout(buttons);
}

void MessagesWindow::show(const MessageLog& log) {
    if (std::exchange(shown_, log.added()) == log.added())
        return;
    QString html;
    for (const Message& message : log.messages())
        html += line(message);
    text_->setHtml(html);
    text_->verticalScrollBar()->setValue(text_->verticalScrollBar()->maximum());
    plain_ = log.text();
}

} // namespace systole
