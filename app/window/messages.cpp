// Everything that the window tells the user: bars, notice, log, help.
#include "app/base/version.h"
#include "app/window/key_sheet.h"
#include "app/window/manual.h"
#include "app/window/messages_window.h"
#include "app/window/window.h"
#include "io/base/error.h"

#include <QMenuBar>
#include <QMessageBox>

#include <algorithm>
#include <chrono>
#include <utility>

namespace systole {

void Window::report(Message message) {
    message.time = std::chrono::system_clock::now();
    if (message.severity != Severity::Error) // errors have their own bar
        notice_->show(message.text, message.path);
    log_.add(std::move(message));
    placeNotice();
    if (messagesWindow_)
        messagesWindow_->show(log_);
}

void Window::placeNotice() {
    const QList<QAction*> menus = menuBar()->actions();
    notice_->place(menus.empty() ? 0 : menuBar()->actionGeometry(menus.last()).right() + 8);
}

void Window::fail(const std::string& sentence) {
    session_.message = sentence;
    showStatus();
}

/// Reports what is new in the session.
void Window::followMessages() {
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
        messages_->show(session_.message);
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

void Window::showFileNotes() {
    std::string text;
    for (const std::string& note : notesThatMatter(session_.opened->sequence))
        text += (text.empty() ? "This file – " : "\n") + note;
    fileNotes_->show(text);
}

/// A file was opened: its notes go into the log, and the bar shows those that matter.
void Window::reportFile() {
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

void Window::showMessages() {
    if (!messagesWindow_)
        messagesWindow_ =
            new MessagesWindow([this](const std::string& path) { showInFolder(path); }, this);
    messagesWindow_->show(log_);
    messagesWindow_->show();
    messagesWindow_->raise();
    messagesWindow_->activateWindow();
}

void Window::showManual() {
    try {
        if (!manual_) {
            manual_ = std::make_unique<PagesWindow>(QStringLiteral("Manual"), manualPages());
            manual_->placeBeside(*this);
        }
    } catch (const FileError& error) {
        return fail(error.what());
    }
    manual_->show();
    manual_->raise();
    manual_->activateWindow();
}

void Window::toggleKeySheet() {
    if (keySheet_ && keySheet_->isVisible()) {
        keySheet_->close();
        return;
    }
    keySheet_ = new KeySheet(menus_->keyLines(), this);
    keySheet_->show();
}

void Window::showAbout() {
    QMessageBox::about(
        this, QStringLiteral("About Systole"),
        QStringLiteral("<h3>Systole %1</h3><p>Live estimation and display of cardiac "
                       "motion.</p><p><b>For research and teaching, not for diagnosis.</b></p>"
                       "<p>Apache License 2.0</p>")
            .arg(QString::fromLatin1(programVersion())));
    sinceTick_.restart();
}

} // namespace systole
