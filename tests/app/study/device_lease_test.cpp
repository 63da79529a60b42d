// GPUs shared by processes: no GPU is needed, devices are names with a size.
#include "app/study/device_lease.h"
#include "tests/support/becomes.h"
#include "tests/support/program.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace systole {
namespace {

using systole::testing::TemporaryFolder;

constexpr std::uint64_t gigabyte = std::uint64_t{1} << 30;

class Lease : public ::testing::Test {
protected:
    std::unique_ptr<DeviceLease> tryLease(std::uint64_t gigabytes) const {
        return DeviceLease::tryLease(folder_ / "devices", devices_, gigabytes * gigabyte);
    }
    TemporaryFolder folder_;
    std::vector<LeasableDevice> devices_{{"GPU-a", 80 * gigabyte}, {"GPU-b", 80 * gigabyte}};
};

TEST_F(Lease, TwoBigOnesAreNeverOnTheSameDevice) {
    const auto first = tryLease(50), second = tryLease(50);
    ASSERT_TRUE(first && second);
    EXPECT_NE(first->device().uuid, second->device().uuid);
    EXPECT_FALSE(tryLease(50));
    EXPECT_TRUE(tryLease(10));
}

TEST_F(Lease, SmallOnesShareADeviceAsFarAsTheyFit) {
    devices_.pop_back();
    std::vector<std::unique_ptr<DeviceLease>> leases;
    while (auto lease = tryLease(10))
        leases.push_back(std::move(lease));
    EXPECT_EQ(leases.size(), 6U); // 72 of 80 GiB are lent; a process takes 0.6 GiB more
    leases.erase(leases.begin() + 2);
    EXPECT_TRUE(tryLease(10));
    EXPECT_FALSE(tryLease(20)); // not in pieces
}

TEST_F(Lease, WhatIsTooBigHasADeviceForItself) {
    const auto huge = tryLease(500);
    ASSERT_TRUE(huge);
    const auto other = tryLease(1);
    ASSERT_TRUE(other);
    EXPECT_NE(huge->device().uuid, other->device().uuid);
    EXPECT_FALSE(tryLease(500));
}

TEST_F(Lease, AKilledProcessGivesItsMemoryBack) {
    devices_.pop_back();
    int taken[2];
    ASSERT_EQ(::pipe(taken), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const DeviceLease lease(folder_ / "devices", devices_, 60 * gigabyte);
        [[maybe_unused]] const auto written = ::write(taken[1], "x", 1);
        for (;;)
            ::pause();
    }
    char sign = 0;
    ASSERT_EQ(::read(taken[0], &sign, 1), 1);
    EXPECT_FALSE(tryLease(60));
    ::kill(child, SIGKILL);
    // Waits until the kernel has freed it.
    const DeviceLease lease(folder_ / "devices", devices_, 60 * gigabyte);
    EXPECT_EQ(lease.device().uuid, "GPU-a");
    ::waitpid(child, nullptr, 0);
    ::close(taken[0]);
    ::close(taken[1]);
}

TEST_F(Lease, AProcessHasAsManyAsKeepItsDevicesBusyAndEachHasItsTurn) {
    constexpr int most = 16, all = 20; // two devices, whose memory would suffice for more than 16
    LeasePlaces places;
    std::atomic<int> asked = 0, held = 0, done = 0;
    std::atomic<bool> end = false;
    std::vector<std::jthread> threads;
    for (int i = 0; i < all; ++i)
        threads.emplace_back([&] {
            ++asked;
            const DeviceLease lease(folder_ / "devices", devices_, gigabyte, &places);
            EXPECT_LE(++held, most);
            end.wait(false);
            --held;
            ++done;
        });
    EXPECT_TRUE(test::becomes([&] { return asked == all && held == most; }));
    end = true;
    end.notify_all();
    threads.clear();
    EXPECT_EQ(done, all);
}

} // namespace
} // namespace systole
