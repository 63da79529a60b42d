// Files that the user opens: dialogs, drops, and the recent ones.
#include "app/feature/panel.h"
#include "app/feature/sources.h"
#include "app/window/window.h"
#include "app/window/work_keeper.h"
#include "io/base/natural_order.h"

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QInputDialog>
#include <QMimeData>
#include <QUrl>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <utility>

namespace systole {

void Window::openFiles() {
    const QStringList names = QFileDialog::getOpenFileNames(
        this, QStringLiteral("Open a 4D image, or one 3D image per frame"),
        QString::fromStdString(recent_.lastFolder()));
    sinceTick_.restart();
    if (!names.isEmpty())
        openNames(names);
}

void Window::openFolder() {
    const QString name =
        QFileDialog::getExistingDirectory(this, QStringLiteral("Open a folder of DICOM files"),
                                          QString::fromStdString(recent_.lastFolder()));
    sinceTick_.restart();
    if (!name.isEmpty())
        openNames({name});
}

void Window::openNames(const QStringList& names) {
    std::vector<std::string> paths;
    for (const QString& name : names)
        paths.push_back(name.toStdString());
    paths = sortedByNumbers(std::move(paths)); // a dialog gives them in the order of the clicks
    recent_.rememberFolderOf(paths.front());
    open(paths);
}

std::vector<RecoveredWork> Window::recovered() const { return recoveredWork(options_.recovered); }

void Window::reopen(const RecoveredWork& work) {
    if (work.files.empty())
        return messages_->showInFolder((std::filesystem::path(work.folder) / "work.json").string());
    open(work.files, 0, work);
}

void Window::bringBack() {
    const auto work = std::exchange(reopening_, {});
    if (!work)
        return;
    try {
        restoreWork(*work, tools_);
    } catch (const std::exception& error) {
        fail(error.what());
    }
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
        messages_->renewFileNotes(); // the times may be known now
    }
    tick();
}

void Window::dragEnterEvent(QDragEnterEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (std::ranges::any_of(urls, [](const QUrl& url) { return url.isLocalFile(); }))
        event->acceptProposedAction();
}

/// True over the panels while the segmentation's panel is open: the file has labels to correct, and
/// isn't another image.
bool Window::dropsOnSegment(QPoint place) {
    const Panel& segment = findPanel(panels_, segmentTitle);
    const int column = viewport_->width() - layer_.occupiedWidth();
    return session_.opened && segment.shown && segment.open && layer_.occupiedWidth() > 0 &&
           viewport_->mapFrom(this, place).x() >= column;
}

void Window::dropEvent(QDropEvent* event) {
    std::vector<std::string> paths;
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile())
            paths.push_back(url.toLocalFile().toStdString());
    if (paths.empty())
        return;
    event->acceptProposedAction();
    paths = sortedByNumbers(std::move(paths)); // file managers pass them in any order
    recent_.rememberFolderOf(paths.front());
    if (!dropsOnSegment(event->position().toPoint()))
        return open(paths);
    for (const std::string& path : paths)
        tools_.get<LabelSource>().openLabels(path);
    refresh();
}

} // namespace systole
