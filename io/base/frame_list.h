// Several files, a volume each, as the frames of one sequence.
#pragma once

#include "compute/core/sequence.h"
#include "io/base/open_options.h"

#include <string>
#include <vector>

namespace systole {

/// Opens files as frames, in the order given. All must share one geometry; time is unknown unless
/// the user gives it. Throws FileError naming the file that differs.
Sequence openFrameList(const std::vector<std::string>& paths, const OpenOptions& options);

} // namespace systole
