// Numbers and motion as files, and what is said of every file that the window writes (pictures.cpp,
// tool_host.cpp).
#include "app/live/motion_file.h"
#include "app/window/window.h"
#include "io/formats/writer.h"

#include <QDesktopServices>
#include <QFileInfo>
#include <QUrl>
#include <fmt/format.h>

namespace systole {

void Window::exportNumbers() {
    std::string text;
    for (const auto& panel : panels_)
        text += std::string(panel->title()) + "\n" + panel->text(session_) + "\n";
    save("Numbers",
         {.title = "Export the panels' numbers to", .types = "Text (*.txt)", .name = "systole.txt"},
         [text](const std::string& path) { writeTextAtomically(path, text); });
}

void Window::saveMotionAs() {
    if (!whyNoMotionFile(session_).empty())
        return;
    // The motion now shown is saved, however long the dialog is open.
    const std::shared_ptr<const FrameResult> motion = session_.result;
    chooseSave({.title = fmt::format("Save the motion of frame {} to {} as", motion->fixedFrame,
                                     motion->movingFrame),
                .types = "ITK, displacements in LPS mm (*.mha);;NIfTI, intent 1007 (*.nii.gz)",
                .name = motionFileName(session_)},
               [this, motion](const std::string& path) { saveMotion(path, motion); });
}

void Window::saveMotion(const std::string& path, std::shared_ptr<const FrameResult> motion) {
    write(
        "Motion", path,
        [path, motion, inputs = session_.opened->paths,
         device = scene_.interopDevice().value_or(0)] {
            writeMotionFile(path, *motion, device, inputs);
        },
        [this, saved = std::weak_ptr(motion)] { savedMotions_.push_back(saved); });
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
