#include "app/window/messages.h"

#include "app/feature/tools.h"
#include "app/window/bars.h"
#include "app/window/messages_window.h"
#include "app/window/notice.h"

#include <QDesktopServices>
#include <QFileInfo>
#include <QMainWindow>
#include <QMenuBar>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>
#include <chrono>
#include <utility>

namespace systole {

Messages::Messages(QMainWindow& window, Session& session, const Tools& tools, QVBoxLayout& column)
    : window_(window)
    , session_(session)
    , tools_(tools)
    , failures_(new MessageBar(
          Severity::Error, [this] { showWindow(); }, column.parentWidget()))
    , fileNotes_(new MessageBar(
          Severity::Warning, [this] { showWindow(); }, column.parentWidget())) {
    column.addWidget(failures_);
    column.addWidget(fileNotes_);
}

void Messages::addNotice() {
    notice_ =
        new Notice([this](const std::string& path) { showInFolder(path); }, window_.menuBar());
}

void Messages::closeWindow() { delete messagesWindow_; }

void Messages::report(Message message) {
    message.time = std::chrono::system_clock::now();
    if (message.severity != Severity::Error) // errors have their own bar
        notice_->show(message.text, message.path);
    log_.add(std::move(message));
    placeNotice();
    if (messagesWindow_)
        messagesWindow_->show(log_);
}

void Messages::placeNotice() {
    if (!notice_)
        return;
    const QList<QAction*> menus = window_.menuBar()->actions();
    notice_->place(menus.empty() ? 0 : window_.menuBar()->actionGeometry(menus.last()).right() + 8);
}

void Messages::follow() {
    struct Said {
        Severity severity;
        std::string from, text;
    };
    const PipelineStatus &left = session_.estimation, &right = session_.right.estimation;
    std::vector<Said> all{{Severity::Error, "", session_.message},
                          {Severity::Error, "Estimation: ", left.message},
                          {Severity::Warning, "", left.fallback},
                          {Severity::Warning, "", left.residualWarning},
                          {Severity::Error, "Estimation of the right side: ", right.message},
                          {Severity::Warning, "Right side: ", right.fallback},
                          {Severity::Warning, "Right side: ", right.residualWarning}};
    for (const ToolMessage& message : tools_.messages())
        all.push_back({Severity::Warning, message.from, message.text});
    told_.resize(all.size());
    if (session_.message != told_.front())
        failures_->show(session_.message);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto& [severity, from, text] = all[i];
        const std::string before = std::exchange(told_[i], text);
        if (text.empty() && !before.empty())
            notice_->withdraw(from + before);
        else if (text != before)
            report({.severity = severity, .text = from + text});
    }
    const std::string outcome = std::exchange(session_.cycle.outcome, {});
    if (!outcome.empty())
        report({.severity = session_.cycle.discarded > 0 ? Severity::Warning : Severity::Note,
                .text = outcome});
}

void Messages::showFileNotes() {
    std::string text;
    for (const std::string& note : notesThatMatter(session_.opened->sequence))
        text += (text.empty() ? "This file – " : "\n") + note;
    fileNotes_->show(text);
}

void Messages::renewFileNotes() {
    if (!fileNotes_->isHidden())
        showFileNotes();
}

void Messages::reportFile() {
    const Sequence& sequence = session_.opened->sequence;
    const std::vector<std::string> matter = notesThatMatter(sequence);
    const auto now = std::chrono::system_clock::now();
    log_.add({now, Severity::Note, "Opened " + session_.opened->paths.front()});
    for (const std::string& note : sequence.notes) {
        const bool matters = std::ranges::find(matter, note) != matter.end();
        log_.add(
            {now, matters ? Severity::Warning : Severity::Note, sequence.title() + ": " + note});
    }
    notice_->hide(); // it was about the file before
    showFileNotes();
    if (messagesWindow_)
        messagesWindow_->show(log_);
}

void Messages::showWindow() {
    if (!messagesWindow_)
        messagesWindow_ =
            new MessagesWindow([this](const std::string& path) { showInFolder(path); }, &window_);
    messagesWindow_->show(log_);
    messagesWindow_->show();
    messagesWindow_->raise();
    messagesWindow_->activateWindow();
}

void Messages::saved(const std::string& what, const std::string& path) {
    const QString absolute = QFileInfo(QString::fromStdString(path)).absoluteFilePath();
    report({.severity = Severity::Note,
            .text = what + " saved: " + absolute.toStdString(),
            .path = absolute.toStdString()});
}

void Messages::showInFolder(const std::string& path) {
    const QString folder = QFileInfo(QString::fromStdString(path)).absolutePath();
    if (openFolderWith)
        openFolderWith(folder.toStdString());
    else if (!QDesktopServices::openUrl(QUrl::fromLocalFile(folder)))
        report({.severity = Severity::Warning,
                .text = "No program opened the folder " + folder.toStdString() +
                        "; 'xdg-open' names the one that should."});
}

} // namespace systole
