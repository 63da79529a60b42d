// A list of blocks, counted and acquired.
#include "compute/core/error.h"
#include "compute/cuda/workspace.h"

#include <gtest/gtest.h>

namespace systole {
namespace {

TEST(Workspace, TakesWhatItCounts) {
    Workspace space;
    const Workspace::Block<float> floats = space.add<float>("floats", 100);
    const Workspace::Block<double> none = space.add<double>("none", 0);
    const Workspace::Block<char> odd = space.add<char>("odd", 65);
    EXPECT_EQ(space.data(floats), nullptr);
    BufferPool pool;
    space.acquire(pool);
    EXPECT_EQ(pool.usage().usedBytes, space.bytes());
    EXPECT_EQ(space.bytes(), 448u + 128u); // rounded up to 64 bytes each
    ASSERT_NE(space.data(floats), nullptr);
    EXPECT_EQ(space.data(none), nullptr);
    space.data(floats)[99] = 1;
    space.data(odd)[64] = 'x';
}

TEST(Workspace, GivesBackWhatItHoldsAndSaysWhatWasMissing) {
    BufferPool pool(1000);
    {
        Workspace space;
        space.add<char>("first", 600);
        space.add<char>("second", 600);
        EXPECT_THROW(space.acquire(pool), OutOfMemory);
    }
    EXPECT_EQ(pool.usage().usedBytes, 0u);
}

} // namespace
} // namespace systole
