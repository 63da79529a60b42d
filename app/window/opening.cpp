// Files that the user opens: dialogs, drops, and the recent ones.
#include "app/window/window.h"

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QMimeData>
#include <QSettings>
#include <QUrl>

#include <algorithm>

namespace systole {
namespace {

constexpr int maximumRecent = 10;
const char* const recentKey = "recentFiles";

std::vector<std::string> toPaths(const QStringList& names) {
    std::vector<std::string> paths;
    for (const QString& name : names)
        paths.push_back(name.toStdString());
    return paths;
}

} // namespace

void Window::openFiles() {
    const QStringList names = QFileDialog::getOpenFileNames(
        this, QStringLiteral("Open a 4D image, or one 3D image per frame"));
    sinceTick_.restart();
    if (!names.isEmpty())
        open(toPaths(names));
}

void Window::openFolder() {
    const QString name =
        QFileDialog::getExistingDirectory(this, QStringLiteral("Open a folder of DICOM files"));
    sinceTick_.restart();
    if (!name.isEmpty())
        open({name.toStdString()});
}

void Window::chooseMovingImage() {
    chooseInto(session_.registration.movingFile,
               QStringLiteral("Moving image of the registration (its first frame)"), {});
}

void Window::chooseSurfaceFile() {
    SurfaceChoice& choice = session_.surface.choice;
    const bool mesh = choice.source == SurfaceOrigin::Mesh;
    const QString name = QFileDialog::getOpenFileName(
        this, mesh ? QStringLiteral("Surface in LPS millimeters") : QStringLiteral("Label map"), {},
        mesh ? QStringLiteral("Meshes (*.vtp *.stl *.ply *.obj)") : QString());
    sinceTick_.restart();
    if (!name.isEmpty())
        choice.file = name.toStdString();
    else if (choice.file.empty())
        choice.source = SurfaceOrigin::None;
    ++choice.revision;
    tick();
}

/// Points to follow, or tracks to show.
void Window::chooseLandmarks() {
    chooseInto(session_.landmarks.wantedFile, QStringLiteral("Landmarks of one frame, or tracks"),
               QStringLiteral("Points and tracks (*.csv *.json *.fcsv *.txt)"));
}

void Window::chooseLandmarkReference() {
    chooseInto(session_.landmarks.wantedExpert, QStringLiteral("Tracks to measure errors from"),
               QStringLiteral("Tracks (*.csv *.json)"));
}

void Window::chooseWallFile() {
    chooseInto(session_.landmarks.wall.file,
               QStringLiteral("Label map of the frame in which the landmarks begin"),
               QStringLiteral("Label maps (*.nii *.nii.gz *.nrrd *.mha *.mhd);;All files (*)"));
}

/// Leaves `file` as it is if none is chosen.
void Window::chooseInto(std::string& file, const QString& title, const QString& types) {
    const QString name = QFileDialog::getOpenFileName(this, title, {}, types);
    sinceTick_.restart();
    if (!name.isEmpty())
        file = name.toStdString();
    tick();
}

std::vector<QStringList> Window::recentFiles() const {
    std::vector<QStringList> files;
    for (const QString& entry : QSettings().value(recentKey).toStringList())
        files.push_back(entry.split(QLatin1Char('\n')));
    return files;
}

void Window::rememberFile(const std::vector<std::string>& paths) {
    if (!options_.remember)
        return;
    QStringList names;
    for (const std::string& path : paths)
        names << QFileInfo(QString::fromStdString(path)).absoluteFilePath();
    QSettings settings;
    QStringList recent = settings.value(recentKey).toStringList();
    const QString entry = names.join(QLatin1Char('\n'));
    recent.removeAll(entry);
    recent.prepend(entry);
    settings.setValue(recentKey, QStringList(recent.mid(0, maximumRecent)));
}

void Window::askFrameTime() {
    if (!session_.opened)
        return;
    const double now = 1000 * session_.opened->sequence.secondsToNext(0);
    bool accepted = false;
    const double milliseconds = QInputDialog::getDouble(
        this, QStringLiteral("Frame time"),
        QStringLiteral("Milliseconds per frame (0: as in the file)"), now, 0, 100000, 2, &accepted);
    sinceTick_.restart();
    if (accepted) {
        live_.setFrameTime(milliseconds);
        if (!fileNotes_->isHidden())
            showFileNotes(); // the times may be known now
    }
    tick();
}

void Window::dragEnterEvent(QDragEnterEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (std::any_of(urls.begin(), urls.end(), [](const QUrl& url) { return url.isLocalFile(); }))
        event->acceptProposedAction();
}

void Window::dropEvent(QDropEvent* event) {
    std::vector<std::string> paths;
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile())
            paths.push_back(url.toLocalFile().toStdString());
    if (paths.empty())
        return;
    event->acceptProposedAction();
    std::sort(paths.begin(), paths.end()); // file managers pass them in any order
    open(paths);
}

} // namespace systole
