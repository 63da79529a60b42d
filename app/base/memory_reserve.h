// A memory reserve, with which the program ends in order when the system has no memory left.
#pragma once

namespace systole {

/// Allocates the reserve; main() calls it once. From then on, when the system has no memory,
/// operator new frees the reserve and retries, so that current work can end. If only one request
/// was too large, the reserve is allocated again and std::bad_alloc is thrown as usual. If not even
/// a small request succeeds, or std::bad_alloc would leave a function that mustn't throw, a fixed
/// sentence goes to standard error and the process ends with exit code 1 by endProcess(), without
/// any allocation.
void keepMemoryReserve();

} // namespace systole
