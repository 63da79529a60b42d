// What to say where the system refuses a thread.
#pragma once

namespace systole {

inline constexpr const char* noThreadText =
    "no further thread can be started: a limit of threads, processes or memory is reached; end "
    "other programs or choose fewer with --threads";

} // namespace systole
