// One line at the right of the menu bar: what just happened. It takes no place from the picture.
#pragma once

#include <QWidget>

#include <functional>
#include <string>

class QLabel;
class QToolButton;

namespace systole {

class Notice : public QWidget {
public:
    /// `showInFolder` gets the path of the file that was written.
    Notice(std::function<void(const std::string&)> showInFolder, QWidget* parent);

    /// Shows the text until it is closed or replaced, shortened to the line; the tooltip has all of
    /// it. With the path of a file, "Show in folder" is offered.
    void show(const std::string& text, const std::string& path = {});
    /// Hides it where it shows this text, which is true no more.
    void withdraw(const std::string& text);
    /// Fills the part of its parent right of x.
    void place(int x);

private:
    QLabel* text_;
    QToolButton* folder_;
    std::string path_;
};

} // namespace systole
