// The segmentation in the live view: from a click or three points to labels and their surface.
#include "app/anatomy/ejection.h"
#include "app/features/segmentation/label_file.h"
#include "app/features/segmentation/segmentation_tool.h"
#include "app/features/surface/surface_tool.h"
#include "io/source.h"
#include "tests/app/live/live_view_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

namespace systole {
namespace {

using ::testing::HasSubstr;

constexpr Vec3 inChamber{0, 0, 9};

std::vector<std::uint8_t> labelsIn(const std::string& path, int frame) {
    const Sequence file = openSequence({path});
    BufferPool pool;
    Volume volume(file.geometry, pool, "labels");
    file.source->read(frame, volume.view());
    std::vector<std::uint8_t> values(volume.voxels.size());
    std::ranges::transform(volume.voxels.span(), values.begin(),
                           [](float value) { return static_cast<std::uint8_t>(value); });
    return values;
}

double dice(const LabelMap& a, std::uint8_t inA, const LabelMap& b, std::uint8_t inB) {
    double both = 0, sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        both += a[i] == inA && b[i] == inB ? 1 : 0;
        sum += (a[i] == inA ? 1 : 0) + (b[i] == inB ? 1 : 0);
    }
    return 2 * both / sum;
}

/// One small phantom for all tests of this file; its labels: 1 wall, 2 blood.
class SegmentViewTest : public LiveViewFixture {
protected:
    static void SetUpTestSuite() {
        phantom_ = std::make_unique<testing::TemporaryFolder>();
        const testing::Outcome made = testing::run(
            {"phantom", "-o", *phantom_ / "p", "--size", "40", "--look", "ct", "--frames", "3"});
        ASSERT_EQ(made.exitCode, 0) << made.errors;
    }
    static void TearDownTestSuite() { phantom_.reset(); }
    static std::string sequence() { return *phantom_ / "p/sequence.nii.gz"; }
    static LabelMap truth() { return labelsIn(*phantom_ / "p/labels.nii.gz", 0); }

    void SetUp() override {
        makeView(400);
        if (IsSkipped())
            return;
        session_.motion.setBackend(Backend::Cpu);
        session_.motion.enabled = false;
        live_->open({sequence()});
        ASSERT_TRUE(becomes([&] { return session_.opened && session_.shownFrame >= 0; }));
        session_.playback.pause();
        session_.playback.seek(0);
        ASSERT_TRUE(becomes([&] { return session_.shownFrame == 0; }));
    }

    SegmentationTool& segment() { return tools_.get<SegmentationTool>(); }
    SurfaceTool& surface() { return tools_.get<SurfaceTool>(); }
    void point(SlicePointer::Event event, Vec3 position = {}, int axis = 2) {
        segment().pointer({event, position, axis});
        tick();
    }
    void click(Vec3 position) {
        point(SlicePointer::Event::Press, position);
        point(SlicePointer::Event::Release);
    }
    bool segmented() {
        return becomes([&] { return !segment().unfinished(); });
    }
    bool surfaceIsThere() {
        return becomes([&] { return surface().shown && !surface().busy(); });
    }
    void segmentByClick() {
        segment().mode = SegmentMode::Click;
        click(inChamber);
        ASSERT_TRUE(segmented());
        ASSERT_EQ(segment().failure, "");
        ASSERT_TRUE(surfaceIsThere());
    }
    const LabelMap& labels(int frame = 0) { return *segment().labels.labels(frame); }

