// Leaving a sequence, for another or with the window: what isn't saved is named, and can be saved.
#include "app/base/assets.h"
#include "app/features/cardiac/cardiac_tool.h"
#include "app/features/landmarks/landmark_tool.h"
#include "app/features/registration/registration_tool.h"
#include "app/features/segmentation/segmentation_tool.h"
#include "app/features/surface/surface_tool.h"
#include "io/base/numbered_files.h"
#include "io/landmarks/landmark_file.h"
#include "tests/app/window/window_fixture.h"

#include <QDir>
#include <QSettings>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace systole {
namespace {

using ::testing::HasSubstr;

class LeavingTest : public testing::WindowTest {
protected:
    void SetUp() override {
        WindowTest::SetUp();
        if (IsSkipped())
            return;
        window->session().motion.enabled = false;
        openAndShow(path);
        window->session().playback.pause();
        window->session().playback.seek(0);
        window->refresh();
        ASSERT_TRUE(becomes([&] { return window->session().shownFrame == 0; }));
        window->leaving().answer = [this](const std::vector<UnsavedWork>& work) {
            named = leavingText(work);
            ++asked;
            return leaving;
        };
    }

    void paint() {
        auto& segment = window->tools().get<SegmentationTool>();
        segment.mode = SegmentMode::Paint;
        using Event = SlicePointer::Event;
        for (const Event event : {Event::Press, Event::Release})
            segment.pointer({event, {0, 0, 0}, 2});
        segment.mode = SegmentMode::None;
        window->refresh();
    }
    void placeLandmark(Vec3 at = {1, 2, 3}) {
        auto& landmarks = window->tools().get<LandmarkTool>();
        landmarks.edit();
        using Event = SlicePointer::Event;
        for (const Event event : {Event::Press, Event::Release})
            landmarks.pointer({event, at, 2});
        window->refresh();
        ASSERT_TRUE(becomes([&] { return !landmarks.unfinished(); }));
    }

    void placeAndCancel() {
        leaving = Leaving::Cancel;
        placeLandmark();
    }

