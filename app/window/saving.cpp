// Files that the window writes: screenshots and numbers.
#include "app/error.h"
#include "app/picture_file.h"
#include "app/window/window.h"
#include "io/error.h"
#include "io/writer.h"
#include "render/error.h"

#include <QDateTime>
#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QStandardPaths>
#include <QUrl>

#include <exception>

namespace systole {

void Window::saveScreenshot(const std::string& path) {
    QWidget* shown =
        lessons_ && lessons_->isVisible() ? static_cast<QWidget*>(lessons_.get()) : this;
    // grab() repaints all widgets, including the OpenGL picture.
    const QImage image = shown->grab().toImage().convertToFormat(QImage::Format_RGBA8888);
    RgbaImage picture;
    picture.width = image.width();
    picture.height = image.height();
    for (int y = 0; y < image.height(); ++y) {
        const uchar* row = image.constScanLine(y);
        picture.pixels.insert(picture.pixels.end(), row, row + 4 * image.width());
    }
    writePng(path, picture);
}

void Window::screenshotToPictures() {
    QString folder = QStandardPaths::writableLocation(QStandardPaths::PicturesLocation);
    if (folder.isEmpty() || !QFileInfo(folder).isWritable())
        folder = QDir::homePath();
    const QString name =
        QStringLiteral("systole_%1.png")
            .arg(QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd_HHmmss_zzz")));
    const std::string path = QDir(folder).filePath(name).toStdString();
    try {
        writePng(path, viewport_->captureScene());
        saved("Screenshot", path);
    } catch (const std::exception& error) {
        fail(error.what());
    }
}

void Window::saveScreenshotAs() {
    const QString path =
        QFileDialog::getSaveFileName(this, QStringLiteral("Save the screenshot as"),
                                     QStringLiteral("systole.png"), QStringLiteral("PNG (*.png)"));
    sinceTick_.restart();
    if (path.isEmpty())
        return;
    try {
        writePng(path.toStdString(), viewport_->captureScene());
        saved("Screenshot", path.toStdString());
    } catch (const std::exception& error) {
        fail(error.what());
    }
}

void Window::exportNumbers() {
    const QString path =
        QFileDialog::getSaveFileName(this, QStringLiteral("Export the panels' numbers to"),
                                     QStringLiteral("systole.txt"), QStringLiteral("Text (*.txt)"));
    sinceTick_.restart();
    if (path.isEmpty())
        return;
    std::string text;
    for (const auto& panel : panels_)
        text += std::string(panel->title()) + "\n" + panel->text(session_) + "\n";
    try {
        writeTextAtomically(path.toStdString(), text);
        saved("Numbers", path.toStdString());
    } catch (const FileError& error) {
        fail(error.what());
    }
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
