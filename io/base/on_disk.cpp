#include "io/base/on_disk.h"

#include "io/base/messages.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace systole {
namespace {

/// 0, or why it isn't on the disk.
int waitFor(const char* path, int flags) {
    const int file = ::open(path, O_RDONLY | O_CLOEXEC | flags);
    if (file < 0) // a folder that may be written to but not read
        return errno == EACCES ? 0 : errno;
    int failure = 0;
    while (::fsync(file) != 0) {
        failure = errno;
        if (failure != EINTR)
            break;
        failure = 0;
    }
    ::close(file);
    const bool cannotTell = failure == EINVAL || failure == ENOSYS || failure == EROFS ||
                            failure == EOPNOTSUPP || failure == EBADF;
    return cannotTell ? 0 : failure;
}

} // namespace

void waitForFile(const std::string& path, const std::string& finalPath) {
    if (const int failure = waitFor(path.c_str(), O_NOFOLLOW); failure != 0)
        throw fileError(finalPath, "cannot be written to the disk: {}", std::strerror(failure));
}

void waitForNames(const std::filesystem::path& folder) {
    const std::string path = folder.empty() ? "." : folder.string();
    if (const int failure = waitFor(path.c_str(), O_DIRECTORY); failure != 0)
        throw fileError(path, "the folder cannot be written to the disk: {}",
                        std::strerror(failure));
}

} // namespace systole
