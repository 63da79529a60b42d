// Files whose name is here and whose content isn't, as in data sets of DataLad and git-annex.
#pragma once

#include <filesystem>
#include <string>

namespace systole {

/// Why the content of a file isn't on this computer, as the rest of a sentence that begins with
/// its path: a link that leads nowhere or round in a circle, or the short text that git-annex and
/// Git LFS keep in the file's place. Empty: it is here, the path has no file at all, or it can't be
/// looked at, which its reader says.
std::string whyAbsent(const std::filesystem::path& path);

} // namespace systole
