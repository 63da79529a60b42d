// One file for each frame: the names, and writing them all.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace systole {

/// "heart_0003.nii.gz" for frame 3 of "heart.nii.gz".
std::string numberedPath(const std::string& path, int frame);

/// The first file of writeNumbered().
std::string firstNumbered(const std::string& path, const std::vector<int>& frames);

/// "Surfaces of 13 frames, a file each,", or "Surfaces" where there is one file.
std::string namedByFrame(const std::string& what, const std::vector<int>& frames);

/// Calls `write` with each index of `frames` and its path: numbered, unless there is one only.
/// Throws FileError, before the first, if a numbered one exists: nobody has agreed to replace it.
void writeNumbered(const std::string& path, const std::vector<int>& frames,
                   const std::function<void(std::size_t index, const std::string& path)>& write);

} // namespace systole
