// The segmentation in the window: the mouse on the slices, undo by keys, the label map.
#include "app/feature/panel.h"
#include "app/features/landmarks/landmark_tool.h"
#include "app/features/segmentation/segmentation_tool.h"
#include "app/features/surface/surface_tool.h"
#include "io/formats/writer.h"
#include "io/source.h"
#include "tests/app/window/window_fixture.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

namespace systole {
namespace {

using ::testing::HasSubstr;

class SegmentPanelTest : public testing::WindowTest {
protected:
    void SetUp() override {
        WindowTest::SetUp();
        if (IsSkipped())
            return;
        const testing::Outcome made = testing::run(
            {"phantom", "-o", folder / "p", "--size", "40", "--look", "ct", "--frames", "2"});
        ASSERT_EQ(made.exitCode, 0) << made.errors;
        openPanels(window->panels(), {"Segment"});
        session().motion.enabled = false;
        openAndShow(folder / "p/sequence.nii.gz");
        session().playback.pause();
        session().playback.seek(0);
        window->scene().setCrosshair({0, 0, 9});
        window->viewport().arrange();
        window->refresh();
        ASSERT_TRUE(becomes([&] { return session().shownFrame == 0; }));
        settle();
    }
    Session& session() { return window->session(); }
    SegmentationTool& segment() { return window->tools().get<SegmentationTool>(); }
    SurfaceTool& surface() { return window->tools().get<SurfaceTool>(); }
    const LabelMap& labels() { return *segment().labels.labels(0); }

