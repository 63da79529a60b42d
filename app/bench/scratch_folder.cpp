#include "app/bench/scratch_folder.h"

#include "io/error.h"

#include <fmt/format.h>

#include <filesystem>
#include <unistd.h>

namespace systole {
namespace fs = std::filesystem;

ScratchFolder::ScratchFolder()
    : path_((fs::temp_directory_path() / "systole-bench-XXXXXX").string()) {
    if (!mkdtemp(path_.data()))
        throw FileError(fmt::format("{}: can't be made a folder", path_));
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

} // namespace systole
