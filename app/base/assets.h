// Places of the files shipped with the program: demo sequence, font, lessons, manual.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace systole {

inline constexpr const char* demoSequenceName = "demo_cine_mr.nii.gz";
inline constexpr const char* fontName =
    "DejaVuSans.ttf"; ///< shipped only with a relocatable bundle

/// Looks in the folder named by the environment variable SYSTOLE_ASSETS, then in
/// ../share/systole/assets relative to the executable, then in assets/ of the source tree that the
/// program was built from. Throws FileError naming the three places.
std::filesystem::path assetPath(const std::string& name);
/// Searches like assetPath() for a file that the program can do without; nothing: it is missing.
std::optional<std::filesystem::path> findAsset(const std::string& name);
/// A page of docs/lessons: looks in the folder named by SYSTOLE_LESSONS, then in
/// ../share/systole/lessons relative to the executable, then in the source tree. Throws FileError
/// naming the three places.
std::filesystem::path lessonPagePath(const std::string& name);
/// A page of docs/manual: searches like lessonPagePath(), in the folders that SYSTOLE_MANUAL and
/// ../share/systole/manual name.
std::filesystem::path manualPagePath(const std::string& name);

} // namespace systole
