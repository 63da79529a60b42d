// Labels of a file in the Segment panel: opened, dropped, corrected, compared with, saved; and what
// the Cardiac panel shows of labels.
#include "app/anatomy/label_record.h"
#include "app/base/web_page.h"
#include "app/feature/panel.h"
#include "app/features/segmentation/segmentation_tool.h"
#include "app/features/surface/surface_tool.h"
#include "compute/surface/segment.h"
#include "io/source.h"
#include "tests/app/window/window_cardiac_fixture.h"

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QMimeData>
#include <QUrl>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace systole {
namespace {

using ::testing::HasSubstr;

/// Fixture with a phantom, whose labels of frame 0 are 1 wall, 2 blood.
class LabelsOfFileTest : public testing::CardiacPanelTest {
protected:
    void SetUp() override {
        testing::CardiacPanelTest::SetUp();
        if (IsSkipped())
            return;
        session().motion.enabled = false;
        openPanels(window->panels(), {"Segment"});
        window->viewport().arrange();
        window->refresh();
        settle();
    }
    SegmentationTool& segment() { return window->tools().get<SegmentationTool>(); }
    std::string file() const { return folder / "p/labels.nii.gz"; }
    static LabelMap labelsIn(const std::string& path) {
        const Sequence sequence = openSequence({path});
        BufferPool pool;
        const Volume map = decodeFrame(sequence, 0, pool, "labels");
        LabelMap labels(map.geometry.voxels());
        std::ranges::transform(map.view().span(), labels.begin(),
                               [](float value) { return static_cast<std::uint8_t>(value); });
        return labels;
    }
    /// The true labels, with 1 for the chamber and 2 for the wall.
    LabelMap truth() const {
        LabelMap labels = labelsIn(file());
        for (std::uint8_t& label : labels)
            label = label == 1 ? 2 : label == 2 ? 1 : label;
        return labels;
    }
    void becomeRead() {
        window->refresh();
        ASSERT_TRUE(becomes([&] { return !segment().unfinished(); }));
        ASSERT_EQ(segment().failure, "");
        settle();
    }
    void open() {
        segment().openLabels(file());
        ASSERT_NO_FATAL_FAILURE(becomeRead());
        ASSERT_TRUE(segment().labels.has(0));
    }
    void stroke() {
        segment().mode = SegmentMode::Erase;
        segment().brushMillimeters = 8;
        using Event = SlicePointer::Event;
        for (const Event event : {Event::Press, Event::Release})
            segment().pointer({event, {0, 0, 0}, 2});
        segment().mode = SegmentMode::None;
        window->refresh();
    }
    void drop(const std::string& path, QPointF place) {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(QString::fromStdString(path))});
        // Qt passes a drop on to what took the drag that came in before.
        QDragEnterEvent enter(place.toPoint(), Qt::CopyAction, &data, Qt::LeftButton,
                              Qt::NoModifier);
        QCoreApplication::sendEvent(window.get(), &enter);
        QDropEvent event(place, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(window.get(), &event);
    }
};

TEST_F(LabelsOfFileTest, TheyAreOpenedCorrectedUndoneAndSavedWithTheNumbersOfTheFile) {
    ASSERT_NO_FATAL_FAILURE(open());
    const LabelMap opened = *segment().labels.labels(0);
    EXPECT_EQ(opened, truth());
    EXPECT_TRUE(segment().isSaved()) << "they are in a file";
    EXPECT_FALSE(segment().labels.has(1));
    EXPECT_THAT(segment().numbers(), ::testing::ElementsAre(0, 2, 1));
    auto& surface = window->tools().get<SurfaceTool>();
    ASSERT_TRUE(becomes([&] { return surface.shown != nullptr; })) << "seen on the slices";

    stroke();
    const LabelMap corrected = *segment().labels.labels(0);
    ASSERT_NE(corrected, opened);
    EXPECT_FALSE(segment().isSaved());
    const std::string path = folder / "corrected.nii.gz";
    segment().save(path);
    ASSERT_TRUE(becomes([&] { return segment().isSaved(); }));
    LabelMap written = labelsIn(path);
    for (std::uint8_t& label : written)
        label = label == 1 ? 2 : label == 2 ? 1 : label;
    EXPECT_EQ(written, corrected);

    QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(*segment().labels.labels(0), opened);
    QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
    EXPECT_FALSE(segment().labels.has(0)) << "the opening is a step, too";
    EXPECT_TRUE(segment().numbers().empty());
    QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(*segment().labels.labels(0), opened);
    EXPECT_THAT(segment().numbers(), ::testing::ElementsAre(0, 2, 1));
}

