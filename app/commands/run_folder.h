// The output folder of a command, with a record that exists exactly when the folder is complete.
#pragma once

#include <string>

namespace systole {

/// Creates the folder and removes the record of an older run, the fields that it lists, and files
/// left half written by killed runs. Throws FileError.
void beginRunFolder(const std::string& folder, const std::string& recordName);

} // namespace systole
