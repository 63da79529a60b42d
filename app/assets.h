// Where the files that come with the program are: the demo sequence and its like.
#pragma once

#include <filesystem>
#include <string>

namespace systole {

inline constexpr const char* demoSequenceName = "demo_cine_mr.nii.gz";

/// Looks in the folder named by the environment variable SYSTOLE_ASSETS, then in
/// ../share/systole/assets beside the executable, then in assets/ of the source tree that the
/// program was built from. Throws FileError naming the three places.
std::filesystem::path assetPath(const std::string& name);

} // namespace systole