TEST_F(LabelsOfFileTest, TheyAreComparedWithWhatTheFileHasWhileTheyAreCorrected) {
    ASSERT_NO_FATAL_FAILURE(open());
    ASSERT_EQ(segment().comparison.frames().size(), 1u);
    const FrameAgreement same = segment().comparison.frames().front();
    EXPECT_DOUBLE_EQ(same.chamber.dice, 1);
    EXPECT_DOUBLE_EQ(same.wall.dice, 1);
    EXPECT_DOUBLE_EQ(same.chamber.difference(), 0);
    stroke();
    const FrameAgreement now = segment().comparison.frames().front();
    const LabelMap file = truth(), labels = *segment().labels.labels(0);
    double both = 0, all = 0;
    for (std::size_t i = 0; i < file.size(); ++i) {
        both += file[i] == 1 && labels[i] == 1;
        all += (file[i] == 1) + (labels[i] == 1);
    }
    ASSERT_LT(both, all / 2);
    EXPECT_DOUBLE_EQ(now.chamber.dice, 2 * both / all);
    EXPECT_LT(now.chamber.difference(), 0);
    EXPECT_DOUBLE_EQ(now.wall.dice, 1);
    EXPECT_THAT(findPanel(window->panels(), "Segment").text(session()),
                HasSubstr("labels against the file's"));
}

TEST_F(LabelsOfFileTest, WhatWasFoundIsComparedWithAnExpertsAndStaysAsItIs) {
    segment().mode = SegmentMode::Click;
    using Event = SlicePointer::Event;
    for (const Event event : {Event::Press, Event::Release})
        segment().pointer({event, {0, 0, 9}, 2});
    ASSERT_NO_FATAL_FAILURE(becomeRead());
    ASSERT_TRUE(segment().labels.has(0));
    const LabelMap found = *segment().labels.labels(0);
    window->host().answer = [&](const FileQuestion&) { return file(); };
    segment().chooseComparison();
    ASSERT_TRUE(becomes([&] { return segment().comparison.hasFile(); }));
    window->refresh();
    EXPECT_EQ(*segment().labels.labels(0), found);
    EXPECT_TRUE(segment().numbers().empty());
    ASSERT_EQ(segment().comparison.frames().size(), 1u);
    EXPECT_GT(segment().comparison.frames().front().chamber.dice, 0.8);
    segment().forgetComparison();
    EXPECT_TRUE(segment().comparison.frames().empty());
}

TEST_F(LabelsOfFileTest, ASecondFileOverTheFirstMakesAMixtureThatIsInNone) {
    ASSERT_NO_FATAL_FAILURE(open());
    ASSERT_TRUE(segment().isSaved());
    const std::string other = folder / "other.nii.gz"; // stands for another frame's labels
    std::filesystem::copy_file(file(), other);
    seek(2);
    segment().openLabels(other);
    ASSERT_NO_FATAL_FAILURE(becomeRead());
    ASSERT_TRUE(segment().labels.has(0) && segment().labels.has(2));
    EXPECT_FALSE(segment().isSaved());
    segment().setRoles({.chamber = 1, .wall = 2});
    EXPECT_FALSE(segment().isSaved());
    const std::string path = folder / "both.nii.gz";
    segment().save(path);
    ASSERT_TRUE(becomes([&] { return segment().isSaved(); }));
    segment().openLabels(path); // replaces all that is there
    ASSERT_NO_FATAL_FAILURE(becomeRead());
    EXPECT_TRUE(segment().isSaved());
}

