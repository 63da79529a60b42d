// Whether what was written is on the disk, not only in the system's memory: it outlasts a power
// failure.
#pragma once

#include <filesystem>
#include <string>

namespace systole {

/// Waits until the bytes of a file are on the disk. Throws FileError naming `finalPath`, the name
/// that the file will get, where the disk fails or is full; where a file system can't tell, nothing
/// is known and nothing happens.
void waitForFile(const std::string& path, const std::string& finalPath);
/// Waits until the names in a folder are on the disk: files made, renamed and removed there. Throws
/// FileError as waitForFile() does, naming the folder.
void waitForNames(const std::filesystem::path& folder);

} // namespace systole