    static std::unique_ptr<testing::TemporaryFolder> phantom_;
};
std::unique_ptr<testing::TemporaryFolder> SegmentViewTest::phantom_;

TEST_F(SegmentViewTest, AClickBecomesTheChamberAndItsSurface) {
    segmentByClick();
    EXPECT_GE(dice(labels(), chamberLabel, truth(), 2), 0.9);
    EXPECT_EQ(segment().mode, SegmentMode::None) << "it has done its work";
    EXPECT_EQ(surface().choice.source, SurfaceOrigin::Segmentation);
    ASSERT_TRUE(surface().shown->scene) << surface().shown->problem;
    const double blood =
        static_cast<double>(std::ranges::count(truth(), std::uint8_t{2})) * std::pow(3.2, 3) / 1000;
    EXPECT_NEAR(surface().shown->milliliters, blood, 0.12 * blood);
    EXPECT_EQ(surface().shown->scene->original, nullptr);
    EXPECT_FALSE(segment().labels.has(1));
    EXPECT_FALSE(segment().isSaved());
}

TEST_F(SegmentViewTest, ThreePointsWithWallInAllFramesAreThoseOfTheCommand) {
    segment().mode = SegmentMode::Points;
    segment().allFrames = true;
    segment().parameters.set("wall", true);
    click({0, 0, -31});
    click({0, 0, 41});
    EXPECT_FALSE(segment().unfinished());
    click({29, 0, 29});
    ASSERT_TRUE(segmented());
    ASSERT_EQ(segment().failure, "");
    const std::string file = *phantom_ / "command.nii.gz";
    const testing::Outcome made =
        testing::run({"segment", sequence(), "-o", file, "--points", "0,0,-31;0,0,41;29,0,29",
                      "--wall", "--all", "--overwrite"});
    ASSERT_EQ(made.exitCode, 0) << made.errors;
    for (int frame = 0; frame < 3; ++frame)
        EXPECT_EQ(labels(frame), labelsIn(file, frame)) << frame;
    EXPECT_EQ(segment().labels.position(), 1) << "one step back for all frames";

    ASSERT_TRUE(becomes([&] {
        return std::ranges::all_of(surface().frames(),
                                   [](const auto& made) { return made != nullptr; });
    }));
    EXPECT_NE(surface().shown->scene->original, nullptr) << "the wall as a ghost";
    const std::optional<Ejection> ejection = ejectionOf(surface().frames());
    ASSERT_TRUE(ejection);
    EXPECT_EQ(ejection->largestFrame, 0);
    EXPECT_GT(ejection->fraction, 0.2);
}

TEST_F(SegmentViewTest, FromALaterFrameTheOthersFollowToBothSides) {
    session_.playback.seek(1);
    ASSERT_TRUE(becomes([&] { return session_.shownFrame == 1; }));
    segment().mode = SegmentMode::Click;
    segment().allFrames = true;
    click(inChamber);
    ASSERT_TRUE(segmented());
    EXPECT_EQ(segment().labels.labelled(), 3) << segment().failure;
    EXPECT_GE(dice(labels(0), chamberLabel, truth(), 2), 0.85);
}

TEST_F(SegmentViewTest, ASecondRunRemovesTheFirstWithItsFirstResult) {
    segment().mode = SegmentMode::Click;
    segment().allFrames = true;
    click(inChamber);
    ASSERT_TRUE(segmented());
    ASSERT_EQ(segment().labels.labelled(), 3) << segment().failure;
    const LabelMap first = labels(2);
    segment().seeds = {{2, 1, 8}};
    segment().start();
    ASSERT_TRUE(becomes([&] { return segment().labels.labelled() != 3; }));
    EXPECT_EQ(segment().labels.labelled(), 1) << "frames of two runs aren't one series";
    ASSERT_TRUE(segmented());
    EXPECT_EQ(segment().labels.labelled(), 3);
    EXPECT_EQ(segment().labels.position(), 2);
    segment().labels.moveTo(1);
    EXPECT_EQ(labels(2), first) << "undo brings all of them back";

    // A run that finds nothing takes nothing away.
    segment().seeds = {{500, 0, 0}};
    segment().start();
    ASSERT_TRUE(segmented());
    EXPECT_NE(segment().failure, "");
    EXPECT_EQ(segment().labels.labelled(), 3);
}

TEST_F(SegmentViewTest, WhilePlayingContoursOfAnotherFrameAreNamedAndFaint) {
    segmentByClick();
    EXPECT_EQ(tools_.contribution().surfaceNote, "");
    session_.playback.play();
    session_.playback.seek(1);
    tick();
    ASSERT_TRUE(surface().shown);
    if (session_.playback.frame() != 0) {
        EXPECT_EQ(tools_.contribution().surfaceNote, "surface of frame 0");
    }
    session_.playback.pause();
    session_.playback.seek(0);
    ASSERT_TRUE(becomes([&] { return session_.shownFrame == 0 && surface().shown; }));
    EXPECT_EQ(tools_.contribution().surfaceNote, "");
}

TEST_F(SegmentViewTest, SavedAndReadAgainTheSurfaceIsTheSame) {
    segmentByClick();
    segment().mode = SegmentMode::Paint;
    point(SlicePointer::Event::Press, {0, 22, 9});
    point(SlicePointer::Event::Drag, {10, 22, 9});
    point(SlicePointer::Event::Release);
    ASSERT_TRUE(surfaceIsThere());
    const auto shown = surface().shown->scene->mesh;
    const std::string path = folder_ / "labels.nii.gz";
    writeLabelFile(path, labelFileOf(segment().labels, session_.opened->sequence),
                   session_.opened->paths);
    SurfaceChoice choice = surfaceFromOption(path);
    choice.carried = false;
    choice.revision = surface().choice.revision + 1;
    surface().choice = choice;
    ASSERT_TRUE(becomes([&] { return surface().shown && surface().shown->scene->mesh != shown; }));
    EXPECT_EQ(surface().shown->scene->mesh->points, shown->points);
    EXPECT_EQ(surface().shown->scene->mesh->triangles, shown->triangles);
}

TEST_F(SegmentViewTest, StrokesChangeTheSurfaceOfTheirFrameAlone) {
    segmentByClick();
    const auto before = surface().shown;
    const LabelMap found = labels();
    segment().mode = SegmentMode::Erase;
    segment().brushMillimeters = 8;
    segment().disk = false;
    point(SlicePointer::Event::Press, inChamber);
    point(SlicePointer::Event::Release);
    EXPECT_NE(labels(), found);
    ASSERT_TRUE(becomes([&] { return surface().shown != before; }));
    EXPECT_LT(surface().shown->milliliters, before->milliliters - 1);
    EXPECT_FALSE(segment().labels.has(1));
    // A frame without labels has no surface.
    session_.playback.seek(1);
    ASSERT_TRUE(becomes([&] { return session_.shownFrame == 1; }));
    EXPECT_EQ(surface().shown, nullptr);
}

TEST_F(SegmentViewTest, ABadPointIsOneClearSentence) {
    segment().mode = SegmentMode::Click;
    click({500, 0, 0});
    ASSERT_TRUE(segmented());
    EXPECT_THAT(segment().failure, HasSubstr("outside the image"));
    EXPECT_EQ(segment().labels.labelled(), 0);
    EXPECT_EQ(segment().mode, SegmentMode::Click) << "to try again";
    segment().mode = SegmentMode::Points;
    for (int i = 0; i < 3; ++i)
        click(inChamber);
    ASSERT_TRUE(segmented());
    EXPECT_THAT(segment().failure, HasSubstr("ring"));
    segment().mode = SegmentMode::Pull;
    point(SlicePointer::Event::Press, inChamber);
    EXPECT_THAT(segment().failure, HasSubstr("segment it first"));
    point(SlicePointer::Event::Drag, {5, 0, 9});
    EXPECT_EQ(segment().labels.position(), 0);
}

TEST_F(SegmentViewTest, StoppedOrWithAnotherFileItEnds) {
    segment().mode = SegmentMode::Click;
    segment().allFrames = true;
    click(inChamber);
    segment().stop();
    tick();
    EXPECT_FALSE(segment().unfinished());
    EXPECT_THAT(segment().note, HasSubstr("Stopped"));
    click(inChamber);
    EXPECT_TRUE(segment().running());
    open("other.nii.gz", 24, 2);
    tick();
    EXPECT_FALSE(segment().unfinished());
    EXPECT_EQ(segment().labels.frames(), 2);
    EXPECT_EQ(segment().labels.labelled(), 0);
    EXPECT_TRUE(segment().seeds.empty());
    EXPECT_FALSE(surface().choice.isOn());
}

TEST_F(SegmentViewTest, TheCommandLineHasTheSamePoints) {
    const auto snapshot = [&](std::vector<std::string> options) {
        options.insert(options.begin(), {"snapshot", sequence(), "-o", folder_ / "picture.png",
                                         "--overwrite", "--layout", "single", "--size", "320x240"});
        return testing::run(options);
    };
    const testing::Outcome made = snapshot({"--segment=0,0,9", "--overlay", "surface"});
    EXPECT_EQ(made.exitCode, 0) << made.errors;
    const testing::Outcome voxel = snapshot({"--segment=19.5,19.5,22", "--segment-voxel"});
    EXPECT_EQ(voxel.exitCode, 0) << voxel.errors;
    const auto expectError = [&](const std::vector<std::string>& options, int code,
                                 const std::string& mentioned) {
        const testing::Outcome outcome = snapshot(options);
        EXPECT_EQ(outcome.exitCode, code) << outcome.errors;
        EXPECT_THAT(outcome.errors, HasSubstr(mentioned));
        EXPECT_EQ(std::ranges::count(outcome.errors, '\n'), 1) << outcome.errors;
    };
    expectError({"--segment=500,0,9"}, 1, "outside the image");
    expectError({"--segment=nan,0,9"}, 2, "nan,0,9");
    expectError({"--segment-points", "1,2,3"}, 2, "APEX;MITRAL;RV");
    expectError({"--segment-wall"}, 2, "--segment-points");
    expectError({"--segment=0,0,9", "--surface-threshold", "100"}, 2, "--surface-threshold");
}

} // namespace
} // namespace systole
