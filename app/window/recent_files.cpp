#include "app/window/recent_files.h"

#include "app/base/assets.h"
#include "app/session/session.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QSettings>

#include <optional>

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

/// Folder of this session; before its first file that of the last one; before that, and in place of
/// the program's own, the user's home.
std::string RecentFiles::lastFolder() const {
    const QString folder = !lastFolder_.empty() || !remembers_
                               ? QString::fromStdString(lastFolder_)
                               : QSettings().value(folderKey).toString();
    const auto demo = findAsset(demoSequenceName);
    const bool own =
        demo && QDir(folder) == QFileInfo(QString::fromStdString(demo->string())).dir();
    return (folder.isEmpty() || own ? QDir::homePath() : folder).toStdString();
}

void RecentFiles::rememberFolderOf(const std::string& path) {
    const QString folder = QFileInfo(QString::fromStdString(path)).absolutePath();
    lastFolder_ = folder.toStdString();
    if (remembers_)
        QSettings().setValue(folderKey, folder);
}

std::vector<QStringList> RecentFiles::all() const {
    std::vector<QStringList> files;
    for (const QString& entry : QSettings().value(recentKey).toStringList())
        files.push_back(entry.split(QLatin1Char('\n')));
    return files;
}

void RecentFiles::remember(const std::vector<std::string>& paths) {
    if (!remembers_)
        return;
    QSettings settings;
    QStringList recent = settings.value(recentKey).toStringList();
    const QString entry = entryOf(paths);
    recent.removeAll(entry);
    recent.prepend(entry);
    settings.setValue(recentKey, QStringList(recent.mid(0, maximumRecent)));
}

/// Marks of end diastole and end systole stay with the recent files.
void RecentFiles::recallMarks(Session& session) {
    if (!remembers_)
        return;
    const QVariantList frames =
        QSettings().value(marksKey).toMap().value(entryOf(session.opened->paths)).toList();
    const auto marked = [&](int which) {
        const bool same =
            frames.size() == 3 && frames[2].toString() == stateOf(session.opened->paths);
        const int frame = same ? frames[which].toInt() : -1;
        const bool there = frame >= 0 && frame < session.opened->sequence.frames;
        return there ? std::optional(frame) : std::nullopt;
    };
    const CardiacMarks named = session.marks; // marks given on the command line
    session.marks = keptMarks_ = {marked(0), marked(1)};
    if (named.endDiastole)
        session.marks.endDiastole = named.endDiastole;
    if (named.endSystole)
        session.marks.endSystole = named.endSystole;
}

void RecentFiles::keepMarks(const Session& session) {
    if (!remembers_ || !session.opened || session.marks == keptMarks_)
        return;
    keptMarks_ = session.marks;
    QSettings settings;
    const QStringList recent = settings.value(recentKey).toStringList();
    QVariantMap all = settings.value(marksKey).toMap(), kept;
    all[entryOf(session.opened->paths)] =
        QVariantList{session.marks.endDiastole.value_or(-1), session.marks.endSystole.value_or(-1),
                     stateOf(session.opened->paths)};
    for (auto entry = all.cbegin(); entry != all.cend(); ++entry)
        if (recent.contains(entry.key()))
            kept.insert(entry.key(), entry.value());
    settings.setValue(marksKey, kept);
}

} // namespace systole
