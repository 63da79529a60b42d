// Files that the user opens: dialogs, drops, and the recent ones.
#include "app/base/assets.h"
#include "app/feature/panel.h"
#include "app/feature/sources.h"
#include "app/window/window.h"
#include "app/window/work_keeper.h"
#include "io/base/natural_order.h"

#include <QDateTime>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QMimeData>
#include <QSettings>
#include <QUrl>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <optional>
#include <utility>

namespace systole {
namespace {

constexpr int maximumRecent = 10;
const char* const recentKey = "recentFiles";
const char* const folderKey = "lastFolder";
const char* const marksKey = "cardiacMarks";

/// The files of a sequence as one text.
QString entryOf(const std::vector<std::string>& paths) {
    QStringList names;
    for (const std::string& path : paths)
        names << QFileInfo(QString::fromStdString(path)).absoluteFilePath();
    return names.join(QLatin1Char('\n'));
}

/// Size and time of change: marks aren't those of another file under the same name.
QString stateOf(const std::vector<std::string>& paths) {
    const QFileInfo first(QString::fromStdString(paths.front()));
    return QStringLiteral("%1 %2").arg(first.size()).arg(first.lastModified().toMSecsSinceEpoch());
}

} // namespace

/// The folder last used in this session; before its first file, that of the last session. If there
/// is none, or it is the program's own, the user's home.
std::string Window::lastFolder() const {
    const QString folder = !lastFolder_.empty() || !options_.remember
                               ? QString::fromStdString(lastFolder_)
                               : QSettings().value(folderKey).toString();
    const auto demo = findAsset(demoSequenceName);
    const bool own =
        demo && QDir(folder) == QFileInfo(QString::fromStdString(demo->string())).dir();
    return (folder.isEmpty() || own ? QDir::homePath() : folder).toStdString();
}

void Window::rememberFolderOf(const std::string& path) {
    const QString folder = QFileInfo(QString::fromStdString(path)).absolutePath();
    lastFolder_ = folder.toStdString();
    if (options_.remember)
        QSettings().setValue(folderKey, folder);
}

void Window::openFiles() {
    const QStringList names = QFileDialog::getOpenFileNames(
        this, QStringLiteral("Open a 4D image, or one 3D image per frame"),
        QString::fromStdString(lastFolder()));
    sinceTick_.restart();
    if (!names.isEmpty())
        openNames(names);
}

void Window::openFolder() {
    const QString name = QFileDialog::getExistingDirectory(
        this, QStringLiteral("Open a folder of DICOM files"), QString::fromStdString(lastFolder()));
    sinceTick_.restart();
    if (!name.isEmpty())
        openNames({name});
}

void Window::openNames(const QStringList& names) {
    std::vector<std::string> paths;
    for (const QString& name : names)
        paths.push_back(name.toStdString());
    paths = sortedByNumbers(std::move(paths)); // a dialog gives them in the order of the clicks
    rememberFolderOf(paths.front());
    open(paths);
}

std::vector<QStringList> Window::recentFiles() const {
    std::vector<QStringList> files;
    for (const QString& entry : QSettings().value(recentKey).toStringList())
        files.push_back(entry.split(QLatin1Char('\n')));
    return files;
}

std::vector<RecoveredWork> Window::recovered() const { return recoveredWork(options_.recovered); }

void Window::reopen(const RecoveredWork& work) {
    if (work.files.empty())
        return showInFolder((std::filesystem::path(work.folder) / "work.json").string());
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

void Window::rememberFile(const std::vector<std::string>& paths) {
    if (!options_.remember)
        return;
    QSettings settings;
    QStringList recent = settings.value(recentKey).toStringList();
    const QString entry = entryOf(paths);
    recent.removeAll(entry);
    recent.prepend(entry);
    settings.setValue(recentKey, QStringList(recent.mid(0, maximumRecent)));
}

/// Marks of end diastole and end systole stay with the recent files.
void Window::recallMarks() {
    if (!options_.remember)
        return;
    const QVariantList frames =
        QSettings().value(marksKey).toMap().value(entryOf(session_.opened->paths)).toList();
    const auto marked = [&](int which) {
        const bool same =
            frames.size() == 3 && frames[2].toString() == stateOf(session_.opened->paths);
        const int frame = same ? frames[which].toInt() : -1;
        const bool there = frame >= 0 && frame < session_.opened->sequence.frames;
        return there ? std::optional(frame) : std::nullopt;
    };
    const CardiacMarks named = session_.marks; // marks given on the command line
    session_.marks = keptMarks_ = {marked(0), marked(1)};
    if (named.endDiastole)
        session_.marks.endDiastole = named.endDiastole;
    if (named.endSystole)
        session_.marks.endSystole = named.endSystole;
}

void Window::keepMarks() {
    if (!options_.remember || !session_.opened || session_.marks == keptMarks_)
        return;
    keptMarks_ = session_.marks;
    QSettings settings;
    const QStringList recent = settings.value(recentKey).toStringList();
    QVariantMap all = settings.value(marksKey).toMap(), kept;
    all[entryOf(session_.opened->paths)] =
        QVariantList{session_.marks.endDiastole.value_or(-1),
                     session_.marks.endSystole.value_or(-1), stateOf(session_.opened->paths)};
    for (auto entry = all.cbegin(); entry != all.cend(); ++entry)
        if (recent.contains(entry.key()))
            kept.insert(entry.key(), entry.value());
    settings.setValue(marksKey, kept);
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
    rememberFolderOf(paths.front());
    if (!dropsOnSegment(event->position().toPoint()))
        return open(paths);
    for (const std::string& path : paths)
        tools_.get<LabelSource>().openLabels(path);
    refresh();
}

} // namespace systole
