#include "io/base/partial_file.h"

#include <climits>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = ".partial-";

std::string textOf(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// Process numbers mean the same to all that have this number: a checksum of the host's names and
/// of the namespace of its processes, since containers count their own.
std::uint32_t thisHost() {
    std::array<char, HOST_NAME_MAX + 1> name{};
    ::gethostname(name.data(), name.size() - 1);
    std::error_code unknown;
    const std::string all = name.data() + ("\n" + textOf("/etc/machine-id")) +
                            fs::read_symlink("/proc/self/ns/pid", unknown).string();
    return static_cast<std::uint32_t>(
        ::crc32_z(0, reinterpret_cast<const Bytef*>(all.data()), all.size()));
}

/// When a process has started, in ticks since the start of the system; 0: unknown. It tells it from
/// a later one of the same number.
std::uint64_t startOf(int process) {
    const std::string status = textOf(fmt::format("/proc/{}/stat", process));
    // End of the program's name, which may contain any character.
    std::size_t at = status.rfind(')');
    constexpr int fieldsBetween = 20; // fields between the name and the 22nd, the start
    for (int field = 0; field < fieldsBetween && at != std::string::npos; ++field)
        at = status.find(' ', at + 1);
    std::uint64_t start = 0;
    if (at != std::string::npos)
        std::from_chars(status.data() + at + 1, status.data() + status.size(), start);
    return start;
}

struct Mark {
    std::uint32_t host = 0;
    std::uint64_t process = 0, start = 0;
};

std::string nameWith(const Mark& mark, const std::string& finalName) {
    return fmt::format("{}{:08x}-{}-{}-{}", prefix, mark.host, mark.process, mark.start, finalName);
}

/// Nothing unless nameWith() makes this name of the mark.
std::optional<Mark> markIn(const std::string& name) {
    if (!name.starts_with(prefix))
        return std::nullopt;
    const char* at = name.data() + prefix.size();
    const char* const end = name.data() + name.size();
    const auto takes = [&](auto& number, int base) {
        const auto [after, error] = std::from_chars(at, end, number, base);
        if (error != std::errc{} || after == end || *after != '-')
            return false;
        at = after + 1;
        return true;
    };
    Mark mark;
    if (!takes(mark.host, 16) || !takes(mark.process, 10) || !takes(mark.start, 10) ||
        mark.process == 0 || mark.process > INT_MAX || nameWith(mark, at) != name)
        return std::nullopt;
    return mark;
}

/// Whether the process, one of this host, has ended; false in doubt.
bool hasEnded(const Mark& mark) {
    const int process = static_cast<int>(mark.process);
    if (::kill(process, 0) != 0 && errno == ESRCH)
        return true;
    const std::uint64_t start = startOf(process);
    return start != 0 && mark.start != 0 && start != mark.start;
}

/// Partial files that this process is writing. Like the names on the disk they belong to the
/// process: whoever ends the process must know all of them.
struct Written {
    std::mutex mutex;
    std::multiset<std::string> paths;
};

Written& written() {
    // Never destroyed: threads may write to the very end. Nor allocated: see endProcess().
    alignas(Written) static std::array<std::byte, sizeof(Written)> place;
    static auto* const all = new (place.data()) Written;
    return *all;
}

} // namespace

PartialFile::PartialFile(const fs::path& finalPath) {
    const int process = ::getpid();
    const Mark mark{thisHost(), static_cast<std::uint64_t>(process), startOf(process)};
    path_ = (finalPath.parent_path() / nameWith(mark, finalPath.filename().string())).string();
    // Nothing is allocated under the lock: who is out of memory ends the process, which takes it.
    std::multiset<std::string> entry{path_};
    const std::lock_guard lock(written().mutex);
    written().paths.insert(entry.extract(entry.begin()));
}

PartialFile::~PartialFile() {
    const std::lock_guard lock(written().mutex);
    ::unlink(path_.c_str());
    written().paths.erase(written().paths.find(path_));
}

int PartialFile::rename(const std::string& finalPath, bool replaces) const {
    const std::lock_guard lock(written().mutex);
    const char* const from = path_.c_str();
    const char* const to = finalPath.c_str();
    if (!replaces) {
        if (::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
            return 0;
        if (errno != EINVAL && errno != ENOSYS)
            return errno;
        struct stat there {}; // a file system that can't do it in one step
        if (::lstat(to, &there) == 0)
            return EEXIST;
    }
    return std::rename(from, to) == 0 ? 0 : errno;
}

bool PartialFile::isOne(const std::string& path) {
    const std::lock_guard lock(written().mutex);
    return written().paths.contains(path);
}

bool isNamedAsPartial(const std::string& name) { return name.starts_with(prefix); }

void removeDeadPartialFiles(const fs::path& folder) noexcept {
    try {
        std::error_code ignored;
        const std::uint32_t host = thisHost();
        const fs::directory_iterator none;
        for (fs::directory_iterator entry(folder, ignored); entry != none;
             entry.increment(ignored)) {
            const std::optional<Mark> mark = markIn(entry->path().filename().string());
            if (mark && mark->host == host && hasEnded(*mark) &&
                entry->symlink_status(ignored).type() == fs::file_type::regular)
                fs::remove(entry->path(), ignored);
        }
    } catch (const std::exception&) { // no memory, or no look into the system: the next run's
    }
}

void endProcess(int exitCode) noexcept {
    written().mutex.lock(); // never unlocked: the other threads go on, and must not finish a file
    for (const std::string& path : written().paths)
        ::unlink(path.c_str());
    ::_exit(exitCode);
}

} // namespace systole
