#include "app/cohort/file_lock.h"

#include "io/text.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace systole {

FileLock::FileLock(const std::string& path, bool wait) {
    file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW, 0666);
    if (file_ < 0)
        throw fileError(path, std::string("can't be opened as a lock: ") + std::strerror(errno));
    int result = 0;
    do
        result = ::flock(file_, LOCK_EX | (wait ? 0 : LOCK_NB));
    while (result != 0 && errno == EINTR);
    held_ = result == 0;
    if (!held_ && errno != EWOULDBLOCK) {
        const std::string why = std::strerror(errno);
        ::close(file_);
        throw fileError(path, "can't be locked: " + why);
    }
}

FileLock::~FileLock() { ::close(file_); }

} // namespace systole
