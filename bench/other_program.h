// Other programs, run by a benchmark.
#pragma once

#include <string>
#include <vector>

namespace systole {

/// A folder of its own under the temporary one, removed with all it holds. Throws FileError.
class ScratchFolder {
public:
    ScratchFolder();
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

/// Runs a program without its output; true when it ended with 0. `threads`: what programs that ask
/// the environment use.
bool runQuietly(const std::vector<std::string>& arguments, int threads);

} // namespace systole
