// Locks that the kernel frees when the last process dies that holds them, however it dies.
#pragma once

#include <string>

namespace systole {

/// An exclusive lock of a file, which is created if necessary. Programs that are started while it
/// is held hold it, too (see Child).
class FileLock {
public:
    /// Waits until it is free. Throws FileError.
    explicit FileLock(const std::string& path) : FileLock(path, true) {}
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

    /// Doesn't wait; held() says whether it was free.
    static FileLock tryLock(const std::string& path) { return FileLock(path, false); }
    /// True if somebody holds the lock now; false for a file that can't be opened. Takes no lock
    /// and creates no file, so that the check hinders nobody.
    static bool isHeld(const std::string& path);
    bool held() const { return held_; }

private:
    FileLock(const std::string& path, bool wait);
    int file_ = -1;
    bool held_ = false;
};

} // namespace systole
