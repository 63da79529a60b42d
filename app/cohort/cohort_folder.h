// Folders below that of a cohort.
#pragma once

#include <filesystem>

namespace systole {

/// Creates output/below. No part of `below` may be a link, which would lead out of the cohort's
/// folder. Throws FileError.
void makeFolderBelow(const std::filesystem::path& output, const std::filesystem::path& below);

} // namespace systole
