// Values of the host in memory of a device.
#pragma once

#include "compute/cuda/context.h"

#include <ranges>

namespace systole {

/// A copy in device memory, enqueued on the Compute stream. Throws OutOfMemory naming `name`.
template <std::ranges::contiguous_range Values, typename T = std::ranges::range_value_t<Values>>
Buffer<T> uploaded(const Values& values, const char* name, CudaContext& cuda) {
    Buffer<T> copy = cuda.devicePool().acquire<T>(values.size(), name);
    if (!values.empty())
        cuda.upload(values.data(), copy.data(), values.size() * sizeof(T), CudaStream::Compute);
    return copy;
}

} // namespace systole
