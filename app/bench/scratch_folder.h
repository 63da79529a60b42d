// A folder of its own under the temporary one, removed with all it holds.
#pragma once

#include <string>

namespace systole {

class ScratchFolder {
public:
    ScratchFolder(); ///< throws FileError if the folder can't be made
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

} // namespace systole
