// A step of an estimation that may turn out not to be needed while the estimation runs.
#pragma once

namespace systole {

/// Nothing is done where *skip isn't 0; `skip` is null, or where the step's data is: in host or
/// device memory.
struct SkippedStep {
    const char* name; ///< name in the host's profile
    const int* skip;
};

} // namespace systole
