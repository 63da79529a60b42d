// Finished fields under a budget, on the host and on the device.
#include "app/estimation/field_cache.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace systole {
namespace {

std::shared_ptr<const FrameResult> resultOf(int frame, BufferPool& pool) {
    auto result = std::make_shared<FrameResult>();
    result->fixedFrame = frame;
    result->field =
        std::make_shared<VectorField>(Geometry({4, 4, 4}, {1, 1, 1}), pool, "test field");
    return result;
}

TEST(FieldCache, HoldsItsBudgetAndForgetsWhatWasUsedLongestAgo) {
    BufferPool pool;
    const std::size_t one = residentBytes(*resultOf(0, pool)).host;
    EXPECT_EQ(one, 3u * 64u * sizeof(float));
    FieldCache cache({3 * one, 0});
    for (int frame = 0; frame < 3; ++frame)
        cache.put(resultOf(frame, pool));
    EXPECT_NE(cache.find(0), nullptr); // now 1 is the oldest
    cache.put(resultOf(3, pool));
    EXPECT_EQ(cache.bytes(), (ResidentBytes{3 * one, 0}));
    EXPECT_FALSE(cache.contains(1));
    EXPECT_TRUE(cache.contains(0) && cache.contains(2) && cache.contains(3));
    const auto replaced = resultOf(2, pool);
    cache.put(replaced);
    EXPECT_EQ(cache.frames(), (std::vector<int>{0, 2, 3}));
    EXPECT_EQ(cache.find(2), replaced);
    cache.clear();
    EXPECT_EQ(cache.bytes(), ResidentBytes{});
    EXPECT_EQ(pool.usage().usedBytes, one); // `replaced` alone
}

TEST(FieldCache, AFieldFromZeroStaysBesideALaterOne) {
    BufferPool pool;
    const std::size_t one = residentBytes(*resultOf(0, pool)).host;
    FieldCache cache({10 * one, 0});
    const auto zero = resultOf(1, pool), later = resultOf(1, pool);
    cache.put(zero, FieldStart::Zero);
    EXPECT_EQ(cache.find(1), zero); // good for both
    cache.put(later, FieldStart::LastPair);
    EXPECT_EQ(cache.find(1), later);
    EXPECT_EQ(cache.find(1, FieldStart::Zero), zero);
    EXPECT_EQ(cache.bytes().host, 2 * one);
    cache.put(resultOf(2, pool), FieldStart::LastPair);
    EXPECT_EQ(cache.frames(), (std::vector<int>{1, 2}));
    EXPECT_EQ(cache.frames(FieldStart::Zero), std::vector<int>{1});
    EXPECT_FALSE(cache.contains(2, FieldStart::Zero));
    const auto again = resultOf(1, pool);
    cache.put(again, FieldStart::Zero);
    EXPECT_EQ(cache.find(1), again);
    EXPECT_EQ(cache.bytes().host, 2 * one);
}

TEST(FieldCache, CountsTheDeviceApart) {
    BufferPool pool;
    const auto onDevice = [&](int frame) {
        auto result = std::make_shared<FrameResult>();
        auto device = std::make_shared<DeviceResult>();
        device->field = resultOf(frame, pool)->field;
        result->fixedFrame = frame;
        result->device = device;
        return result;
    };
    const std::size_t one = residentBytes(*resultOf(0, pool)).host;
    EXPECT_EQ(residentBytes(*onDevice(0)), (ResidentBytes{0, one}));
    FieldCache cache({10 * one, 2 * one});
    for (int frame = 0; frame < 3; ++frame)
        cache.put(onDevice(frame));
    cache.put(resultOf(3, pool));
    cache.put(resultOf(4, pool));
    EXPECT_EQ(cache.frames(), (std::vector<int>{1, 2, 3, 4}));
    EXPECT_EQ(cache.bytes(), (ResidentBytes{2 * one, 2 * one}));
    cache.setBudget({10 * one, one});
    EXPECT_EQ(cache.bytes().device, one);
    cache.put(onDevice(5));
    EXPECT_TRUE(cache.contains(5));
    EXPECT_EQ(cache.bytes().device, one);
}

TEST(FieldCache, RefusesWhatIsLargerThanItsBudget) {
    BufferPool pool;
    FieldCache cache({100, 0});
    cache.put(resultOf(0, pool));
    EXPECT_TRUE(cache.frames().empty());
    EXPECT_EQ(cache.bytes(), ResidentBytes{});
}

} // namespace
} // namespace systole
