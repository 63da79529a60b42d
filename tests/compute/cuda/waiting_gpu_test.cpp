// Threads that sleep while they wait must be woken, and find what the device has done.
#include "compute/cuda/waiting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace systole {
namespace {

/// Numbers that go to the device and come back.
void expectRoundTrip(CudaContext& cuda, float first) {
    std::vector<float> sent(100000), back(sent.size(), 0.0F);
    std::ranges::generate(sent, [&] { return first += 0.5F; });
    Buffer<float> there = cuda.devicePool().acquire<float>(sent.size(), "test");
    const std::size_t bytes = sent.size() * sizeof(float);
    cuda.upload(sent.data(), there.data(), bytes, CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);
    cuda.download(there.data(), back.data(), bytes, CudaStream::Compute);
    cuda.record(CudaStream::Compute)->wait();
    EXPECT_EQ(back, sent);
}

TEST(CudaWaiting, ThreadsThatSleepFindWhatTheDeviceHasDone) {
    const CudaStatus status = cudaStatus();
    if (!status.usable())
        GTEST_SKIP() << status.reason;
    if constexpr (cudaIsBuilt) {
        CudaContext before({.share = 0.1}), after({.share = 0.1});
        sleepWhileWaiting(before);
        sleepWhileWaiting(after);
        EXPECT_TRUE(sleepsWhileWaiting());
        expectRoundTrip(before, 1);
        std::thread other([&] { expectRoundTrip(after, 100); });
        expectRoundTrip(before, 10);
        other.join();
        CudaContext later({.share = 0.1});
        expectRoundTrip(later, 1000);
    }
}

} // namespace
} // namespace systole
