// Coefficients stored in 16 bits while a system is solved: half the bytes that a sweep streams. J
// and b each get a unit, a power of two such that the largest value stands near the top of the
// range: nothing overflows, and what underflows is 2⁻³⁸ of the largest. Each value keeps 11 bits.
#pragma once

#include "compute/methods/clg/solver/system_cuda.cuh"

namespace systole::clg {

class HalfStore {
public:
    HalfStore(CudaContext& cuda, Size3 size);
    static std::size_t scratchBytes(Size3 size);

    /// Valid until the next call, in stream order.
    HalfTensor store(const DeviceSystem& system, LaunchLog& log);

private:
    Buffer<__half> planes_;
    Buffer<float> units_;
    Buffer<unsigned> largest_; ///< of J and of b, as bits
};

} // namespace systole::clg
