// Undo and redo of what the user sets.
#include "app/feature/tools.h"
#include "app/features/registration/registration_tool.h"
#include "app/features/segmentation/segmentation_tool.h"
#include "app/features/surface/surface_tool.h"
#include "app/live/history.h"
#include "app/session/resets.h"
#include "compute/core/error.h"
#include "render/overlays/rows.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace systole {
namespace {

/// A session with its history, without a window.
class HistoryTest : public ::testing::Test {
protected:
    HistoryTest() { history.clear(now()); }

    UserState now() const {
        return {session.display, session.motion, session.compared, session.marks,
                camera,          crosshair,      tools.states()};
    }
    void record() { history.record(now()); }
    void take(const UserState& state) {
        restore(session, tools, state);
        camera = state.camera;
        crosshair = state.crosshair;
        history.adopt(now());
    }
    void undo() { take(UserState(history.undo())); }
    void redo() { take(UserState(history.redo())); }

    Session session;
    Tools tools{session};
    SceneCamera camera;
    Vec3 crosshair;
    History history;
};

TEST_F(HistoryTest, UndoesAndRedoesWhatItNames) {
    EXPECT_FALSE(history.canUndo());
    record();
    EXPECT_FALSE(history.canUndo()); // nothing changed
    setOption(session.display, "crosshair", false);
    record();
    session.display.layout = Layout::ThreeSlices;
    record();
    EXPECT_EQ(history.undoText(), "layout");
    undo();
    EXPECT_EQ(session.display.layout, Layout::FourUp);
    EXPECT_FALSE(session.display.crosshair);
    EXPECT_EQ(history.undoText(), "Crosshair");
    EXPECT_EQ(history.redoText(), "layout");
    undo();
    EXPECT_TRUE(session.display.crosshair);
    EXPECT_FALSE(history.canUndo());
    redo();
    redo();
    EXPECT_EQ(session.display.layout, Layout::ThreeSlices);
    EXPECT_FALSE(session.display.crosshair);
    EXPECT_FALSE(history.canRedo());
}

TEST_F(HistoryTest, AWindowOfFramesIsAStepAndOutdatesFields) {
    session.motion.setWindow(7);
    record();
    EXPECT_EQ(history.undoText(), "reference of the motion");
    const std::uint64_t revision = session.motion.revision;
    undo();
    EXPECT_EQ(session.motion.window, 0);
    EXPECT_GT(session.motion.revision, revision);
    redo();
    EXPECT_EQ(session.motion.window, 7);
    EXPECT_THROW(session.motion.setWindow(4), ComputeError);
    EXPECT_EQ(session.motion.window, 7);
}

TEST_F(HistoryTest, DragsOfOneSliderAreOneStep) {
    const double before = session.motion.parameters.real("alpha");
    for (const double alpha : {1.0, 2.0, 3.0}) {
        session.motion.set("alpha", alpha);
        record();
    }
    EXPECT_EQ(history.undoText(), "smoothness"); // the parameter's words, not its id
    session.motion.set("rho", 2.0);
    record();
    session.motion.set("alpha", 5.0);
    record();
    undo();
    EXPECT_EQ(session.motion.parameters.real("alpha"), 3);
    undo();
    undo();
    EXPECT_EQ(session.motion.parameters.real("alpha"), before);
    EXPECT_FALSE(history.canUndo());
    // A drag after undoing is a step of its own.
    session.motion.set("alpha", 7.0);
    record();
    EXPECT_FALSE(history.canRedo());
    undo();
    EXPECT_EQ(session.motion.parameters.real("alpha"), before);
}

TEST_F(HistoryTest, SwitchesAreAStepEach) {
    for (int i = 0; i < 3; ++i) {
        session.display.volume = !session.display.volume;
        record();
    }
    undo();
    EXPECT_TRUE(session.display.volume);
    undo();
    EXPECT_FALSE(session.display.volume);
    EXPECT_TRUE(history.canUndo());
}

TEST_F(HistoryTest, WindowAndLevelAreOneStep) {
    session.display.window = 100;
    session.display.level = 50;
    record();
    session.display.window = 120;
    record();
    session.display.level = 40;
    record();
    EXPECT_EQ(history.undoText(), "window and level");
    undo();
    EXPECT_EQ(session.display.window, 0);
    EXPECT_FALSE(history.canUndo());
}

TEST_F(HistoryTest, OnlyEstimationsThatChangeAreOutdated) {
    session.motion.set("alpha", 4.0);
    record();
    session.display.volume = false;
    record();
    const std::uint64_t left = session.motion.revision, right = session.compared.revision;
    undo();
    EXPECT_EQ(session.motion.revision, left); // finished fields stay
    undo();
    EXPECT_GT(session.motion.revision, left);
    EXPECT_EQ(session.compared.revision, right);
    session.motion.enabled = false;
    record();
    const std::uint64_t off = session.motion.revision;
    EXPECT_EQ(history.undoText(), "motion estimation");
    undo();
    EXPECT_TRUE(session.motion.enabled);
    EXPECT_EQ(session.motion.revision, off);
}

TEST_F(HistoryTest, MarksAndViewsComeBack) {
    session.marks.endSystole = 7;
    record();
    EXPECT_EQ(history.undoText(), "end-systole mark");
    camera.slices[1].zoom = 3;
    record();
    crosshair = {1, 2, 3};
    record();
    EXPECT_EQ(history.undoText(), "position of the views");
    undo();
    EXPECT_EQ(camera.slices[1].zoom, 1);
    EXPECT_EQ(crosshair, Vec3{});
    undo();
    EXPECT_EQ(session.marks.endSystole, std::nullopt);
}

TEST_F(HistoryTest, ResetsAreNamedStepsAndReset) {
    session.display.layout = Layout::Single3D;
    session.display.volumeOpacity = 3;
    session.motion.set("alpha", 9.0);
    session.marks.endDiastole = 1;
    record();
    history.nameNext("reset of the display options");
    resetDisplay(session);
    record();
    EXPECT_EQ(history.undoText(), "reset of the display options");
    EXPECT_EQ(session.display.volumeOpacity, 1);
    EXPECT_EQ(session.display.layout, Layout::Single3D);
    resetParameters(session);
    EXPECT_EQ(session.motion.parameters.real("alpha"), MotionChoice().parameters.real("alpha"));
    const std::uint64_t revision = session.motion.revision;
    resetParameters(session);
    EXPECT_EQ(session.motion.revision, revision); // nothing to reset: finished fields stay
    resetMarks(session);
    EXPECT_EQ(session.marks.endDiastole, std::nullopt);
    record();
    undo();
    undo();
    EXPECT_EQ(session.display.volumeOpacity, 3);
    EXPECT_EQ(session.marks.endDiastole, 1);
}

TEST_F(HistoryTest, ForgetsTheOldestSteps) {
    for (std::size_t i = 0; i < History::maxSteps + 10; ++i) {
        session.display.volume = !session.display.volume;
        record();
    }
    std::size_t steps = 0;
    for (; history.canUndo(); ++steps)
        undo();
    EXPECT_EQ(steps, History::maxSteps);
}

TEST_F(HistoryTest, EditsOfTheSegmentationAreStepsAmongTheOthers) {
    LabelHistory& labels = tools.get<SegmentationTool>().labels;
    labels.reset(Geometry({4, 4, 4}, {1, 1, 1}), 2);
    history.clear(now());
    const LabelMap first(64, 1), second(64, 2);
    const auto edit = [&](const LabelMap& map) {
        labels.begin("brush");
        labels.replace(1, map);
        record();
    };
    edit(first);
    session.display.layout = Layout::ThreeSlices;
    record();
    edit(second);
    EXPECT_EQ(history.undoText(), "brush");
    undo();
    EXPECT_EQ(*labels.labels(1), first);
    EXPECT_EQ(session.display.layout, Layout::ThreeSlices);
    undo();
    EXPECT_EQ(history.undoText(), "brush");
    undo();
    EXPECT_FALSE(labels.has(1));
    redo();
    redo();
    EXPECT_EQ(*labels.labels(1), first);
    redo();
    EXPECT_EQ(*labels.labels(1), second);
    EXPECT_FALSE(history.canRedo());
}

TEST_F(HistoryTest, SettingsOfToolsAreStepsAndLabelsStay) {
    auto& segment = tools.get<SegmentationTool>();
    segment.labels.reset(Geometry({4, 4, 4}, {1, 1, 1}), 1);
    history.clear(now());
    segment.labels.begin("segmentation");
    segment.labels.replace(0, LabelMap(64, 1));
    tools.get<SurfaceTool>().showLabel(1); // as the segmentation does
    record();
    EXPECT_EQ(history.undoText(), "segmentation");
    const bool largest = segment.parameters.isOn("wall");
    segment.parameters.set("wall", !largest);
    record();
    SurfaceChoice& choice = tools.get<SurfaceTool>().choice;
    choice.denoise = true;
    ++choice.revision;
    record();
    EXPECT_EQ(history.undoText(), "surface: denoise");
    const std::uint64_t revision = choice.revision;
    undo();
    EXPECT_FALSE(choice.denoise);
    EXPECT_GT(choice.revision, revision) << "surfaces are made again";
    EXPECT_TRUE(segment.labels.has(0));
    undo();
    EXPECT_EQ(segment.parameters.isOn("wall"), largest);
    EXPECT_TRUE(segment.labels.has(0));
    undo();
    EXPECT_FALSE(segment.labels.has(0));
    redo();
    redo();
    redo();
    EXPECT_TRUE(choice.denoise);
}

TEST_F(HistoryTest, AnotherMethodOfRegistrationComesBackWithItsParameters) {
    auto& registration = tools.get<RegistrationTool>();
    const MotionMethod& before = *registration.choice.method;
    const auto other = std::ranges::find_if(
        registrationMethods(), [&](const MotionMethod& method) { return &method != &before; });
    const std::vector<SettingValue> was = valuesOf(registration.settings());
    registration.choose(*other);
    record();
    EXPECT_EQ(history.undoText(), "registration: method");
    registration.affineFirst = !registration.affineFirst;
    record();
    undo();
    undo();
    EXPECT_EQ(registration.choice.method, &before);
    EXPECT_TRUE(changesBetween(was, valuesOf(registration.settings())).empty());
    redo();
    EXPECT_EQ(registration.choice.method, &*other);
}

} // namespace
} // namespace systole