    std::string named;
    int asked = 0;
    Leaving leaving = Leaving::Cancel;
};

TEST_F(LeavingTest, WithNothingToLoseNobodyIsAsked) {
    window->close();
    EXPECT_EQ(asked, 0);
    EXPECT_FALSE(window->isVisible());
}

TEST_F(LeavingTest, OneQuestionNamesAllAndCancelKeepsIt) {
    paint();
    placeLandmark();
    window->session().marks.endSystole = 1;
    window->close();
    EXPECT_EQ(asked, 1);
    EXPECT_THAT(named, HasSubstr("labels of the segmentation, 1 frame"));
    EXPECT_THAT(named, HasSubstr("1 landmark and its tracks"));
    EXPECT_THAT(named, HasSubstr("end systole, which can't be saved"));
    EXPECT_TRUE(window->isVisible());
    window->open({path});
    EXPECT_EQ(asked, 2);
    EXPECT_FALSE(window->loading());
    EXPECT_EQ(window->tools().get<SegmentationTool>().labels.labelled(), 1);
}

TEST_F(LeavingTest, NobodyIsAskedAboutAFileThatCannotBeOpened) {
    paint();
    const std::string broken = folder / "broken.nii";
    testing::writeText(broken, "no image");
    window->open({broken});
    EXPECT_EQ(asked, 0);
    EXPECT_THAT(message(), HasSubstr("broken.nii"));
    EXPECT_FALSE(window->loading());
    EXPECT_EQ(window->tools().get<SegmentationTool>().labels.labelled(), 1);
}

TEST_F(LeavingTest, TracksWaitForTheElasticWall) {
    auto& segment = window->tools().get<SegmentationTool>();
    segment.label = 2;
    segment.disk = false;
    segment.brushMillimeters = 40;
    paint();
    auto& landmarks = window->tools().get<LandmarkTool>();
    LandmarkSet inside{0, {}};
    for (const double x : {6.0, 12.0, 18.0})
        for (const double y : {6.0, 12.0, 18.0})
            inside.points.push_back({"", {x, y, 0.5 * x}});
    landmarks.points = std::make_shared<const LandmarkSet>(inside);
    window->refresh();
    ASSERT_TRUE(becomes([&] { return !landmarks.unfinished(); }));
    ASSERT_EQ(landmarks.failure, "");
    landmarks.parameters.set("elastic-wall", std::string("segmentation"));
    const std::string file = folder / "tracks.csv";
    window->host().answer = [&](const FileQuestion&) { return file; };
    const auto moved = [&] {
        return std::ranges::all_of(landmarks.frames,
                                   [](const auto& frame) { return !frame || frame->wall; });
    };
    bool complete = false, written = false;
    landmarks.save([&] {
        written = true;
        complete = moved();
    });
    ASSERT_TRUE(becomes([&] { return written || !landmarks.wall.failure.empty(); }));
    EXPECT_EQ(landmarks.wall.failure, "");
    EXPECT_TRUE(complete);
    EXPECT_TRUE(landmarks.unsaved().empty());
    EXPECT_EQ(readTracks(file).tracks.size(), inside.points.size());
}

TEST_F(LeavingTest, DialogsStartInTheFolderLastUsed) {
    placeLandmark();
    std::vector<std::string> folders;
    std::filesystem::create_directory(folder / "kept");
    window->host().answer = [&](const FileQuestion& question) {
        folders.push_back(question.folder);
        return folder / ("kept/" + question.name);
    };
    auto& landmarks = window->tools().get<LandmarkTool>();
    for (const std::size_t times : {1, 2}) {
        landmarks.save();
        ASSERT_TRUE(becomes([&] { return folders.size() == times; }));
    }
    EXPECT_EQ(folders.front(), QDir::homePath().toStdString());
    EXPECT_EQ(folders.back(), folder / "kept");
    // Nobody keeps files beside those of the program.
    window->recent().rememberFolderOf(assetPath(demoSequenceName).string());
    landmarks.save();
    ASSERT_TRUE(becomes([&] { return folders.size() == 3; }));
    EXPECT_EQ(folders.back(), QDir::homePath().toStdString());
}

TEST_F(LeavingTest, DiscardGoesOn) {
    paint();
    leaving = Leaving::Discard;
    openAndShow(path);
    ASSERT_TRUE(
        becomes([&] { return window->tools().get<SegmentationTool>().labels.labelled() == 0; }));
    EXPECT_EQ(asked, 1);
    window->close();
    EXPECT_EQ(asked, 1) << "nothing is left to lose";
}

TEST_F(LeavingTest, SaveAsksForEachFileWritesAllAndLeaves) {
    paint();
    placeLandmark();
    window->session().marks.endSystole = 1;
    leaving = Leaving::Save;
    std::vector<std::string> files;
    window->host().answer = [&](const FileQuestion& question) {
        files.push_back(folder / question.name);
        return files.back();
    };
    window->close();
    EXPECT_TRUE(window->isVisible()) << "until everything is written";
    ASSERT_TRUE(becomes([&] { return !window->isVisible(); }));
    EXPECT_EQ(asked, 1);
    ASSERT_EQ(files.size(), 2u);
    for (const std::string& file : files)
        EXPECT_TRUE(std::filesystem::exists(file)) << file;
}

TEST_F(LeavingTest, WorkWithoutAFileIsPassedOverAndNamed) {
    paint();
    placeLandmark();
    leaving = Leaving::Save;
    std::vector<std::string> files;
    window->host().answer = [&](const FileQuestion& question) {
        files.push_back(files.size() == 1 ? folder / question.name : std::string());
        return files.back();
    };
    window->close();
    ASSERT_TRUE(becomes([&] {
        return window->messages().log().text().find("Not saved yet: ") != std::string::npos;
    }));
    ASSERT_EQ(files.size(), 2u);
    EXPECT_TRUE(std::filesystem::exists(files.back()));
    EXPECT_TRUE(window->isVisible());
    EXPECT_EQ(asked, 1);
    const auto left = window->tools().unsaved();
    ASSERT_EQ(left.size(), 1u);
    EXPECT_THAT(window->messages().log().text(), HasSubstr("Not saved yet: " + left.front().name));
    // A file that isn't chosen later has nothing to do with it.
    left.front().save([] {});
    ASSERT_TRUE(becomes([&] { return files.size() == 3; }));
    drawPanels();
    EXPECT_EQ(files.size(), 3u);
}

TEST_F(LeavingTest, SaveWithoutAFileStays) {
    paint();
    placeLandmark();
    leaving = Leaving::Save;
    int questions = 0;
    window->host().answer = [&](const FileQuestion&) {
        ++questions;
        return std::string();
    };
    window->close();
    ASSERT_TRUE(becomes([&] { return questions == 2; }));
    drawPanels();
    EXPECT_EQ(questions, 2) << "one each";
    EXPECT_EQ(asked, 1);
    EXPECT_TRUE(window->isVisible());
    const std::string said = window->messages().log().text();
    EXPECT_THAT(said, HasSubstr("Not saved yet: "));
    EXPECT_THAT(said, HasSubstr("labels of the segmentation, 1 frame"));
    EXPECT_THAT(said, HasSubstr("1 landmark and its tracks"));
}

TEST_F(LeavingTest, TracksAreUnsavedUntilTheyAreSavedAsTheyAre) {
    placeLandmark();
    auto& landmarks = window->tools().get<LandmarkTool>();
    const std::string file = folder / "tracks.csv";
    window->host().answer = [&](const FileQuestion&) { return file; };
    landmarks.save();
    ASSERT_TRUE(becomes([&] { return landmarks.unsaved().empty(); }));
    EXPECT_EQ(readTracks(file).tracks.size(), 1u);
    landmarks.edit();
    placeLandmark({9, 2, 3});
    EXPECT_EQ(landmarks.unsaved().size(), 1u);
}

TEST_F(LeavingTest, LandmarksWithoutTracksAreSavedAsTheyAre) {
    placeLandmark();
    auto& landmarks = window->tools().get<LandmarkTool>();
    // No frame of this sequence: they can't be followed.
    landmarks.points =
        std::make_shared<const LandmarkSet>(LandmarkSet{40, {{"", {1, 2, 3}}, {"", {4, 5, 6}}}});
    window->refresh();
    ASSERT_TRUE(becomes([&] { return !landmarks.failure.empty(); }));
    const std::string file = folder / "points.csv";
    window->host().answer = [&](const FileQuestion&) { return file; };
    leaving = Leaving::Save;
    window->close();
    ASSERT_TRUE(becomes([&] { return !window->isVisible(); }));
    EXPECT_THAT(named, HasSubstr("2 landmarks"));
    EXPECT_THAT(named, ::testing::Not(HasSubstr("tracks")));
    EXPECT_EQ(readLandmarks(file).set.points.size(), 2u);
}

TEST_F(LeavingTest, PointsOfTheHeartAreSavedAsTheCommandTakesThem) {
    auto& cardiac = window->tools().get<CardiacTool>();
    cardiac.points = {{1, 2, 3}, {-4.5, 5, 6}};
    const std::string file = folder / "points.txt";
    window->host().answer = [&](const FileQuestion&) { return file; };
    leaving = Leaving::Save;
    window->close();
    ASSERT_TRUE(becomes([&] { return !window->isVisible(); }));
    EXPECT_THAT(named, HasSubstr("2 points of the heart"));
    EXPECT_TRUE(cardiac.unsaved().empty());
    std::string text;
    EXPECT_TRUE(std::getline(std::ifstream(file), text));
    EXPECT_EQ(text, "1.000,2.000,3.000;-4.500,5.000,6.000");
}

TEST_F(LeavingTest, WhatIsMadeWhileTheSaveIsWrittenIsAskedAbout) {
    paint();
    leaving = Leaving::Save;
    window->host().answer = [&](const FileQuestion& question) {
        // The file is being written while the user goes on.
        if (asked == 1)
            QMetaObject::invokeMethod(
                window.get(), [this] { placeAndCancel(); }, Qt::QueuedConnection);
        return folder / question.name;
    };
    window->close();
    ASSERT_TRUE(becomes([&] { return asked == 2; }));
    EXPECT_THAT(named, HasSubstr("1 landmark"));
    EXPECT_THAT(named, ::testing::Not(HasSubstr("labels")));
    EXPECT_TRUE(window->isVisible());
    leaving = Leaving::Discard;
    window->close();
    EXPECT_FALSE(window->isVisible());
}

TEST_F(LeavingTest, ASaveOfTheSequenceBeforeSavesNothingOfThisOne) {
    auto& registration = window->tools().get<RegistrationTool>();
    const auto registers = [&] {
        registration.start();
        window->refresh();
        return becomes([&] { return registration.status.result && !registration.status.running; });
    };
    ASSERT_TRUE(registers());
    class LateHost : public ToolHost {
    public:
        void chooseSave(const FileQuestion&, Use use) override { use("late.mha"); }
        void write(const std::string&, const std::string&, std::function<void()>,
                   std::function<void()> then) override {
            completed = std::move(then);
        }
        std::function<void()> completed;
    } late;
    ToolHost& host = window->tools().host();
    window->tools().setHost(late);
    registration.saveField();
    window->tools().setHost(host);
    leaving = Leaving::Discard;
    openAndShow(path);
    ASSERT_TRUE(becomes([&] { return registration.status.run == 0; }));
    ASSERT_TRUE(registers());
    late.completed();
    EXPECT_EQ(registration.unsaved().size(), 1u);
}

TEST_F(LeavingTest, MarksAreThereWhenTheFileIsOpenedAgain) {
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope,
                       QString::fromStdString(folder / "settings"));
    const auto begin = [&](int named = -1) {
        window.reset();
        WindowOptions options;
        window = std::make_unique<Window>(options);
        window->session().motion.enabled = false;
        window->tools().get<CardiacTool>().parameters.set("end-diastole", named);
        window->show();
        openAndShow(path);
    };
    begin();
    window->session().marks.endDiastole = 5;
    window->session().marks.endSystole = 2;
    window->refresh();
    window->leaving().answer = [](const auto&) {
        ADD_FAILURE() << "nothing is lost";
        return Leaving::Cancel;
    };
    window->close();
    begin();
    EXPECT_EQ(window->session().marks, (CardiacMarks{5, 2}));
    openAndShow(testing::writeBall(folder, "other.nii.gz", 20, 3));
    EXPECT_EQ(window->session().marks, CardiacMarks{});
    openAndShow(path);
    EXPECT_EQ(window->session().marks, (CardiacMarks{5, 2}));
    begin(1); // as --cardiac-set end-diastole=1
    EXPECT_EQ(window->session().marks, (CardiacMarks{1, 2}));
}

