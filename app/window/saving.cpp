// Numbers as a file, and what is said of every file that the window writes (pictures.cpp,
// tool_host.cpp).
#include "app/window/window.h"
#include "io/writer.h"

#include <QDesktopServices>
#include <QFileInfo>
#include <QUrl>

namespace systole {

void Window::exportNumbers() {
    std::string text;
    for (const auto& panel : panels_)
        text += std::string(panel->title()) + "\n" + panel->text(session_) + "\n";
    save("Numbers",
         {.title = "Export the panels' numbers to", .types = "Text (*.txt)", .name = "systole.txt"},
         [text](const std::string& path) { writeTextAtomically(path, text); });
}

void Window::saved(const std::string& what, const std::string& path) {
    const QString absolute = QFileInfo(QString::fromStdString(path)).absoluteFilePath();
    report({.severity = Severity::Note,
            .text = what + " saved: " + absolute.toStdString(),
            .path = absolute.toStdString()});
}

void Window::showInFolder(const std::string& path) {
    const QString folder = QFileInfo(QString::fromStdString(path)).absolutePath();
    if (openFolderWith)
        openFolderWith(folder.toStdString());
    else if (!QDesktopServices::openUrl(QUrl::fromLocalFile(folder)))
        report({.severity = Severity::Warning,
                .text = "No program opened the folder " + folder.toStdString() +
                        "; 'xdg-open' names the one that should."});
}

} // namespace systole
