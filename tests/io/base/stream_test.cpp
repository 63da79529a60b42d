#include "compute/core/error.h"
#include "io/base/stream.h"
#include "tests/io/io_support.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace systole::test {
namespace {

constexpr int frameCount = 20;
const Geometry grid({8, 8, 8}, {1, 1, 1});
const std::size_t frameBytes = grid.voxels() * sizeof(float);

/// Frame i is filled with i. Remembers what was asked for, can be held up, and can fail.
class CountingSource final : public FrameSource {
public:
    void read(int index, VolumeView<float> voxels) override {
        {
            std::unique_lock lock(mutex_);
            order_.push_back(index);
            changed_.notify_all();
            changed_.wait(lock, [&] { return open_; });
        }
        if (index == broken)
            throw FileError("frame 7 is broken");
        std::fill_n(voxels.data, voxels.voxels(), static_cast<float>(index));
        if (unknown)
            known_.assign(voxels.voxels(), static_cast<std::uint8_t>(index < frameCount - 1));
    }
    std::span<const std::uint8_t> known() const override { return known_; }

    void hold() {
        const std::lock_guard lock(mutex_);
        open_ = false;
    }
    void release() {
        const std::lock_guard lock(mutex_);
        open_ = true;
        changed_.notify_all();
    }
    /// Returns when `count` reads have begun.
    void waitForReads(std::size_t count) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return order_.size() >= count; });
    }
    std::vector<int> order() const {
        const std::lock_guard lock(mutex_);
        return order_;
    }

    int broken = -1;
    bool unknown = false; ///< all voxels of the last frame are

private:
    std::vector<std::uint8_t> known_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<int> order_;
    bool open_ = true;
};

struct Opened {
    std::shared_ptr<CountingSource> source = std::make_shared<CountingSource>();
    Sequence sequence;
    BufferPool pool;

    explicit Opened(int frames = frameCount) {
        sequence.geometry = grid;
        sequence.frames = frames;
        for (int i = 0; i < frames; ++i)
            sequence.timesSeconds.push_back(0.03 * i);
        sequence.name = "counting";
        sequence.source = source;
    }
};

TEST(FrameStream, EveryFrameGivesEachOnceInOrder) {
    Opened opened;
    FrameStream stream(opened.sequence, StreamMode::EveryFrame, 5 * frameBytes, opened.pool);
    for (int i = 0; i < frameCount; ++i) {
        const auto frame = stream.next();
        ASSERT_TRUE(frame);
        EXPECT_EQ(frame->view().data[0], static_cast<float>(i));
        EXPECT_NEAR(frame->timeSeconds, 0.03 * i, 1e-12);
        EXPECT_TRUE(frame->geometry.matches(grid));
    }
    EXPECT_FALSE(stream.next());
    EXPECT_FALSE(stream.next());
    EXPECT_EQ(stream.counters().read, std::uint64_t{frameCount});
    EXPECT_EQ(stream.counters().shown, std::uint64_t{frameCount});
    EXPECT_EQ(opened.source->order(), counting<int>(frameCount));
}

TEST(FrameStream, FramesWithEqualMasksOfKnownVoxelsShareOne) {
    Opened opened;
    opened.source->unknown = true;
    FrameStream stream(opened.sequence, StreamMode::Preload, frameCount * frameBytes, opened.pool);
    const auto first = stream.wait(0), second = stream.wait(1), last = stream.wait(frameCount - 1);
    ASSERT_TRUE(first->known);
    EXPECT_EQ(first->known, second->known);
    EXPECT_NE(first->known, last->known);
    EXPECT_EQ(last->known->view().data[0], 0);
}

