// Coefficients stored in 16 bits while a system is solved: half the bytes that a sweep streams. J
// and b each get a unit, a power of two that puts the largest value near the top of the range:
// nothing overflows, and only values below 2⁻³⁸ of the largest underflow. Each value keeps 11 bits.
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
    Buffer<unsigned> largest_; ///< largest values in J and b, as bits
};

} // namespace systole::clg
