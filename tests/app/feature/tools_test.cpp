// Requirements of every tool in the list.
#include "app/feature/panel.h"
#include "app/feature/tools.h"
#include "app/features/segmentation/segmentation_tool.h"
#include "app/live/history.h"
#include "tests/app/feature/no_frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <memory>
#include <set>
#include <string>

namespace systole {
namespace {

using ::testing::HasSubstr;

class ToolsTest : public ::testing::Test {
protected:
    /// Opens a sequence of this many frames.
    void open(int frames) {
        auto opened = std::make_shared<OpenedSequence>();
        opened->sequence.geometry = Geometry({8, 8, 8}, {1, 1, 1});
        opened->sequence.frames = frames;
        opened->scale = {0, 100};
        tools.opened(*opened);
        session.playback.setSequence(opened->sequence);
        session.opened = opened;
        session.shownFrame = 0;
        tools.follow(context);
    }
    /// A press and release with the left button.
    void click(Tool& tool, Vec3 position) {
        tool.pointer({SlicePointer::Event::Press, position, 2});
        tool.pointer({SlicePointer::Event::Release});
        tools.follow(context);
    }

    Session session;
    Tools tools{session};
    testing::NoFrames context;
};

TEST_F(ToolsTest, NamesAndKeysAreTheToolsOwn) {
    std::set<std::string> ids, titles, keys;
    for (const auto& tool : tools) {
        const auto [id, title] = tool->name();
        EXPECT_TRUE(ids.insert(id).second) << id;
        EXPECT_TRUE(titles.insert(title).second) << title;
        for (const char c : std::string(id))
            EXPECT_TRUE(std::islower(static_cast<unsigned char>(c)) || c == '-') << id;
        for (const Action& action : tool->actions()) {
            EXPECT_TRUE(action.act) << id;
            EXPECT_FALSE(action.text.empty()) << id;
            if (!action.keys.empty()) {
                EXPECT_TRUE(keys.insert(action.keys).second) << action.keys;
            }
        }
    }
    std::set<std::string> panels;
    for (const auto& panel : makePanels(tools))
        EXPECT_TRUE(panels.insert(panel->title()).second) << panel->title();
}

TEST_F(ToolsTest, WithoutASequenceNothingIsDueShownOrLost) {
    tools.follow(context);
    EXPECT_EQ(tools.secondsToNextTick(), Tool::never);
    EXPECT_EQ(tools.pointerHolder(), nullptr);
    EXPECT_TRUE(tools.unsaved().empty());
    EXPECT_EQ(tools.failure(), "");
    EXPECT_FALSE(tools.unfinished());
    for (const auto& tool : tools) {
        EXPECT_EQ(tool->caption(), "") << tool->name().id;
        for (const Action& action : tool->actions())
            if (action.whyNot) {
                EXPECT_NE(action.whyNot(), "") << action.text;
            }
    }
}

TEST_F(ToolsTest, AnotherSequenceEndsWhatActionsBegan) {
    open(4);
    for (const auto& tool : tools)
        for (Action& action : tool->actions()) {
            if (!action.whyNot || action.whyNot().empty())
                action.act();
            tools.follow(context);
        }
    // Another sequence ends all of it.
    open(3);
    const SceneContribution scene = tools.contribution();
    EXPECT_TRUE(scene.marks.empty());
    EXPECT_FALSE(scene.picture);
    EXPECT_EQ(scene.surface, nullptr);
    EXPECT_EQ(scene.tracks, nullptr);
    EXPECT_TRUE(tools.unsaved().empty());
}

TEST_F(ToolsTest, OneToolIsInTheHandAndDropsIt) {
    open(4);
    auto& segmentation = tools.get<SegmentationTool>();
    segmentation.take(SegmentMode::Paint);
    EXPECT_EQ(tools.pointerHolder(), &segmentation);
    for (const auto& tool : tools) {
        tools.takePointer(*tool);
        if (tool.get() != &segmentation) {
            EXPECT_NE(tools.pointerHolder(), &segmentation) << tool->name().id;
        }
        segmentation.mode = SegmentMode::Paint;
    }
    segmentation.dropPointer();
    EXPECT_EQ(tools.pointerHolder(), nullptr);
}

TEST_F(ToolsTest, WhatWasEditedIsUnsavedAndUndone) {
    open(4);
    const auto before = tools.states();
    auto& segmentation = tools.get<SegmentationTool>();
    segmentation.take(SegmentMode::Paint);
    click(segmentation, {3, 3, 3});
    ASSERT_EQ(tools.unsaved().size(), 1u);
    EXPECT_THAT(tools.unsaved().front().name, HasSubstr("labels"));
    const auto after = tools.states();
    ASSERT_EQ(after.size(), before.size());
    int changes = 0;
    for (std::size_t i = 0; i < after.size(); ++i) {
        EXPECT_TRUE(before[i].changesTo(before[i]).empty());
        for (const UserChange& change : before[i].changesTo(after[i]))
            if (!change.follows) { // as the surface that shows the labels does
                EXPECT_EQ(change.text, "brush");
                ++changes;
            }
    }
    EXPECT_EQ(changes, 1);
    tools.restore(before);
    EXPECT_TRUE(tools.unsaved().empty());
    tools.restore(after);
    ASSERT_EQ(tools.unsaved().size(), 1u);
    EXPECT_THAT(tools.unsaved().front().name, HasSubstr("labels"));
    open(4);
    EXPECT_TRUE(tools.unsaved().empty()) << "it went with its sequence";
}

} // namespace
} // namespace systole