TEST(FrameStream, PeekingAheadNeitherWaitsNorSteersNorCounts) {
    Opened opened;
    opened.source->hold();
    FrameStream stream(opened.sequence, StreamMode::EveryFrame, 5 * frameBytes, opened.pool);
    EXPECT_FALSE(stream.peek(0));
    EXPECT_FALSE(stream.peek(-1));
    EXPECT_FALSE(stream.peek(frameCount));
    opened.source->release();
    ASSERT_TRUE(stream.next());
    opened.source->waitForReads(4); // then the second and third are there
    const auto ahead = stream.peek(2);
    ASSERT_TRUE(ahead);
    EXPECT_EQ(ahead->view().data[0], 2.0f);
    EXPECT_EQ(stream.counters().shown, 1u);
    EXPECT_EQ(stream.next()->view().data[0], 1.0f);
    EXPECT_EQ(stream.next(), ahead);
}

TEST(FrameStream, TheRingStaysWithinItsBudget) {
    for (const StreamMode mode :
         {StreamMode::EveryFrame, StreamMode::Newest, StreamMode::Preload}) {
        Opened opened;
        FrameStream stream(opened.sequence, mode, 4 * frameBytes + 1, opened.pool);
        for (int i = 0; i < 3 * frameCount; ++i) {
            if (mode == StreamMode::EveryFrame)
                stream.next();
            else
                EXPECT_EQ(stream.wait(i % frameCount)->view().data[0],
                          static_cast<float>(i % frameCount));
            EXPECT_LE(stream.counters().residentBytes, 4 * frameBytes);
        }
        // One more may be in the hands of the caller.
        EXPECT_LE(opened.pool.usage().peakBytes, 5 * frameBytes);
    }
}

TEST(FrameStream, AtLeastThreeFramesAreHeldWhateverTheBudget) {
    Opened opened;
    FrameStream stream(opened.sequence, StreamMode::Newest, 1, opened.pool);
    for (const int index : {0, 19, 5, 6, 7, 0})
        EXPECT_EQ(stream.wait(index)->view().data[0], static_cast<float>(index));
    EXPECT_LE(opened.pool.usage().peakBytes, 4 * frameBytes);
}

TEST(FrameStream, PreloadReadsEachFrameOnceAndKeepsIt) {
    Opened opened;
    FrameStream stream(opened.sequence, StreamMode::Preload, 100 * frameBytes, opened.pool);
    opened.source->waitForReads(frameCount);
    for (int round = 0; round < 3; ++round)
        for (int i = 0; i < frameCount; ++i)
            EXPECT_EQ(stream.wait(i)->view().data[0], static_cast<float>(i));
    EXPECT_EQ(stream.counters().read, std::uint64_t{frameCount});
    EXPECT_EQ(stream.counters().residentBytes, frameCount * frameBytes);
}

TEST(FrameStream, FrameNeverWaits) {
    Opened opened;
    opened.source->hold();
    FrameStream stream(opened.sequence, StreamMode::Newest, 8 * frameBytes, opened.pool);
    EXPECT_FALSE(stream.frame(3)) << "nothing can have been read";
    EXPECT_EQ(stream.counters().shown, 0U);
    opened.source->release();
    EXPECT_TRUE(stream.wait(3));
    EXPECT_TRUE(stream.frame(3)) << "now it is there";
    EXPECT_EQ(stream.counters().shown, 1U) << "the same frame again is no change";
}

TEST(FrameStream, ARequestSteersWhatIsReadNext) {
    Opened opened;
    opened.source->hold();
    FrameStream stream(opened.sequence, StreamMode::Newest, 4 * frameBytes, opened.pool);
    opened.source->waitForReads(1); // frame 0 is under way
    stream.frame(18);
    opened.source->release();
    opened.source->waitForReads(3);
    const auto order = opened.source->order();
    EXPECT_EQ(order[1], 18);
    EXPECT_EQ(order[2], 19);
}

