// The search for a block size against a timer of the test's own, and the file of what was found.
#include "compute/core/error.h"
#include "compute/lab/autotune.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace systole {
namespace {

using lab::AutotuneCache;
using lab::BlockSearch;
using lab::TunedBlock;
using lab::TunedDevice;

std::vector<int> multiplesOf32() {
    std::vector<int> sizes;
    for (int size = 32; size <= 1024; size += 32)
        sizes.push_back(size);
    return sizes;
}

/// The sizes in the order in which they were measured.
std::vector<int> run(BlockSearch& search, const std::function<double(int)>& seconds) {
    std::vector<int> order;
    while (const std::optional<int> size = search.next()) {
        order.push_back(*size);
        search.record(seconds(*size));
    }
    return order;
}

TEST(SizeClass, IsThePowerOfTwoBelow) {
    EXPECT_EQ(lab::sizeClass(0), 0);
    EXPECT_EQ(lab::sizeClass(1), 0);
    EXPECT_EQ(lab::sizeClass(4095), 11);
    EXPECT_EQ(lab::sizeClass(4096), 12);
    EXPECT_EQ(lab::sizeClass(200u * 200 * 200), 22); // 8 000 000 of 4 194 304 to 8 388 607
}

TEST(BlockSearchTest, FindsTheOptimumOfCurvesWithOne) {
    const std::vector<int> sizes = multiplesOf32();
    for (const int optimum : sizes)
        for (const int start : {32, 256, 1024}) {
            const std::vector<int> starts{start};
            BlockSearch search(sizes, starts);
            // A step of 32 next to the optimum changes 3 % or more, which is beyond the margin.
            const auto order = run(
                search, [&](int size) { return 1 + std::abs(size - optimum) / 32.0 * 0.03 * 2; });
            EXPECT_EQ(search.best(), optimum) << "from " << start;
            EXPECT_DOUBLE_EQ(search.bestSeconds(), 1);
            EXPECT_EQ(order.front(), start);
            EXPECT_LT(order.size(), sizes.size());
            EXPECT_EQ(order.size(), search.measured().size()) << "none is measured twice";
            EXPECT_EQ(search.next(), std::nullopt);
        }
}

TEST(BlockSearchTest, MeasuresStartsInTheirOrderAndThenNeighborsOfTheBest) {
    const std::vector<int> starts{512, 100, 128, 512};
    BlockSearch search({64, 128, 192, 256, 512, 1024}, starts);
    const auto order = run(search, [](int size) { return size == 128 ? 1.0 : 2.0; });
    // 100 is no size. Of 128: half, twice, the next smaller (64 again) and the next larger.
    EXPECT_EQ(order, (std::vector<int>{512, 128, 64, 256, 192}));
    EXPECT_EQ(search.best(), 128);
}

TEST(BlockSearchTest, TiesAndDifferencesWithinTheMarginKeepTheFirst) {
    const std::vector<int> starts{256};
    BlockSearch equal(multiplesOf32(), starts);
    run(equal, [](int) { return 1.0; });
    EXPECT_EQ(equal.best(), 256);

    BlockSearch noise(multiplesOf32(), starts);
    run(noise, [](int size) { return size == 256 ? 1.0 : 0.981; });
    EXPECT_EQ(noise.best(), 256);
    EXPECT_DOUBLE_EQ(noise.bestSeconds(), 1);

    BlockSearch faster(multiplesOf32(), starts);
    run(faster, [](int size) { return size == 512 ? 0.979 : 1.0; });
    EXPECT_EQ(faster.best(), 512);
}

TEST(BlockSearchTest, GoesDownFromBlocksThatCannotBeRun) {
    const std::vector<int> starts{1024};
    BlockSearch search(multiplesOf32(), starts);
    run(search, [](int size) { return size > 384 ? 0.0 : 1000.0 / size; });
    EXPECT_EQ(search.best(), 384);

    BlockSearch none({64, 128, 256}, starts);
    EXPECT_EQ(run(none, [](int) { return 0.0; }).front(), 128) << "without a start: the middle";
    EXPECT_EQ(none.best(), 0);
    EXPECT_EQ(none.next(), std::nullopt);

    BlockSearch empty({}, starts);
    EXPECT_EQ(empty.next(), std::nullopt);
    EXPECT_THROW(empty.record(1), ComputeError);
}

TEST(BlockSearchTest, OneSizeIsMeasuredOnce) {
    const std::vector<int> starts{256, 256};
    BlockSearch search({256}, starts);
    EXPECT_EQ(run(search, [](int) { return 1.0; }), std::vector<int>{256});
}

const TunedDevice h200{"NVIDIA H200", 90, 13000};
const TunedDevice olderDriver{"NVIDIA H200", 90, 12040};

AutotuneCache someCache() {
    AutotuneCache cache;
    cache.put(h200, "jacobi/direct", 22, {384, 1.25e-4, 9});
    cache.put(h200, "smooth/register", 22, {64, 3e-5, 7});
    cache.put(h200, "jacobi/direct", 15, {128, 4e-6, 5});
    cache.put(olderDriver, "jacobi/direct", 22, {512, 2e-4, 5});
    return cache;
}

TEST(AutotuneCacheTest, KnowsByDeviceKernelAndSize) {
    const AutotuneCache cache = someCache();
    ASSERT_NE(cache.find(h200, "jacobi/direct", 22), nullptr);
    EXPECT_EQ(*cache.find(h200, "jacobi/direct", 22), (TunedBlock{384, 1.25e-4, 9}));
    EXPECT_EQ(cache.find(h200, "jacobi/direct", 21), nullptr);
    EXPECT_EQ(cache.find({"NVIDIA H100", 90, 13000}, "jacobi/direct", 22), nullptr);
    EXPECT_EQ(cache.blockSizes(h200, 22), BlockSizes(std::map<std::string, int>{
                                              {"jacobi/direct", 384}, {"smooth/register", 64}}));
    EXPECT_EQ(cache.blockSizes(olderDriver, 22),
              BlockSizes(std::map<std::string, int>{{"jacobi/direct", 512}}));
    EXPECT_EQ(cache.blockSizes(h200, 9), BlockSizes());
}

TEST(AutotuneCacheTest, TextComesBackAsItWas) {
    const AutotuneCache cache = someCache();
    EXPECT_EQ(AutotuneCache::parse(cache.toJson()), cache);
    EXPECT_EQ(AutotuneCache::parse(AutotuneCache().toJson()), AutotuneCache());
}

TEST(AutotuneCacheTest, TheOthersWordCountsInAMerge) {
    AutotuneCache cache = someCache(), other;
    other.put(h200, "jacobi/direct", 22, {256, 1e-4, 3});
    other.put(h200, "warp/direct", 22, {128, 1e-4, 3});
    cache.merge(other);
    EXPECT_EQ(cache.find(h200, "jacobi/direct", 22)->threads, 256);
    EXPECT_EQ(cache.find(h200, "warp/direct", 22)->threads, 128);
    EXPECT_EQ(cache.find(h200, "smooth/register", 22)->threads, 64);
}

TEST(AutotuneCacheTest, RefusesWhatNoSearchWrote) {
    const auto entry = [](const std::string& threads, const std::string& seconds,
                          const std::string& kernel) {
        return R"({"version":1,"blocks":[{"device":"d","computeCapability":90,"driver":1,"kernel":)" +
               kernel + R"(,"sizeClass":22,"threads":)" + threads + R"(,"seconds":)" + seconds +
               R"(,"tried":3}]})";
    };
    EXPECT_FALSE(AutotuneCache::parse(entry("256", "1e-4", "\"k\"")).empty());
    for (const std::string& text : {std::string(),
                                    std::string("{"),
                                    std::string("[]"),
                                    std::string("null"),
                                    std::string(R"({"version":2,"blocks":[]})"),
                                    std::string(R"({"blocks":[]})"),
                                    std::string(R"({"version":1})"),
                                    std::string(R"({"version":1,"blocks":{}})"),
                                    std::string(R"({"version":1,"blocks":[7]})"),
                                    std::string(R"({"version":1,"blocks":[{}]})"),
                                    entry("0", "1e-4", "\"k\""),
                                    entry("-256", "1e-4", "\"k\""),
                                    entry("1e9", "1e-4", "\"k\""),
                                    entry("2.5", "1e-4", "\"k\""),
                                    entry("\"256\"", "1e-4", "\"k\""),
                                    entry("256", "0", "\"k\""),
                                    entry("256", "-1", "\"k\""),
                                    entry("256", "1e300", "\"k\""),
                                    entry("256", "1e999", "\"k\""),
                                    entry("256", "1e-4", "\"\""),
                                    entry("256", "1e-4", "7"),
                                    entry("256", "1e-4", "\"" + std::string(300, 'k') + "\""),
                                    std::string(100'000, '['),
                                    R"({"version":1,"blocks":)" + std::string(50, '['),
                                    R"({"version":1,"blocks":)" + std::string(1'000'000, '[') +
                                        std::string(1'000'000, ']') + "}"}) {
        try {
            AutotuneCache::parse(text);
            ADD_FAILURE() << "took " << text.substr(0, 200);
        } catch (const ComputeError& error) {
            const std::string said = error.what();
            EXPECT_EQ(said.find("the file of tuned block sizes "), 0u) << said;
            EXPECT_LT(said.size(), 200u);
        }
    }
}

} // namespace
} // namespace systole
