// Everything that the window tells the user: bars, notice, log, and the window that shows the log.
#pragma once

#include "app/session/message_log.h"
#include "app/session/session.h"

#include <QPointer>

#include <functional>
#include <string>
#include <vector>

class QMainWindow;
class QVBoxLayout;

namespace systole {

class MessageBar;
class MessagesWindow;
class Notice;
class Tools;

class Messages {
public:
    /// Adds the bars to the column, whose widget owns them. All arguments outlive this object.
    Messages(QMainWindow& window, Session& session, const Tools& tools, QVBoxLayout& column);
    /// Adds the notice to the window's menu bar, which has all its menus.
    void addNotice();
    void closeWindow();

    const MessageLog& log() const { return log_; }
    void report(Message message); ///< its time is now
    void saved(const std::string& what, const std::string& path);
    /// Reports what is new in session and tools.
    void follow();
    /// A file was opened: its notes go into the log, and the bar shows those that matter.
    void reportFile();
    void renewFileNotes(); ///< updates the bar of the file's notes if it is shown
    void placeNotice();    ///< call it when the window has another size
    void showWindow();
    void showInFolder(const std::string& path);

    /// Shows a folder to the user; empty: the desktop's file manager does.
    std::function<void(const std::string&)> openFolderWith;

private:
    void showFileNotes();

    QMainWindow& window_;
    Session& session_;
    const Tools& tools_;
    MessageBar* failures_;
    MessageBar* fileNotes_; ///< notes about the open file
    Notice* notice_ = nullptr;
    QPointer<MessagesWindow> messagesWindow_;
    std::vector<std::string> told_; ///< messages of session and tools as last reported
    MessageLog log_;
};

} // namespace systole
