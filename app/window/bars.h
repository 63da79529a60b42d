// Two strips above the picture that don't stop anybody: what went wrong, and what is being loaded.
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

    /// Stays until it is closed or another message comes; an empty one hides it.
    void show(const std::string& sentence);
    std::string text() const;

private:
    QLabel* text_;
};

class LoadingBar : public QFrame {
public:
    explicit LoadingBar(std::function<void()> cancel, QWidget* parent = nullptr);

    /// `fraction` below 0: how far it is isn't known. `secondsLeft` below 0: not known.
    void show(const std::string& phase, double fraction, double secondsLeft);

private:
    QLabel* text_;
    QProgressBar* bar_;
};

} // namespace systole
