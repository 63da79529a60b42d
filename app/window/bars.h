// Non-modal bars above the picture: messages, and loading progress.
#pragma once

#include "app/session/message_log.h"

#include <QFrame>

#include <functional>
#include <string>

class QLabel;
class QProgressBar;
class QToolButton;

namespace systole {

class MessageBar : public QFrame {
public:
    /// Its object name is "messageBar" for errors, "noteBar" otherwise. `showAll` is called when
    /// the user wants to read what doesn't fit.
    MessageBar(Severity severity, std::function<void()> showAll, QWidget* parent = nullptr);

    /// Shows the message, wrapped and its paths shortened, until it is closed or replaced; an empty
    /// one hides the bar.
    void show(const std::string& message);
    std::string text() const;

private:
    QLabel* text_;
    QToolButton* all_; ///< shown if the message was shortened
};

class LoadingBar : public QFrame {
public:
    explicit LoadingBar(std::function<void()> cancel, QWidget* parent = nullptr);

    /// `fraction` or `secondsLeft` below 0: unknown.
    void show(const std::string& phase, double fraction, double secondsLeft);

private:
    QLabel* text_;
    QProgressBar* bar_;
};

} // namespace systole
