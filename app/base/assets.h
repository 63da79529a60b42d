// Where the files that come with the program are: the demo sequence and its like.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace systole {

inline constexpr const char* demoSequenceName = "demo_cine_mr.nii.gz";
inline constexpr const char* fontName =
    "DejaVuSans.ttf"; ///< shipped only with a relocatable bundle

/// Looks in the folder named by the environment variable SYSTOLE_ASSETS, then in
/// ../share/systole/assets beside the executable, then in assets/ of the source tree that the
/// program was built from. Throws FileError naming the three places.
std::filesystem::path assetPath(const std::string& name);
/// The same, for what the program can do without.
std::optional<std::filesystem::path> findAsset(const std::string& name);
/// A page of docs/lessons: looks in the folder named by SYSTOLE_LESSONS, then in
/// ../share/systole/lessons beside the executable, then in the source tree. Throws FileError
/// naming the three places.
std::filesystem::path lessonPagePath(const std::string& name);
/// The same of docs/manual, with SYSTOLE_MANUAL and ../share/systole/manual.
std::filesystem::path manualPagePath(const std::string& name);

} // namespace systole
