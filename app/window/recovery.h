// Unsaved work of the window on the disk, for the case that the program dies: of memory, of a
// fault, with the computer. The next start names what was left, and the File menu opens it.
#pragma once

#include "app/feature/tool.h"

#include <filesystem>
#include <functional>
#include <future>
#include <string>
#include <vector>

namespace systole {

/// $XDG_DATA_HOME/systole/unsaved, or below ~/.local/share; empty: there is no such place.
std::filesystem::path recoveryFolder();

/// Work left by a session that died.
struct RecoveredWork {
    std::string folder;
    std::string what; ///< "labels of the segmentation, 2 frames"
    /// Absolute paths of the files that were open; empty: unknown.
    std::vector<std::string> files{};
};

/// Work found below the folder of all sessions, at this start or an earlier one, the newest first.
std::vector<RecoveredWork> recoveredWork(const std::filesystem::path& all);

/// A session's, in a folder of its own below one of all sessions. What can't be written is left
/// out: it is a second chance, and nobody is disturbed for it.
class Recovery {
public:
    /// Empty: nothing is kept.
    explicit Recovery(std::filesystem::path all);
    /// The session ends in order: what was kept is removed.
    ~Recovery();
    Recovery(const Recovery&) = delete;
    Recovery& operator=(const Recovery&) = delete;

    /// Writes this work on the files `paths`, on a thread, unless it stands there already or is
    /// still being written. Nothing to keep: removes what was kept.
    void keep(const std::vector<std::string>& paths, const std::vector<KeptWork>& work);
    void wait(); ///< waits until the work begun by keep() is done

    /// Work of all sessions that don't run any more, each reported once; its files stay.
    std::vector<RecoveredWork> left();

private:
    void begin();

    std::filesystem::path all_, own_; ///< own_ empty: not begun
    int lock_ = -1;
    /// KeptWork::state of the files that are there, or are being written.
    std::string state_;
    std::future<bool> writing_; ///< false: not all of it could be written
};

} // namespace systole
