// Error of a failed call that the CUDA runtime still holds.
#pragma once

#include <string>

namespace systole {

/// The name of the error that the next innocent call would be blamed for, and forgets it; empty:
/// none.
std::string pendingCudaError();

} // namespace systole