TEST_F(LabelsOfFileTest, WhileFramesAreSegmentedFilesAreReadAndOpenedAfterwards) {
    using Event = SlicePointer::Event;
    segment().allFrames = true;
    segment().mode = SegmentMode::Click;
    for (const Event event : {Event::Press, Event::Release})
        segment().pointer({event, {0, 0, 9}, 2});
    window->refresh();
    ASSERT_TRUE(segment().running());
    // While a stroke is drawn the run doesn't end.
    segment().mode = SegmentMode::Paint;
    segment().pointer({Event::Press, {0, 0, 9}, 2});
    const std::string said = "labels.nii.gz is opened when the segmentation is done.";
    segment().openLabels(file());
    EXPECT_EQ(segment().openedAfterRun(), said);
    segment().compareWith(file());
    segment().openLabels(folder / "p/sequence.nii.gz");
    window->refresh();
    ASSERT_TRUE(becomes([&] { return !segment().reading(); }));
    EXPECT_TRUE(segment().running());
    EXPECT_TRUE(segment().comparison.hasFile()) << "forbidden by nothing";
    EXPECT_THAT(segment().failure, HasSubstr("labels are whole numbers")) << "refused at once";
    EXPECT_EQ(segment().openedAfterRun(), said);
    segment().pointer({Event::Release, {0, 0, 9}, 2});
    segment().mode = SegmentMode::None;
    ASSERT_NO_FATAL_FAILURE(becomeRead());
    EXPECT_EQ(segment().openedAfterRun(), "");
    EXPECT_EQ(segment().labels.labelled(), frames);
    EXPECT_EQ(*segment().labels.labels(0), truth());
    EXPECT_FALSE(segment().isSaved()) << "the other frames are in no file";
}

TEST_F(LabelsOfFileTest, ADropOnThePanelsOpensLabelsAndOneOnTheViewsAnImage) {
    const QPoint corner = window->viewport().mapTo(window.get(), QPoint(0, 0));
    const int width = window->viewport().width();
    drop(file(), corner + QPoint(width - 20, 60));
    ASSERT_NO_FATAL_FAILURE(becomeRead());
    EXPECT_TRUE(segment().labels.has(0));
    EXPECT_EQ(session().opened->sequence.frames, frames);
    segment().clear();
    drop(file(), corner + QPoint(20, 60));
    ASSERT_TRUE(becomes(
        [&] { return !window->loading() && session().opened->sequence.name == "labels.nii.gz"; }));
}

TEST_F(LabelsOfFileTest, AFileThatHoldsNoLabelsIsOneSentenceAndChangesNothing) {
    segment().openLabels(folder / "p/sequence.nii.gz");
    window->refresh();
    ASSERT_TRUE(becomes([&] { return !segment().unfinished(); }));
    EXPECT_THAT(segment().failure, HasSubstr("sequence.nii.gz: labels are whole numbers"));
    EXPECT_EQ(segment().labels.labelled(), 0);
}

TEST_F(LabelsOfFileTest, RolesThatTheUserChoosesAreOneStepEach) {
    ASSERT_NO_FATAL_FAILURE(open());
    segment().setRoles({.chamber = 1, .wall = 0});
    window->refresh();
    const LabelMap now = *segment().labels.labels(0);
    const LabelMap inFile = labelsIn(file());
    for (std::size_t i = 0; i < now.size(); ++i)
        ASSERT_EQ(now[i] == chamberLabel, inFile[i] == 1);
    QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(*segment().labels.labels(0), truth());
}

