#include "app/study/file_lock.h"

#include "io/base/text.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace systole {
namespace {

/// A lock of an open file description: programs that inherit the file hold it, as with flock(), and
/// the kernel tells whether there is one without giving it.
struct flock wholeFile() {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return lock;
}

} // namespace

FileLock::FileLock(const std::string& path, bool wait) {
    file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW, 0666);
    if (file_ < 0)
        throw fileError(path, std::string("can't be opened as a lock: ") + std::strerror(errno));
    int result = 0;
    do {
        struct flock lock = wholeFile();
        result = ::fcntl(file_, wait ? F_OFD_SETLKW : F_OFD_SETLK, &lock);
    } while (result != 0 && errno == EINTR);
    held_ = result == 0;
    if (!held_ && errno != EAGAIN && errno != EACCES) {
        const std::string why = std::strerror(errno);
        ::close(file_);
        throw fileError(path, "can't be locked: " + why);
    }
}

FileLock::~FileLock() { ::close(file_); }

bool FileLock::isHeld(const std::string& path) {
    // A pipe by that name is not waited for.
    const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return false;
    struct flock lock = wholeFile();
    const bool held = ::fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    ::close(file);
    return held;
}

} // namespace systole
