// The name of a file without its endings.
#pragma once

#include <string>

namespace systole {

/// "heart" of "heart.nii.gz".
inline std::string fileStem(const std::string& name) { return name.substr(0, name.find('.')); }

} // namespace systole
