// Help, Messages: everything that the program told, to read and copy.
#pragma once

#include "app/session/message_log.h"

#include <QDialog>

#include <functional>
#include <string>

class QTextBrowser;

namespace systole {

class MessagesWindow : public QDialog {
public:
    /// `showInFolder` gets the path of a file whose folder the user wants to see.
    MessagesWindow(std::function<void(const std::string&)> showInFolder, QWidget* parent);

    /// Shows new messages of the log, scrolled to the last.
    void show(const MessageLog& log);
    using QDialog::show;

private:
    QTextBrowser* text_;
    std::string plain_;     ///< text that "Copy all" copies
    std::size_t shown_ = 0; ///< MessageLog::added() of what is shown
};

} // namespace systole
