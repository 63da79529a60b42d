// Work in a process of its own: what it returns, and every way in which it can fail.
#include "app/base/made_apart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace systole {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t need = std::size_t{64} << 20;

std::string failureOf(const std::function<std::string()>& work, std::size_t bytes = need) {
    const MadeApart made = madeApart(work, bytes);
    EXPECT_EQ(made.bytes, "");
    return made.failure;
}

TEST(MadeApart, ReturnsWhatTheWorkReturns) {
    std::string expected; // more than a pipe holds
    for (int n = 0; n < 200'000; ++n)
        expected += std::to_string(n);
    const MadeApart made = madeApart([&] { return expected; }, need);
    EXPECT_EQ(made.failure, "");
    EXPECT_TRUE(made.bytes == expected);
}

TEST(MadeApart, ChangesNothingHere) {
    int changed = 0;
    const MadeApart made = madeApart(
        [&] {
            changed = 1;
            return std::string("done");
        },
        need);
    EXPECT_EQ(made.bytes, "done");
    EXPECT_EQ(changed, 0);
}

TEST(MadeApart, SurvivesEveryDeath) {
    EXPECT_THAT(failureOf([]() -> std::string {
                    std::raise(SIGSEGV);
                    return "x";
                }),
                HasSubstr("signal 11"));
    EXPECT_THAT(failureOf([]() -> std::string { std::abort(); }), HasSubstr("signal 6"));
    EXPECT_THAT(failureOf([]() -> std::string { ::_exit(0); }), HasSubstr("failed"));
    EXPECT_THAT(failureOf([]() -> std::string { throw std::runtime_error("x"); }),
                HasSubstr("failed"));
    EXPECT_THAT(failureOf([]() -> std::string { throw std::bad_alloc(); }), HasSubstr("64.0 MiB"));
}

TEST(MadeApart, BeginsOnlyWithTheMemoryThatItNeeds) {
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
    std::size_t pages = 0; // pages of this process
    std::ifstream("/proc/self/statm") >> pages;
    const auto taken = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const rlimit tight{taken + need / 4, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_AS, &tight), 0);
    const MadeApart made = madeApart([] { return std::string("x"); }, need);
    ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
    EXPECT_EQ(made.bytes, "");
    EXPECT_THAT(made.failure, HasSubstr("64.0 MiB of memory"));
}

} // namespace
} // namespace systole
