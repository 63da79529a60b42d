// The folder that a command fills, with a record that is there exactly when the folder is complete.
#pragma once

#include <string>

namespace systole {

/// Makes the folder and removes the record of an older run, the fields that it lists, and what
/// killed runs left half written. Throws FileError.
void beginRunFolder(const std::string& folder, const std::string& recordName);

} // namespace systole
