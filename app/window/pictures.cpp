#include "app/window/pictures.h"

#include "app/live/command_line.h"
#include "app/live/saved_picture.h"
#include "app/window/lesson_runs.h"
#include "app/window/viewport.h"
#include "io/base/error.h"
#include "io/formats/writer.h"

#include <QClipboard>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMainWindow>
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

Pictures::Pictures(WindowLinks links, WindowHost& host, const Source& source, LessonRuns& lessons)
    : links_(std::move(links))
    , host_(host)
    , session_(source.session)
    , tools_(source.tools)
    , scene_(source.scene)
    , panels_(source.panels)
    , viewport_(source.viewport)
    , lessons_(lessons) {}

struct Pictures::Picture {
    RgbaImage image;
    std::optional<PictureRecord> record; ///< record without the files' hash; none: no file is open
};

Pictures::Picture Pictures::takePicture() {
    Picture picture;
    picture.image = viewport_.captureScene();
    if (session_.opened && session_.shownFrame >= 0) {
        picture.record = recordOf(session_, tools_, scene_);
        picture.image = captioned(picture.image, *picture.record);
    }
    return picture;
}

/// The bytes of a PNG file; on any thread.
std::string Pictures::encoded(const Picture& picture) {
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

void Pictures::use(std::function<std::function<void()>(const Picture&)> with) {
    try {
        host_.inBackground(
            [picture = takePicture(), with = std::move(with)] { return with(picture); });
    } catch (const std::exception& error) {
        links_.fail(error.what());
    }
}

void Pictures::save(const std::string& path) {
    use([this, path](const Picture& picture) -> std::function<void()> {
        writeTextAtomically(path, encoded(picture));
        return [this, path] { links_.saved("Picture", path); };
    });
}

void Pictures::copy() {
    use([this](const Picture& picture) -> std::function<void()> {
        return [this, png = encoded(picture)] {
            const QByteArray bytes(png.data(), static_cast<qsizetype>(png.size()));
            auto* data = new QMimeData; // the clipboard takes it
            data->setImageData(QImage::fromData(bytes, "PNG"));
            // The PNG file with its texts, which the image doesn't have
            data->setData(QStringLiteral("image/png"), bytes);
            QGuiApplication::clipboard()->setMimeData(data);
            links_.report({.severity = Severity::Note, .text = "Picture copied"});
        };
    });
}

void Pictures::copyCommand(bool wholeWindow) {
    WindowState state{links_.window->width(), links_.window->height(), {}};
    for (const auto& panel : panels_)
        if (panel->shown && panel->open)
            state.panels.emplace_back(panel->title());
    const CopiedCommand copied = wholeWindow ? viewCommandOf(session_, tools_, scene_, state)
                                             : snapshotCommandOf(session_, tools_, scene_);
    QGuiApplication::clipboard()->setText(QString::fromStdString(copied.text));
    std::string text = "Command line copied";
    for (const std::string& sentence : copied.left)
        text += ". " + sentence;
    links_.report({.severity = Severity::Note, .text = text});
}

void Pictures::saveToPictures() {
    QString folder = QStandardPaths::writableLocation(QStandardPaths::PicturesLocation);
    if (folder.isEmpty() || !QFileInfo(folder).isWritable())
        folder = QDir::homePath();
    const QString name =
        QStringLiteral("systole_%1.png")
            .arg(QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd_HHmmss_zzz")));
    save(QDir(folder).filePath(name).toStdString());
}

void Pictures::saveAs() {
    host_.chooseSave(
        {.title = "Save the picture as", .types = "PNG (*.png)", .name = "systole.png"},
        [this](const std::string& path) { save(path); });
}

void Pictures::saveScreenshot(const std::string& path) {
    LessonsWindow* const lessons = lessons_.window();
    const bool ofLesson = lessons && lessons->isVisible();
    Picture picture;
    scene_.setWaits(true);
    picture.image = grabbed(ofLesson ? static_cast<QWidget&>(*lessons) : *links_.window);
    scene_.setWaits(false);
    if (!ofLesson && session_.opened && session_.shownFrame >= 0) {
        picture.record = recordOf(session_, tools_, scene_);
        picture.record->content = PictureContent::Window;
    }
    writeTextAtomically(path, encoded(picture));
}

void Pictures::saveScreenshotAs() {
    host_.chooseSave({.title = "Save the screenshot of the window as",
                      .types = "PNG (*.png)",
                      .name = "systole_window.png"},
                     [this](const std::string& path) {
                         try {
                             saveScreenshot(path);
                             links_.saved("Screenshot", path);
                         } catch (const std::exception& error) {
                             links_.fail(error.what());
                         }
                     });
}

} // namespace systole
