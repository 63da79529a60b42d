#include "app/window/recovery.h"

#include "io/byte_source.h"
#include "io/output_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <optional>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr const char* lockName = "lock";
constexpr const char* textName = "what.txt";
constexpr const char* namePrefix = "session-"; ///< of one that may run
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

void removeFilesIn(const fs::path& folder) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        if (entry.path().filename() != lockName)
            fs::remove(entry.path(), ignored);
}

} // namespace

fs::path recoveryFolder() {
    const char* const data = std::getenv("XDG_DATA_HOME");
    if (data && *data == '/')
        return fs::path(data) / "systole/unsaved";
    const char* const home = std::getenv("HOME");
    return home && *home == '/' ? fs::path(home) / ".local/share/systole/unsaved" : fs::path();
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
    std::string state, what;
    std::vector<std::function<void(const std::string&)>> writers;
    for (const KeptWork& one : work) {
        what += (what.empty() ? "" : ", ") + one.name;
        state += one.name + ": " + one.state + "\n";
        writers.push_back(one.write);
    }
    if (state == state_)
        return;
    if (own_.empty())
        begin();
    if (own_.empty())
        return;
    state_ = state;
    if (!what.empty())
        what += fmt::format("; of {}", fmt::join(paths, ", "));
    writing_ = std::async(std::launch::async, [folder = own_.string(), what, writers] {
        try {
            if (what.empty())
                return removeFilesIn(folder);
            for (const auto& write : writers)
                write(folder);
            writeTextAtomically((fs::path(folder) / textName).string(), what + "\n");
        } catch (const std::exception&) { // no room, no memory: the work itself goes on
        }
    });
}

std::vector<Recovery::Left> Recovery::left() {
    std::vector<Left> all;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(all_, ignored)) {
        const std::string name = entry.path().filename().string();
        const int lock = name.starts_with(namePrefix) ? lockOf(entry.path(), 0) : -1;
        if (lock < 0)
            continue;
        const fs::path text = entry.path() / textName;
        if (!fs::exists(text, ignored)) {
            fs::remove_all(entry.path(), ignored);
        } else {
            const fs::path kept = all_ / (leftPrefix + name.substr(std::string(namePrefix).size()));
            fs::remove(entry.path() / lockName, ignored);
            std::error_code failure;
            fs::rename(entry.path(), kept, failure);
            const fs::path& now = failure ? entry.path() : kept;
            try {
                std::string what = wholeText((now / textName).string());
                while (what.ends_with('\n'))
                    what.pop_back();
                all.push_back({now.string(), what});
            } catch (const std::exception&) { // its files are there all the same
                all.push_back({now.string(), "unknown"});
            }
        }
        ::close(lock);
    }
    return all;
}

} // namespace systole