TEST_F(LeavingTest, DenoisedSurfacesAndRegistrationsAreNamedAndSaved) {
    auto& surface = window->tools().get<SurfaceTool>();
    surface.choice.source = SurfaceOrigin::Threshold;
    surface.choice.threshold = 100;
    surface.choice.carried = false;
    surface.choice.denoise = true;
    ++surface.choice.revision;
    auto& registration = window->tools().get<RegistrationTool>();
    registration.start();
    window->refresh();
    ASSERT_TRUE(becomes([&] {
        return complete(surface.frames()) && registration.status.best > 0 &&
               !registration.status.running;
    }));
    window->close();
    EXPECT_THAT(named, HasSubstr("denoised surfaces of 6 frames"));
    EXPECT_THAT(named, HasSubstr("registration of frame 0"));
    leaving = Leaving::Save;
    window->host().answer = [&](const FileQuestion& question) { return folder / question.name; };
    window->close();
    ASSERT_TRUE(becomes([&] { return !window->isVisible(); }));
    EXPECT_TRUE(std::filesystem::exists(numberedPath(folder / "surface.vtp", 5)));
    EXPECT_THAT(window->messages().log().text(),
                HasSubstr("Surfaces of 6 frames, a file each, saved: " +
                          numberedPath(folder / "surface.vtp", 0)));
    EXPECT_TRUE(std::filesystem::exists(folder / "ball_displacement.mha"));
}

} // namespace
} // namespace systole
