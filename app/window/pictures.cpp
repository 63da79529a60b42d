// Saves and copies pictures.
#include "app/feature/panel.h"
#include "app/live/command_line.h"
#include "app/live/saved_picture.h"
#include "app/window/window.h"
#include "io/base/error.h"
#include "io/formats/writer.h"

#include <QClipboard>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMimeData>
#include <QStandardPaths>

#include <exception>
#include <optional>
#include <utility>

namespace systole {
namespace {

RgbaImage grabbed(QWidget& widget) {
    // grab() repaints all widgets, including the OpenGL picture.
    const QImage image = widget.grab().toImage().convertToFormat(QImage::Format_RGBA8888);
    RgbaImage picture;
    picture.width = image.width();
    picture.height = image.height();
    for (int y = 0; y < image.height(); ++y) {
        const uchar* row = image.constScanLine(y);
        picture.pixels.insert(picture.pixels.end(), row, row + 4 * image.width());
    }
    return picture;
}

} // namespace

struct Window::Picture {
    RgbaImage image;
    std::optional<PictureRecord> record; ///< record without the files' hash; none: no file is open
};

Window::Picture Window::takePicture() {
    Picture picture;
    picture.image = viewport_->captureScene();
    if (session_.opened && session_.shownFrame >= 0) {
        picture.record = recordOf(session_, tools_, scene_);
        picture.image = captioned(picture.image, *picture.record);
    }
    return picture;
}

/// The bytes of a PNG file; on any thread.
std::string Window::encoded(const Picture& picture) {
    if (!picture.record)
        return encodePng(picture.image);
    PictureRecord record = *picture.record;
    try {
        record.sha256 = hash_.of(record.files);
    } catch (const FileError&) {
        // The file has gone since it was opened: the picture is saved all the same.
        record.sha256.clear();
    }
    return encodePicture(picture.image, record);
}

void Window::usePicture(std::function<std::function<void()>(const Picture&)> use) {
    try {
        inBackground([picture = takePicture(), use = std::move(use)] { return use(picture); });
    } catch (const std::exception& error) {
        fail(error.what());
    }
}

void Window::savePicture(const std::string& path) {
    usePicture([this, path](const Picture& picture) -> std::function<void()> {
        writeTextAtomically(path, encoded(picture));
        return [this, path] { saved("Picture", path); };
    });
}

void Window::copyPicture() {
    usePicture([this](const Picture& picture) -> std::function<void()> {
        return [this, png = encoded(picture)] {
            const QByteArray bytes(png.data(), static_cast<qsizetype>(png.size()));
            auto* data = new QMimeData; // the clipboard takes it
            data->setImageData(QImage::fromData(bytes, "PNG"));
            // The PNG file with its texts, which the image doesn't have
            data->setData(QStringLiteral("image/png"), bytes);
            QGuiApplication::clipboard()->setMimeData(data);
            report({.severity = Severity::Note, .text = "Picture copied"});
        };
    });
}

void Window::copyCommand(bool wholeWindow) {
    WindowState state{width(), height(), {}};
    for (const auto& panel : panels_)
        if (panel->shown && panel->open)
            state.panels.emplace_back(panel->title());
    const CopiedCommand copied = wholeWindow ? viewCommandOf(session_, tools_, scene_, state)
                                             : snapshotCommandOf(session_, tools_, scene_);
    QGuiApplication::clipboard()->setText(QString::fromStdString(copied.text));
    std::string text = "Command line copied";
    for (const std::string& sentence : copied.left)
        text += ". " + sentence;
    report({.severity = Severity::Note, .text = text});
}

void Window::savePictureToPictures() {
    QString folder = QStandardPaths::writableLocation(QStandardPaths::PicturesLocation);
    if (folder.isEmpty() || !QFileInfo(folder).isWritable())
        folder = QDir::homePath();
    const QString name =
        QStringLiteral("systole_%1.png")
            .arg(QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd_HHmmss_zzz")));
    savePicture(QDir(folder).filePath(name).toStdString());
}

void Window::savePictureAs() {
    chooseSave({.title = "Save the picture as", .types = "PNG (*.png)", .name = "systole.png"},
               [this](const std::string& path) { savePicture(path); });
}

void Window::saveScreenshot(const std::string& path) {
    const bool ofLesson = lessons_ && lessons_->isVisible();
    Picture picture;
    scene_.setWaits(true);
    picture.image = grabbed(ofLesson ? static_cast<QWidget&>(*lessons_) : *this);
    scene_.setWaits(false);
    if (!ofLesson && session_.opened && session_.shownFrame >= 0) {
        picture.record = recordOf(session_, tools_, scene_);
        picture.record->content = PictureContent::Window;
    }
    writeTextAtomically(path, encoded(picture));
}

void Window::saveScreenshotAs() {
    chooseSave({.title = "Save the screenshot of the window as",
                .types = "PNG (*.png)",
                .name = "systole_window.png"},
               [this](const std::string& path) {
                   try {
                       saveScreenshot(path);
                       saved("Screenshot", path);
                   } catch (const std::exception& error) {
                       fail(error.what());
                   }
               });
}

} // namespace systole
