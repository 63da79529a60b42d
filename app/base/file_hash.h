// The hash of input files, by which a picture knows the image that it shows.
#pragma once

#include <mutex>
#include <string>
#include <vector>

namespace systole {

/// SHA-256 in hexadecimal of the bytes of all files, one after the other; a folder stands for all
/// files in it and below, sorted by path. For a single file that is what sha256sum prints. Throws
/// FileError.
std::string sha256Of(const std::vector<std::string>& paths);

/// sha256Of() of one set of files that is requested often: reads them only when names, sizes or
/// dates have changed. May be called from any thread.
class FileHash {
public:
    std::string of(const std::vector<std::string>& paths);

private:
    std::mutex mutex_;
    std::string stamp_, hash_; ///< names, sizes and dates of the files; their hash
};

} // namespace systole
