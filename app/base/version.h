// Versions of the program and of its libraries, for --version, doctor and run records.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace systole {

const char* programVersion(); ///< "0.1.0"
/// Name and version of each library that this program was built with.
std::vector<std::pair<std::string, std::string>> libraryVersions();

} // namespace systole
