#include "tests/render/cuda_error_state.h"

namespace systole {

std::string pendingCudaError() { return {}; }

} // namespace systole
