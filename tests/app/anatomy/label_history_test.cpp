// Labels with every step back, and the label map that they become.
#include "app/anatomy/label_history.h"
#include "app/features/segmentation/label_file.h"
#include "compute/core/error.h"
#include "io/base/error.h"
#include "io/source.h"
#include "tests/support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace systole {
namespace {

using ::testing::HasSubstr;

const Geometry grid({20, 18, 16}, {2, 2, 2});

LabelMap ball(double radius, std::uint8_t label = 1) {
    LabelMap labels(grid.voxels());
    VolumeView<std::uint8_t> view(labels.data(), grid.size());
    for (int z = 0; z < 16; ++z)
        for (int y = 0; y < 18; ++y)
            for (int x = 0; x < 20; ++x)
                if (2 * std::hypot(x - 9.5, y - 8.5, z - 7.5) < radius)
                    view(x, y, z) = label;
    return labels;
}

class LabelHistoryTest : public ::testing::Test {
protected:
    void SetUp() override { labels.reset(grid, 3); }
    LabelMap now(int frame) const { return *labels.labels(frame); }
    void segment(int frame, double radius) {
        labels.begin("segmentation");
        labels.replace(frame, ball(radius));
        labels.end();
    }
    void stroke(int frame, bool erase = false) {
        labels.begin(erase ? "eraser" : "brush");
        for (double x = 4; x < 30; x += 3)
            labels.paint(frame, {.center = {x, 16, 14}, .radius = 5, .erase = erase});
        labels.end();
    }
    LabelHistory labels;
};

TEST_F(LabelHistoryTest, ALabelInTheOutermostVoxelsTouchesTheEdge) {
    segment(0, 14);
    EXPECT_FALSE(labels.touchesEdge(0, 1));
    EXPECT_FALSE(labels.touchesEdge(1, 1)); // no labels
    segment(0, 15.5);                       // the grid is 16 planes, 2 mm each
    EXPECT_TRUE(labels.touchesEdge(0, 1));
    EXPECT_FALSE(labels.touchesEdge(0, 2));
}

TEST_F(LabelHistoryTest, EveryStepIsUndoneAndMadeAgainBitForBit) {
    ExecResources resources(1);
    std::vector<std::vector<LabelMap>> states;
    const auto remember = [&] {
        std::vector<LabelMap> state;
        for (int frame = 0; frame < 3; ++frame)
            state.push_back(labels.has(frame) ? now(frame) : LabelMap());
        states.push_back(state);
    };
    remember();
    segment(1, 12);
    remember();
    stroke(1);
    remember();
    labels.beginPull(1, {19, 17, 27}, 0, 6, 1, resources.context());
    labels.pullTo({19, 17, 29});
    labels.pullTo({19, 17, 20});
    labels.end();
    remember();
    stroke(0); // a stroke on a frame without labels
    remember();
    stroke(1, true);
    remember();
    labels.begin("removal");
    for (int frame = 0; frame < 3; ++frame)
        labels.remove(frame);
    remember();
    const auto last = static_cast<int>(states.size()) - 1;
    ASSERT_EQ(labels.position(), last) << "a stroke is one step, however many dabs it has";
    for (const int to : {last - 1, 2, 5, 0, 3, last, 0, last}) {
        labels.moveTo(to);
        EXPECT_EQ(labels.position(), to);
        for (int frame = 0; frame < 3; ++frame) {
            const LabelMap& wanted =
                states[static_cast<std::size_t>(to)][static_cast<std::size_t>(frame)];
            EXPECT_EQ(labels.has(frame), !wanted.empty()) << to;
            EXPECT_EQ(labels.has(frame) ? now(frame) : LabelMap(), wanted)
                << "frame " << frame << " at " << to;
        }
    }
    for (std::size_t i = 1; i < states.size(); ++i)
        EXPECT_NE(states[i], states[i - 1]) << i;
}

TEST_F(LabelHistoryTest, WhatWasTakenOutNeverChanges) {
    segment(0, 12);
    const std::shared_ptr<const LabelMap> taken = labels.labels(0);
    const LabelMap before = *taken;
    const std::uint64_t revision = labels.revision(0);
    stroke(0);
    EXPECT_EQ(*taken, before);
    EXPECT_NE(*labels.labels(0), before);
    EXPECT_NE(labels.revision(0), revision);
    EXPECT_EQ(labels.revision(1), 0u);
}

TEST_F(LabelHistoryTest, AnEditAfterAnUndoEndsWhatCouldBeMadeAgain) {
    segment(0, 12);
    stroke(0);
    const LabelMap painted = now(0);
    labels.moveTo(1);
    EXPECT_EQ(labels.lastName(), "segmentation");
    stroke(0, true);
    EXPECT_EQ(labels.moveTo(9), std::nullopt);
    EXPECT_EQ(labels.position(), 2);
    EXPECT_NE(now(0), painted);
    EXPECT_EQ(labels.moveTo(0), 0) << "the frame that changed";
    EXPECT_FALSE(labels.has(0));
}

TEST_F(LabelHistoryTest, NothingChangedIsNoStep) {
    labels.begin("brush");
    labels.paint(0, {.center = {500, 0, 0}, .radius = 5});
    labels.end();
    EXPECT_EQ(labels.position(), 0);
    ExecResources resources(1);
    EXPECT_THROW(labels.beginPull(0, {10, 10, 10}, 2, 6, 1, resources.context()), ComputeError);
    labels.pullTo({12, 10, 10});
    EXPECT_EQ(labels.position(), 0);
    EXPECT_THROW(labels.replace(0, LabelMap(7)), ComputeError);
}

TEST_F(LabelHistoryTest, TheOldestStepsAreForgottenWhenTheyFillTheMemory) {
    const Geometry large({300, 300, 300}, {1, 1, 1});
    labels.reset(large, 1);
    for (int i = 0; i < 16; ++i) {
        labels.begin("segmentation");
        labels.replace(0, LabelMap(large.voxels(), static_cast<std::uint8_t>(i + 1)));
    }
    EXPECT_EQ(labels.position(), 16);
    labels.moveTo(0);
    EXPECT_GT(labels.position(), 0);
    EXPECT_TRUE(labels.has(0));
    EXPECT_EQ(now(0).front(), labels.position()) << "the state of that position";
}

class LabelFileTest : public LabelHistoryTest {
protected:
    void SetUp() override {
        LabelHistoryTest::SetUp();
        sequence.geometry = grid;
        sequence.frames = 3;
        sequence.timesSeconds = {0, 0.1, 0.2};
        sequence.closingSeconds = 0.1;
    }
    LabelMap read(const std::string& path, int frame, int frames) const {
        const Sequence file = openSequence({path});
        EXPECT_EQ(file.frames, frames);
        EXPECT_TRUE(file.geometry.matches(grid));
        BufferPool pool;
        Volume volume(file.geometry, pool, "labels");
        file.source->read(frame, volume.view());
        LabelMap values(volume.voxels.size());
        std::ranges::transform(volume.voxels.span(), values.begin(),
                               [](float value) { return static_cast<std::uint8_t>(value); });
        return values;
    }
    testing::TemporaryFolder folder;
    Sequence sequence;
};

TEST_F(LabelFileTest, OneFrameIsWrittenAs3DSeveralAs4D) {
    const std::string path = folder / "labels.nii.gz";
    segment(2, 11);
    writeLabelFile(path, labelFileOf(labels, sequence), {});
    EXPECT_EQ(read(path, 0, 1), now(2));
    segment(0, 7);
    writeLabelFile(path, labelFileOf(labels, sequence), {});
    EXPECT_EQ(read(path, 0, 3), now(0));
    EXPECT_EQ(read(path, 1, 3), LabelMap(grid.voxels()));
    EXPECT_EQ(read(path, 2, 3), now(2));
}

TEST_F(LabelFileTest, BadTargetsAreOneClearSentenceAndNothingIsWritten) {
    const auto problem = [&](const std::string& name, const std::vector<std::string>& inputs) {
        try {
            writeLabelFile(folder / name, labelFileOf(labels, sequence), inputs);
        } catch (const FileError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_THAT(problem("a.nii.gz", {}), HasSubstr("no frame has labels"));
    segment(0, 9);
    EXPECT_THAT(problem("a.png", {}), HasSubstr("a.png"));
    segment(1, 9);
    EXPECT_THAT(problem("a.mha", {}), HasSubstr("every frame"));
    std::ofstream(folder / "image.nii.gz") << "image";
    EXPECT_THAT(problem("image.nii.gz", {folder / "image.nii.gz"}), HasSubstr("open image"));
    EXPECT_EQ(testing::readText(folder / "image.nii.gz"), "image");
    EXPECT_THAT(problem("missing/a.nii.gz", {}), HasSubstr("missing"));
    EXPECT_FALSE(std::filesystem::exists(folder / "a.nii.gz"));
}

} // namespace
} // namespace systole