TEST(FrameStream, FramesHandedOutStayValidAfterTheStream) {
    Opened opened;
    std::shared_ptr<const Volume> kept;
    {
        FrameStream stream(opened.sequence, StreamMode::Newest, frameBytes, opened.pool);
        kept = stream.wait(2);
        for (int i = 0; i < frameCount; ++i)
            stream.wait(i);
    }
    EXPECT_EQ(kept->view().data[100], 2);
}

TEST(FrameStream, WhatGoesWrongReachesTheOneWhoAsks) {
    Opened opened;
    opened.source->broken = 7;
    FrameStream newest(opened.sequence, StreamMode::Newest, 4 * frameBytes, opened.pool);
    EXPECT_THROW(newest.wait(7), FileError);
    EXPECT_THROW(newest.frame(7), FileError) << "and again for the next who asks";
    EXPECT_EQ(newest.wait(8)->view().data[0], 8) << "other frames are not harmed";

    FrameStream every(opened.sequence, StreamMode::EveryFrame, 4 * frameBytes, opened.pool);
    for (int i = 0; i < 7; ++i)
        EXPECT_TRUE(every.next());
    EXPECT_THROW(every.next(), FileError);
    EXPECT_THROW(newest.wait(frameCount), FileError);
    EXPECT_THROW(newest.frame(-1), FileError);
}

TEST(FrameStream, MemoryThatRunsOutIsSaidAndMayComeBack) {
    Opened opened;
    BufferPool small(2 * frameBytes);
    FrameStream stream(opened.sequence, StreamMode::Newest, 8 * frameBytes, small);
    auto first = stream.wait(0);
    const auto second = stream.wait(1);
    EXPECT_THROW(stream.wait(2), OutOfMemory);
    EXPECT_EQ(first->view().data[0], 0);
}

TEST(FrameStream, CountsDropsAndLatency) {
    Opened opened;
    FrameStream stream(opened.sequence, StreamMode::Newest, 8 * frameBytes, opened.pool);
    stream.countDropped(2);
    stream.countDropped(3);
    stream.wait(15);
    EXPECT_EQ(stream.counters().dropped, 5U);
    EXPECT_GT(stream.counters().latencySeconds, 0);
    EXPECT_GT(stream.counters().lastReadSeconds, 0);
    EXPECT_EQ(stream.counters().budgetBytes, 8 * frameBytes);
}

TEST(FrameStream, CanBeDestroyedWhileItReads) {
    for (int round = 0; round < 20; ++round) {
        Opened opened(1000);
        FrameStream stream(opened.sequence, StreamMode::Preload, 1000 * frameBytes, opened.pool);
        opened.source->waitForReads(static_cast<std::size_t>(round % 4));
        stream.frame(500);
    }
}

TEST(FrameStream, TwoCallersEachGetTheirFrame) {
    Opened opened;
    FrameStream stream(opened.sequence, StreamMode::Newest, 3 * frameBytes, opened.pool);
    std::atomic<bool> done = false;
    std::thread clock([&] {
        for (int i = 0; !done; i = (i + 1) % frameCount)
            stream.frame(i);
    });
    for (int i = 0; i < 200; ++i) {
        const int wanted = (7 * i) % frameCount;
        EXPECT_EQ(stream.wait(wanted)->view().data[0], static_cast<float>(wanted));
    }
    done = true;
    clock.join();
}

TEST(FrameStream, PlaysACompressedFileRoundAndRound) {
    const TemporaryFolder folder;
    NiftiBytes header;
    header.dim({4, 8, 8, 8, 5, 1, 1, 1}).type(4, 16);
    writeBytes(folder / "a.nii.gz", gzipped(header.with(counting<std::int16_t>(2560))));
    BufferPool pool;
    FrameStream stream(openSequence({folder / "a.nii.gz"}), StreamMode::Newest, 3 * frameBytes,
                       pool);
    for (int i = 0; i < 15; ++i)
        EXPECT_EQ(stream.wait(i % 5)->view().data[0], static_cast<float>(512 * (i % 5)));
}

} // namespace
} // namespace systole::test
