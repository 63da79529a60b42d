#include "app/assets.h"

#include "io/error.h"

#include <fmt/format.h>

#include <cstdlib>
#include <system_error>
#include <vector>

namespace systole {
namespace fs = std::filesystem;

fs::path assetPath(const std::string& name) {
    std::vector<fs::path> folders;
    if (const char* chosen = std::getenv("SYSTOLE_ASSETS"); chosen && *chosen)
        folders.emplace_back(chosen);
    std::error_code failure;
    const fs::path executable = fs::read_symlink("/proc/self/exe", failure);
    if (!failure)
        folders.push_back(executable.parent_path().parent_path() / "share/systole/assets");
    folders.emplace_back(SYSTOLE_SOURCE_ASSETS);

    std::string places;
    for (const fs::path& folder : folders) {
        if (fs::exists(folder / name, failure))
            return folder / name;
        places += (places.empty() ? "" : ", ") + folder.string();
    }
    throw FileError(fmt::format("the bundled file {} is in none of {}", name, places));
}

} // namespace systole
