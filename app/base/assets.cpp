#include "app/base/assets.h"

#include "io/base/error.h"

#include <fmt/format.h>

#include <cstdlib>
#include <system_error>
#include <vector>

namespace systole {
namespace fs = std::filesystem;

namespace {

/// Places of one kind of shipped file, in the order in which they are searched: the folder that an
/// environment variable names, one relative to the executable, one of the source tree.
struct Place {
    const char* variable;
    const char* besideExecutable;
    const char* source;
};
constexpr Place assets{"SYSTOLE_ASSETS", "share/systole/assets", SYSTOLE_SOURCE_ASSETS};
constexpr Place lessonPages{"SYSTOLE_LESSONS", "share/systole/lessons", SYSTOLE_SOURCE_LESSONS};
constexpr Place manualPages{"SYSTOLE_MANUAL", "share/systole/manual", SYSTOLE_SOURCE_MANUAL};

std::vector<fs::path> foldersOf(const Place& place) {
    std::vector<fs::path> folders;
    if (const char* chosen = std::getenv(place.variable); chosen && *chosen)
        folders.emplace_back(chosen);
    std::error_code failure;
    const fs::path executable = fs::read_symlink("/proc/self/exe", failure);
    if (!failure)
        folders.push_back(executable.parent_path().parent_path() / place.besideExecutable);
    folders.emplace_back(place.source);
    return folders;
}

std::optional<fs::path> find(const Place& place, const std::string& name) {
    std::error_code ignored;
    for (const fs::path& folder : foldersOf(place))
        if (fs::exists(folder / name, ignored))
            return folder / name;
    return std::nullopt;
}

fs::path pathIn(const Place& place, const std::string& name) {
    if (const std::optional<fs::path> found = find(place, name))
        return *found;
    std::string places;
    for (const fs::path& folder : foldersOf(place))
        places += (places.empty() ? "" : ", ") + folder.string();
    throw FileError(fmt::format("the bundled file {} is in none of {}", name, places));
}

} // namespace

std::optional<fs::path> findAsset(const std::string& name) { return find(assets, name); }

fs::path assetPath(const std::string& name) { return pathIn(assets, name); }

fs::path lessonPagePath(const std::string& name) { return pathIn(lessonPages, name); }

fs::path manualPagePath(const std::string& name) { return pathIn(manualPages, name); }

} // namespace systole
