// Message for a thread that the system refuses to start.
#pragma once

namespace systole {

inline constexpr const char* noThreadText =
    "no further thread can be started: a limit of threads, processes or memory is reached; end "
    "other programs or choose fewer with --threads";

} // namespace systole