TEST_F(LabelsOfFileTest, PointsAreSavedBesideTheMapAndCardiacKnowsTheInsertion) {
    segment().parameters.set("wall", true);
    segment().mode = SegmentMode::Points;
    using Event = SlicePointer::Event;
    for (const Vec3 point : {Vec3{0, 0, -31}, Vec3{0, 0, 41}, Vec3{29, 0, 29}})
        for (const Event event : {Event::Press, Event::Release})
            segment().pointer({event, point, 2});
    ASSERT_NO_FATAL_FAILURE(becomeRead());
    ASSERT_TRUE(segment().labels.has(0));
    const std::string path = folder / "mine.nii.gz";
    segment().save(path);
    ASSERT_TRUE(becomes([&] { return segment().isSaved(); }));
    const auto record = readLabelRecord(path);
    ASSERT_TRUE(record && record->points);
    EXPECT_EQ(record->points->rightVentricle, (Vec3{29, 0, 29}));
    EXPECT_EQ(record->frames, std::vector<int>{0});

    session().motion.enabled = true;
    for (const bool withRecord : {true, false}) {
        if (!withRecord)
            std::filesystem::remove(folder / "mine.json");
        cardiac().openFile(path);
        ASSERT_NO_FATAL_FAILURE(becomeMeasured());
        EXPECT_EQ(cardiac().outcome()->ventricle->placement.insertionKnown, withRecord);
    }
}

TEST_F(LabelsOfFileTest, CardiacShowsThemOnTheSlicesAtOnceAndAsTheMotionCarriesThem) {
    const QImage before = picture();
    cardiac().openFile(file());
    window->refresh();
    ASSERT_TRUE(becomes([&] { return !cardiac().busy(); }));
    settle();
    const SceneContribution scene = window->tools().contribution();
    ASSERT_TRUE(scene.surface) << "without motion";
    EXPECT_EQ(scene.surfaceNote, "");
    EXPECT_GT(differingPixels(before, picture()), 300);
    seek(2);
    EXPECT_EQ(window->tools().contribution().surfaceNote, "heart wall of frame 0");
    session().motion.enabled = true;
    ASSERT_NO_FATAL_FAILURE(becomeMeasured());
    const SceneContribution carried = window->tools().contribution();
    EXPECT_EQ(carried.surfaceNote, "");
    EXPECT_NE(carried.surface->mesh->points, scene.surface->mesh->points);
    EXPECT_THAT(cardiac().fileLabels(), ::testing::ElementsAre(1, 2));
    EXPECT_EQ(cardiac().roles().wall, 1);
    EXPECT_EQ(cardiac().roles().cavity, 2);
}

TEST_F(LabelsOfFileTest, CardiacListsEveryEjectionFractionAndDoubtsThoseFarApart) {
    ASSERT_NO_FATAL_FAILURE(open());
    // Labels of another frame, of a third of the chamber: far from what the motion carries.
    LabelMap third = *segment().labels.labels(0);
    int chamber = 0;
    for (std::uint8_t& label : third)
        if (label == chamberLabel && ++chamber % 3 != 0)
            label = 0;
    segment().labels.begin("third");
    segment().labels.replace(2, third);
    segment().labels.end();
    session().motion.enabled = true;
    cardiac().choose(HeartLabels::Segmentation);
    ASSERT_NO_FATAL_FAILURE(becomeMeasured());
    ASSERT_EQ(cardiac().found().size(), 2u);
    const auto ways = cardiac().ejections();
    ASSERT_GE(ways.size(), 4u);
    EXPECT_EQ(ways[0].way, "carried by clg, mid-wall");
    EXPECT_EQ(ways[3].way, "labels of each frame (2)");
    EXPECT_NEAR(ways[3].percent, 200.0 / 3, 0.5);
    EXPECT_EQ(ways[3].systole, 2);
    // Doubts of the panel include all of these, and so do those of the report.
    const std::vector<std::string> doubts = cardiac().doubts();
    EXPECT_THAT(doubts, ::testing::Contains(HasSubstr("labels found in each frame")));
    EXPECT_THAT(doubts, ::testing::IsSupersetOf(segment().doubts()));
    ToolHost& usual = window->tools().host();
    testing::FileHost host(usual, folder / "report.html");
    window->tools().setHost(host);
    cardiac().saveReport();
    window->tools().setHost(usual);
    const std::string page = testing::readText(folder / "report.html");
    for (const std::string& doubt : doubts)
        EXPECT_THAT(page, HasSubstr(htmlEscaped(doubt)));
    EXPECT_THAT(findPanel(window->panels(), "Cardiac").text(session()),
                HasSubstr("\ncarried by clg, mid-wall\t"));
}

} // namespace
} // namespace systole
