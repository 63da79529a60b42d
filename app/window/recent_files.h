// Files remembered between sessions: recent ones, the folder in which dialogs start,
// and the marks of end diastole and end systole.
#pragma once

#include "app/session/session.h"

#include <QStringList>

#include <string>
#include <vector>

namespace systole {

class RecentFiles {
public:
    /// `remembers`: in the settings; otherwise nothing but the folder, until this object ends.
    explicit RecentFiles(bool remembers) : remembers_(remembers) {}

    /// The files of each sequence; newest first.
    std::vector<QStringList> all() const;
    void remember(const std::vector<std::string>& paths);

    std::string lastFolder() const; ///< folder in which a dialog starts; empty: none yet
    void rememberFolderOf(const std::string& path); ///< file dialogs start in it

    /// Marks of end diastole and end systole stay with the recent files. The session has a sequence
    /// open; marks that it has already, named on the command line, stay.
    void recallMarks(Session& session);
    /// Does nothing where no sequence is open or no mark has changed.
    void keepMarks(const Session& session);

private:
    bool remembers_;
    std::string lastFolder_;
    CardiacMarks keptMarks_; ///< marks of the open sequence in the settings
};

} // namespace systole
