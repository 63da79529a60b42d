#include "app/assets.h"

#include "io/error.h"

#include <fmt/format.h>

#include <cstdlib>
#include <system_error>
#include <vector>

namespace systole {
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> assetFolders() {
    std::vector<fs::path> folders;
    if (const char* chosen = std::getenv("SYSTOLE_ASSETS"); chosen && *chosen)
        folders.emplace_back(chosen);
    std::error_code failure;
    const fs::path executable = fs::read_symlink("/proc/self/exe", failure);
    if (!failure)
        folders.push_back(executable.parent_path().parent_path() / "share/systole/assets");
    folders.emplace_back(SYSTOLE_SOURCE_ASSETS);
    return folders;
}

} // namespace

std::optional<fs::path> findAsset(const std::string& name) {
    std::error_code ignored;
    for (const fs::path& folder : assetFolders())
        if (fs::exists(folder / name, ignored))
            return folder / name;
    return std::nullopt;
}

fs::path assetPath(const std::string& name) {
    if (const std::optional<fs::path> found = findAsset(name))
        return *found;
    std::string places;
    for (const fs::path& folder : assetFolders())
        places += (places.empty() ? "" : ", ") + folder.string();
    throw FileError(fmt::format("the bundled file {} is in none of {}", name, places));
}

} // namespace systole