    QPoint on(ViewKind view, Vec3 position) {
        const ScenePoint at = *window->scene().project(view, position);
        return {static_cast<int>(std::lround(at.x)), static_cast<int>(std::lround(at.y))};
    }
    void press(QPoint at) { QTest::mousePress(&window->viewport(), Qt::LeftButton, {}, at); }
    void move(QPoint at) { QTest::mouseMove(&window->viewport(), at); }
    void release(QPoint at) { QTest::mouseRelease(&window->viewport(), Qt::LeftButton, {}, at); }
    void click(ViewKind view, Vec3 position) {
        press(on(view, position));
        release(on(view, position));
    }
    void segmentByClick() {
        segment().mode = SegmentMode::Click;
        click(ViewKind::Axial, {1, 1, 9});
        ASSERT_EQ(segment().seeds.size(), 1u);
        ASSERT_TRUE(becomes([&] { return !segment().unfinished(); }));
        ASSERT_EQ(segment().failure, "");
        ASSERT_TRUE(segment().labels.has(0));
    }
    void stroke() {
        segment().mode = SegmentMode::Paint;
        press(on(ViewKind::Axial, {-30, -30, 9}));
        for (double x = -28; x <= -10; x += 2)
            move(on(ViewKind::Axial, {x, -30, 9}));
        release(on(ViewKind::Axial, {-10, -30, 9}));
        segment().mode = SegmentMode::None;
        window->refresh();
    }
    std::uint8_t labelAt(Vec3 p) {
        const Geometry& grid = segment().labels.grid();
        const Vec3 i = grid.physicalToIndex(p);
        return VolumeView<const std::uint8_t>(labels().data(), grid.size())(
            static_cast<int>(std::lround(i.x)), static_cast<int>(std::lround(i.y)),
            static_cast<int>(std::lround(i.z)));
    }
    /// Edge of the chamber towards the left, mm.
    double chamberEdge() {
        double edge = 0;
        while (labelAt({edge, 0, 9}) == chamberLabel)
            edge += 0.5;
        return edge;
    }
    void undo() { QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier); }
    void redo() {
        QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    }
};

TEST_F(SegmentPanelTest, TheWallsVolumeAndMassAreThoseOfItsVoxels) {
    segment().parameters.set("wall", true);
    segmentByClick();
    const Vec3 spacing = segment().labels.grid().spacing();
    const double milliliters = static_cast<double>(std::ranges::count(labels(), 2)) * spacing.x *
                               spacing.y * spacing.z / 1000;
    ASSERT_GT(milliliters, 20);
    const std::string text = findPanel(window->panels(), "Segment").text(session());
    EXPECT_THAT(text,
                HasSubstr(fmt::format("\t{:.1f}\t{:.1f}\n", milliliters, 1.05 * milliliters)));
}

TEST_F(SegmentPanelTest, AClickFindsTheChamberAndShowsIt) {
    const QImage before = picture();
    segmentByClick();
    ASSERT_TRUE(becomes([&] { return surface().shown != nullptr; }));
    settle();
    EXPECT_GT(differingPixels(before, picture()), 500);
    // 66 ml of blood (app/features/segmentation/segment_command_test.cpp compares with the truth).
    EXPECT_NEAR(surface().shown->milliliters, 66, 10);
    const std::string text = findPanel(window->panels(), "Segment").text(session());
    EXPECT_THAT(text, HasSubstr("--seed="));
    EXPECT_THAT(text, HasSubstr("\n0\t"));
}

TEST_F(SegmentPanelTest, AClickWhoseContourRunsThroughAGapIsDoubtedAndThreePointsAreProposed) {
    const Geometry grid({64, 40, 12}, {2, 2, 8});
    writeSequence(folder / "gap.nii.gz", grid, 1, 0, [](int, VolumeView<float> voxels) {
        for (int k = 0; k < 12; ++k)
            for (int j = 0; j < 40; ++j)
                for (int i = 0; i < 64; ++i) {
                    const double x = 2.0 * i, across = std::hypot(2.0 * j - 40, 8.0 * k - 44);
                    const bool blood = std::hypot(x - 36, across) < 22 ||
                                       std::hypot(x - 88, across) < 22 ||
                                       (across < 14 && x > 36 && x < 88);
                    voxels(i, j, k) =
                        blood ? 200.0f
                              : 50.0f + 5 * static_cast<float>((7 * i + 3 * j + 5 * k) % 5);
                }
    });
    openAndShow(folder / "gap.nii.gz");
    window->refresh();
    segment().seeds = {{36, 40, 44}};
    segment().start();
    window->refresh();
    ASSERT_TRUE(becomes([&] { return !segment().unfinished(); }));
    const std::string text = findPanel(window->panels(), "Segment").text(session());
    EXPECT_THAT(text, HasSubstr("Frame 0: the chamber has dents or outgrowths"));
    EXPECT_THAT(text, HasSubstr("three points"));
    window->refresh();
    auto* const notice = window->findChild<QWidget*>("notice");
    ASSERT_TRUE(notice);
    EXPECT_TRUE(notice->isVisible());
}

TEST_F(SegmentPanelTest, AFailureNamesItsFrameAndGoesWithTheNextSuccess) {
    segment().mode = SegmentMode::Click;
    click(ViewKind::Axial, {-63.5, -63.5, 9});
    ASSERT_TRUE(becomes([&] { return !segment().unfinished(); }));
    EXPECT_THAT(segment().failure, HasSubstr("Frame 0: "));
    window->refresh();
    auto* const notice = window->findChild<QWidget*>("notice");
    ASSERT_TRUE(notice);
    EXPECT_TRUE(notice->isVisible());
    segmentByClick();
    window->refresh();
    EXPECT_FALSE(notice->isVisible());
}

TEST_F(SegmentPanelTest, AClickBesideTheImagePlacesNothing) {
    segment().mode = SegmentMode::Points;
    const Geometry& image = session().opened->sequence.geometry;
    const Vec3 beyond = image.indexToPhysical({-4, 20, 20});
    ASSERT_TRUE(
        window->scene().probe(on(ViewKind::Axial, beyond).x(), on(ViewKind::Axial, beyond).y()));
    click(ViewKind::Axial, beyond);
    EXPECT_TRUE(segment().seeds.empty());
    click(ViewKind::Axial, image.indexToPhysical({4, 20, 20}));
    EXPECT_EQ(segment().seeds.size(), 1u);
}

TEST_F(SegmentPanelTest, AStrokeIsUndoneAndMadeAgainBitForBit) {
    segmentByClick();
    const LabelMap found = labels();
    stroke();
    const LabelMap painted = labels();
    EXPECT_GT(std::ranges::count(painted, 1), std::ranges::count(found, 1) + 10);
    // Only in the slice that was painted on.
    const VolumeView<const std::uint8_t> a(found.data(), segment().labels.grid().size()),
        b(painted.data(), a.size);
    const auto slice =
        static_cast<int>(std::lround(segment().labels.grid().physicalToIndex({0, 0, 9}).z));
    for (int z = 0; z < a.size.z; ++z)
        EXPECT_EQ(std::equal(a.row(0, z), a.row(0, z) + a.size.x * a.size.y, b.row(0, z)),
                  z != slice);
    EXPECT_EQ(window->edits().history().undoText(), "brush");
    undo();
    EXPECT_EQ(labels(), found);
    redo();
    EXPECT_EQ(labels(), painted);
    undo();
    undo();
    EXPECT_FALSE(segment().labels.has(0)) << "the segmentation is a step, too";
    redo();
    EXPECT_EQ(labels(), found);
}

TEST_F(SegmentPanelTest, ThePullMovesTheContourToThePointer) {
    segmentByClick();
    const double edge = chamberEdge();
    segment().mode = SegmentMode::Pull;
    press(on(ViewKind::Axial, {edge, 0, 9}));
    move(on(ViewKind::Axial, {edge + 4, 0, 9}));
    move(on(ViewKind::Axial, {edge + 8, 0, 9}));
    release(on(ViewKind::Axial, {edge + 8, 0, 9}));
    EXPECT_EQ(labelAt({edge + 5, 0, 9}), chamberLabel);
    EXPECT_NE(labelAt({edge + 14, 0, 9}), chamberLabel);
    EXPECT_EQ(window->edits().history().undoText(), "pull");
    undo();
    EXPECT_NE(labelAt({edge + 5, 0, 9}), chamberLabel);
}

TEST_F(SegmentPanelTest, APullBesideTheContourTakesNothingAndSaysSo) {
    segmentByClick();
    const LabelMap found = labels();
    const double beside = chamberEdge() + 5;
    segment().mode = SegmentMode::Pull;
    press(on(ViewKind::Axial, {beside, 0, 9}));
    move(on(ViewKind::Axial, {beside + 8, 0, 9}));
    release(on(ViewKind::Axial, {beside + 8, 0, 9}));
    EXPECT_EQ(labels(), found);
    EXPECT_EQ(window->edits().history().undoText(), "segmentation");
    EXPECT_THAT(segment().failure, HasSubstr("no contour under the pointer"));
    window->refresh();
    auto* const notice = window->findChild<QWidget*>("notice");
    ASSERT_TRUE(notice);
    EXPECT_TRUE(notice->isVisible());
    press(on(ViewKind::Axial, {beside - 5, 0, 9}));
    window->refresh();
    EXPECT_FALSE(notice->isVisible()) << "said of the pull before";
    release(on(ViewKind::Axial, {beside - 5, 0, 9}));
    press(on(ViewKind::Axial, {beside + 5, 0, 9}));
    release(on(ViewKind::Axial, {beside + 5, 0, 9}));
    EXPECT_NE(segment().failure, "");
    segment().dropPointer();
    EXPECT_EQ(segment().failure, "") << "it goes with the tool";
}

TEST_F(SegmentPanelTest, WhatIsBelowATextStaysWhereItIs) {
    const auto column = [&] {
        settle();
        const QImage all = window->viewport().grabFramebuffer();
        const int width = static_cast<int>(window->devicePixelRatioF() * ImGuiLayer::columnWidth);
        return all.copy(all.width() - width, 0, width, all.height());
    };
    const QImage before = column();
    for (const SegmentMode mode : {SegmentMode::Points, SegmentMode::Paint, SegmentMode::Pull}) {
        segment().mode = mode;
        const QImage after = column();
        ASSERT_NE(after, before);
        int same = 0; // rows, from the bottom
        while (same < before.height() &&
               before.copy(0, before.height() - 1 - same, before.width(), 1) ==
                   after.copy(0, after.height() - 1 - same, after.width(), 1))
            ++same;
        EXPECT_GT(same, before.height() / 4) << static_cast<int>(mode);
    }
}

TEST_F(SegmentPanelTest, DenoisedTheChamberKeepsItsWall) {
    segmentByClick();
    segment().label = 2;
    stroke();
    segment().label = chamberLabel;
    surface().showLabel(chamberLabel);
    window->refresh();
    const auto madeDenoised = [&](bool denoised) {
        return surface().shown && (surface().shown->bandElements > 0) == denoised;
    };
    ASSERT_TRUE(becomes([&] { return madeDenoised(false) && surface().shown->scene->walled; }));
    surface().choice.denoise = true;
    ++surface().choice.revision;
    window->refresh();
    ASSERT_TRUE(becomes([&] { return madeDenoised(true); }));
    EXPECT_TRUE(surface().shown->scene->walled);
    EXPECT_NE(surface().shown->scene->original, nullptr);
    EXPECT_FALSE(surface().shown->scene->distance.empty());
}

TEST_F(SegmentPanelTest, PointsAreFoundInTheWallOfTheSegmentation) {
    auto& landmarks = window->tools().get<LandmarkTool>();
    landmarks.parameters.set("within", std::string("wall"));
    landmarks.parameters.set("least", 0.0);
    landmarks.find(0);
    window->refresh();
    ASSERT_TRUE(becomes([&] { return !landmarks.failure.empty(); }));
    EXPECT_THAT(landmarks.failure, HasSubstr("segment frame 0"));
    segmentByClick();
    const double edge = chamberEdge(); // where corners are
    segment().label = 2;
    segment().brushMillimeters = 20;
    segment().disk = false;
    segment().mode = SegmentMode::Paint;
    press(on(ViewKind::Axial, {edge, 0, 9}));
    release(on(ViewKind::Axial, {edge, 0, 9}));
    segment().mode = SegmentMode::None;
    window->refresh();
    EXPECT_EQ(landmarks.failure, "") << "what it asked for is there";
    landmarks.find(0);
    window->refresh();
    ASSERT_TRUE(becomes([&] { return !landmarks.unfinished(); }));
    EXPECT_EQ(landmarks.failure, "");
    ASSERT_FALSE(landmarks.points->points.empty());
    for (const Landmark& point : landmarks.points->points)
        EXPECT_EQ(labelAt(point.position), 2) << point.name;
}

TEST_F(SegmentPanelTest, WithoutAToolTheButtonIsTheScenesAgain) {
    segment().mode = SegmentMode::Paint;
    const WindowLevel before{session().display.window, session().display.level};
    const auto drag = [&] {
        press(on(ViewKind::Coronal, {0, 0, 9}));
        move(on(ViewKind::Coronal, {20, 0, 20}));
        release(on(ViewKind::Coronal, {20, 0, 20}));
        window->refresh();
    };
    drag();
    EXPECT_EQ((WindowLevel{session().display.window, session().display.level}), before);
    ASSERT_TRUE(segment().labels.has(0)) << "painted where nothing was segmented";
    const LabelMap painted = labels();
    segment().mode = SegmentMode::None;
    drag();
    EXPECT_NE((WindowLevel{session().display.window, session().display.level}), before);
    EXPECT_EQ(labels(), painted);
}

TEST_F(SegmentPanelTest, TheLabelMapIsSavedAndTheOpenImageIsNot) {
    segmentByClick();
    stroke();
    EXPECT_TRUE(!segment().isSaved());
    const std::string path2 = folder / "labels.nii.gz";
    segment().save(path2);
    ASSERT_TRUE(becomes([&] { return segment().isSaved(); }));
    const Sequence file = openSequence({path2});
    EXPECT_EQ(file.frames, 1);
    EXPECT_EQ(file.voxelType, "uint8");
    const auto size = std::filesystem::file_size(folder / "p/sequence.nii.gz");
    segment().save(folder / "p/sequence.nii.gz");
    ASSERT_TRUE(becomes([&] { return message().find("open image") != std::string::npos; }));
    EXPECT_EQ(std::filesystem::file_size(folder / "p/sequence.nii.gz"), size);
}

TEST_F(SegmentPanelTest, SavingAsksOnceHoweverOftenItIsPressed) {
    segmentByClick();
    int asked = 0;
    window->host().answer = [&](const FileQuestion& question) {
        EXPECT_EQ(question.name, "sequence_labels.nii.gz");
        segment().save(); // pressed again while the question is open
        ++asked;
        return std::string(folder / "labels.nii.gz");
    };
    segment().save();
    segment().save();
    ASSERT_TRUE(becomes([&] { return segment().isSaved(); }));
    EXPECT_EQ(asked, 1);
    EXPECT_TRUE(std::filesystem::exists(folder / "labels.nii.gz"));
}

TEST_F(SegmentPanelTest, AClickInTheBackgroundIsSaidAndTheWindowClosesWhileItRuns) {
    segment().mode = SegmentMode::Click;
    click(ViewKind::Axial, {-63.5, -63.5, 9});
    ASSERT_TRUE(becomes([&] { return !segment().unfinished(); }));
    EXPECT_NE(segment().failure, "");
    EXPECT_EQ(segment().labels.labelled(), 0);
    EXPECT_EQ(segment().mode, SegmentMode::Click);
    segment().allFrames = true;
    click(ViewKind::Axial, {1, 1, 9});
    ASSERT_TRUE(becomes([&] { return segment().running(); }));
    window.reset();
}

TEST_F(SegmentPanelTest, EscapeEndsATool) {
    segment().mode = SegmentMode::Paint;
    QTest::keyClick(&window->viewport(), Qt::Key_Escape);
    EXPECT_EQ(segment().mode, SegmentMode::None);
}

} // namespace
} // namespace systole
