#include "app/window/recovery.h"

#include "app/base/json_file.h"
#include "io/base/output_file.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <functional>
#include <optional>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr const char* lockName = "lock";
constexpr const char* recordName = "work.json";
constexpr const char* namePrefix = "session-"; ///< folders of sessions that may be running
constexpr const char* leftPrefix = "recovered-";

/// The lock of a session's folder, which its process has as long as it lives; −1: it is another's,
/// or there is none.
int lockOf(const fs::path& folder, int flags) {
    const int file = ::open((folder / lockName).c_str(), O_RDWR | O_CLOEXEC | flags, 0600);
    if (file >= 0 && ::flock(file, LOCK_EX | LOCK_NB) == 0)
        return file;
    if (file >= 0)
        ::close(file);
    return -1;
}

/// Paths in the folder, as many as can be read.
std::vector<fs::path> pathsIn(const fs::path& folder) {
    std::vector<fs::path> paths;
    std::error_code failure;
    for (fs::directory_iterator at(folder, failure), end; !failure && at != end;
         at.increment(failure))
        paths.push_back(at->path());
    return paths;
}

/// All but these, and the lock.
void removeOthers(const fs::path& folder, const std::vector<std::string>& names) {
    std::error_code ignored;
    for (const fs::path& path : pathsIn(folder))
        if (const std::string name = path.filename().string();
            name != lockName && std::ranges::find(names, name) == names.end())
            fs::remove(path, ignored);
}

/// Writes the work into the folder. Earlier files stay until they are replaced. False: some files
/// couldn't be written, for lack of space or memory; the session goes on.
bool written(const fs::path& folder, const std::vector<KeptWork>& work, const Json& record) {
    std::vector<std::string> names;
    bool all = true;
    const auto write = [&](const std::vector<std::string>& files, const auto& writer) {
        names.insert(names.end(), files.begin(), files.end());
        try {
            writer((folder / files.front()).string());
        } catch (const std::exception&) {
            all = false;
        }
    };
    for (const KeptWork& one : work)
        write(one.files, one.write);
    if (!work.empty())
        write({recordName},
              [&](const std::string& path) { writeTextAtomically(path, jsonText(record) + "\n"); });
    removeOthers(folder, names);
    return all;
}

/// True if the folder has no files except the lock.
bool isEmpty(const fs::path& folder) {
    return std::ranges::all_of(pathsIn(folder),
                               [](const fs::path& path) { return path.filename() == lockName; });
}

/// Work that the folder's record describes.
RecoveredWork workIn(const fs::path& folder) {
    try {
        return fromJson((folder / recordName).string(), [&](const Json& json) {
            return RecoveredWork{folder.string(), json.at("what").get<std::string>(),
                                 json.at("files").get<std::vector<std::string>>()};
        });
    } catch (const std::exception&) { // its files are there all the same
        return {folder.string(), "unknown"};
    }
}

} // namespace

fs::path recoveryFolder() {
    const char* const data = std::getenv("XDG_DATA_HOME");
    if (data && *data == '/')
        return fs::path(data) / "systole/unsaved";
    const char* const home = std::getenv("HOME");
    return home && *home == '/' ? fs::path(home) / ".local/share/systole/unsaved" : fs::path();
}

std::vector<RecoveredWork> recoveredWork(const fs::path& all) {
    std::vector<std::pair<fs::file_time_type, fs::path>> folders;
    std::error_code ignored;
    for (const fs::path& path : pathsIn(all))
        if (path.filename().string().starts_with(leftPrefix))
            folders.emplace_back(fs::last_write_time(path, ignored), path);
    std::ranges::sort(folders, std::greater());
    std::vector<RecoveredWork> work;
    for (const auto& [time, folder] : folders)
        work.push_back(workIn(folder));
    return work;
}

Recovery::Recovery(fs::path all) : all_(std::move(all)) {}

Recovery::~Recovery() {
    wait();
    if (own_.empty())
        return;
    std::error_code ignored;
    fs::remove_all(own_, ignored);
    ::close(lock_);
}

void Recovery::wait() {
    if (writing_.valid())
        writing_.wait();
}

/// Makes the session's folder.
void Recovery::begin() {
    std::error_code failure;
    fs::create_directories(all_, failure);
    std::string name = (all_ / (std::string(namePrefix) + "XXXXXX")).string();
    if (failure || !::mkdtemp(name.data()))
        return;
    lock_ = lockOf(name, O_CREAT);
    if (lock_ >= 0)
        own_ = name;
}

void Recovery::keep(const std::vector<std::string>& paths, const std::vector<KeptWork>& work) {
    const bool busy =
        writing_.valid() && writing_.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
    if (all_.empty() || busy)
        return;
    if (writing_.valid() && !writing_.get())
        state_.clear(); // it is tried again
    std::string state, what;
    for (const KeptWork& one : work) {
        what += (what.empty() ? "" : ", ") + one.name;
        state += one.name + ": " + one.state + "\n";
    }
    if (state == state_)
        return;
    if (own_.empty())
        begin();
    if (own_.empty())
        return;
    state_ = state;
    std::vector<std::string> files;
    std::error_code asItIs;
    for (const std::string& path : paths)
        files.push_back(fs::absolute(path, asItIs).string());
    writing_ = std::async(std::launch::async,
                          [folder = own_, work, record = Json{{"what", what}, {"files", files}}] {
                              return written(folder, work, record);
                          });
}

std::vector<RecoveredWork> Recovery::left() {
    std::vector<RecoveredWork> all;
    std::error_code ignored;
    for (const fs::path& folder : pathsIn(all_)) {
        const std::string name = folder.filename().string();
        const int lock = name.starts_with(namePrefix) ? lockOf(folder, 0) : -1;
        if (lock < 0)
            continue;
        if (isEmpty(folder)) {
            fs::remove_all(folder, ignored);
        } else {
            const fs::path kept = all_ / (leftPrefix + name.substr(std::string(namePrefix).size()));
            fs::remove(folder / lockName, ignored);
            std::error_code failure;
            fs::rename(folder, kept, failure);
            all.push_back(workIn(failure ? folder : kept));
        }
        ::close(lock);
    }
    return all;
}

} // namespace systole
