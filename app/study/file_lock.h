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
    /// Whether somebody holds it now. Takes nothing and creates no file, so that asking is in
    /// nobody's way; false for a file that can't be opened.
    static bool isHeld(const std::string& path);
    bool held() const { return held_; }

private:
    FileLock(const std::string& path, bool wait);
    int file_ = -1;
    bool held_ = false;
};

} // namespace systole
