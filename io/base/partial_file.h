// Files that aren't finished yet: hidden beside their final names, and removed again by this
// process or, if it was killed, by the next run. Nobody else's are touched.
#pragma once

#include <filesystem>
#include <string>

namespace systole {

/// The temporary name of a file. It begins with a mark of the host, the process and its start, and
/// ends with the final name, so that programs that choose a format by name would choose the same.
class PartialFile {
public:
    explicit PartialFile(const std::filesystem::path& finalPath);
    /// Removes the file if it is still there.
    ~PartialFile();
    PartialFile(const PartialFile&) = delete;
    PartialFile& operator=(const PartialFile&) = delete;

    const std::string& path() const { return path_; }
    /// Gives the file its final name. Returns 0 or the error of the system: EEXIST if another file
    /// has that name and isn't to be replaced.
    int rename(const std::string& finalPath, bool replaces) const;
    /// True for the path of one that this process is writing.
    static bool isOne(const std::string& path);

private:
    std::string path_;
};

/// Whether a file's name begins as that of a partial file, whoever has made it.
bool isNamedAsPartial(const std::string& name);

/// Removes from a folder what killed processes of this host left there. Only regular files by names
/// that PartialFile makes; what other hosts write into a shared folder stays.
void removeDeadPartialFiles(const std::filesystem::path& folder) noexcept;

/// Ends the process at once. What it is writing is removed, and no other file gets its final name.
/// Allocates nothing: it is called where memory is gone, too.
[[noreturn]] void endProcess(int exitCode) noexcept;

} // namespace systole
