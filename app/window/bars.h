// Two non-modal bars above the picture: error message, and loading progress.
#pragma once

#include <QFrame>

#include <functional>
#include <string>

class QLabel;
class QProgressBar;

namespace systole {

class MessageBar : public QFrame {
public:
    explicit MessageBar(QWidget* parent = nullptr);

    /// Shows the message until it is closed or replaced; an empty one hides the bar.
    void show(const std::string& sentence);
    std::string text() const;

private:
    QLabel* text_;
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
