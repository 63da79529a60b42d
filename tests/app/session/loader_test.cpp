// Reading that begins before there is anyone to follow it.
#include "app/base/assets.h"
#include "app/session/loader.h"
#include "io/base/error.h"

#include <gtest/gtest.h>

#include <atomic>

namespace systole {
namespace {

TEST(Loader, WhoComesLateIsToldOfWhatHasEndedAlready) {
    Loader::Begun begun = Loader::begin({assetPath(demoSequenceName).string()}, {});
    begun.thread.wait();
    std::atomic<int> told = 0;
    Loader loader([&] { ++told; });
    loader.start(std::move(begun));
    EXPECT_EQ(told, 1);
    const auto outcome = loader.take();
    ASSERT_TRUE(outcome && outcome->opened) << outcome->error;
    EXPECT_EQ(outcome->opened->sequence.frames, 25);
    EXPECT_LT(outcome->opened->scale.low, outcome->opened->scale.high);
    EXPECT_FALSE(outcome->opened->motionMeasured);
    EXPECT_FALSE(loader.busy());
    const auto ranges = loader.takeRanges();
    ASSERT_TRUE(ranges);
    EXPECT_GT(ranges->neighbors, 0);
    EXPECT_GE(ranges->sinceFirst, ranges->neighbors);
    EXPECT_FALSE(loader.takeRanges());
}

TEST(Loader, RangesAreThoseOfTheSequenceThatWasTaken) {
    Loader::Begun begun = Loader::begin({assetPath(demoSequenceName).string()}, {});
    begun.thread.wait();
    Loader loader([] {});
    loader.start(std::move(begun));
    EXPECT_FALSE(loader.takeRanges()) << "of what isn't open yet";
    ASSERT_TRUE(loader.take());
    Loader::Begun none = Loader::begin({"no such file.nii"}, {});
    none.thread.wait();
    loader.start(std::move(none));
    ASSERT_FALSE(loader.take()->opened);
    EXPECT_TRUE(loader.takeRanges()) << "the sequence before stays open";
}

TEST(Loader, WhetherTheFileCanBeOpenedIsKnownBeforeItsGrayValuesAre) {
    Loader::begin({assetPath(demoSequenceName).string()}, {}).header.get();
    EXPECT_THROW(Loader::begin({"no such file.nii"}, {}).header.get(), FileError);
}

TEST(Loader, AnErrorWaitsToo) {
    Loader::Begun begun = Loader::begin({"no such file.nii"}, {});
    begun.thread.wait();
    Loader loader([] {});
    loader.start(std::move(begun));
    const auto outcome = loader.take();
    ASSERT_TRUE(outcome);
    EXPECT_FALSE(outcome->opened);
    EXPECT_NE(outcome->error.find("no such file.nii"), std::string::npos);
}

} // namespace
} // namespace systole
