// Arrays of any type on a CUDA device, for tests that need them there.
#pragma once

#include "compute/cuda/context.h"

#include <vector>

namespace systole::test {

template <typename T>
class DeviceArray {
public:
    DeviceArray(CudaContext& cuda, const std::vector<T>& values)
        : DeviceArray(cuda, values.size()) {
        cuda.upload(values.data(), data(), values.size() * sizeof(T), CudaStream::Compute);
        cuda.synchronize(CudaStream::Compute);
    }
    /// Bits of no number, so that what a kernel left out shows.
    DeviceArray(CudaContext& cuda, std::size_t count)
        : cuda_(cuda), count_(count), buffer_(cuda.devicePool().acquire<T>(count, "test")) {
        const std::vector<unsigned char> poison(count * sizeof(T), 0xff);
        cuda.upload(poison.data(), data(), poison.size(), CudaStream::Compute);
        cuda.synchronize(CudaStream::Compute);
    }

    T* data() { return buffer_.data(); }
    std::vector<T> download() {
        std::vector<T> values(count_);
        cuda_.download(data(), values.data(), count_ * sizeof(T), CudaStream::Compute);
        cuda_.synchronize(CudaStream::Compute);
        return values;
    }

private:
    CudaContext& cuda_;
    std::size_t count_;
    Buffer<T> buffer_;
};

} // namespace systole::test
