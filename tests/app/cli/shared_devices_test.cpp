// Memory that idle contexts keep, here of the host: pools are the same.
#include "app/cli/shared_devices.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace systole {
namespace {

constexpr std::size_t block = 4096;

void use(BufferPool& pool, int blocks) {
    std::vector<Buffer<std::byte>> held;
    for (int i = 0; i < blocks; ++i)
        held.push_back(pool.acquire<std::byte>(block, "test"));
}

TEST(SharedDevices, IdlePoolsKeepNoMoreThanTheyMayTogether) {
    BufferPool first, second;
    use(first, 3);
    keepAtMost(5 * block, first, {});
    EXPECT_EQ(first.usage().idleBytes, 3 * block);
    use(second, 2);
    keepAtMost(5 * block, second, {&first});
    EXPECT_EQ(second.usage().idleBytes, 2 * block);
    use(second, 3);
    keepAtMost(5 * block, second, {&first});
    EXPECT_EQ(second.usage().idleBytes, 0U);
    EXPECT_EQ(first.usage().idleBytes, 3 * block);
}

} // namespace
} // namespace systole
