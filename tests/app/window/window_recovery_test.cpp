// Unsaved work of a window that dies is there for the next one.
#include "app/features/cardiac/cardiac_tool.h"
#include "app/features/landmarks/landmark_tool.h"
#include "app/features/segmentation/segmentation_tool.h"
#include "app/window/recovery.h"
#include "app/window/work_keeper.h"
#include "io/base/error.h"
#include "io/landmarks/landmark_file.h"
#include "io/source.h"
#include "tests/app/window/window_fixture.h"
#include "tests/support/small_phantom.h"

#include <QLabel>
#include <gmock/gmock.h>

#include <filesystem>
#include <string>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace systole {
namespace {

namespace fs = std::filesystem;
using systole::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

KeptWork workOf(const std::string& text) {
    return {"a text", text, {"work.txt"}, [text](const std::string& path) {
                testing::writeText(path, text);
            }};
}

/// Keeps these texts in a process that then dies.
void dieKeeping(const fs::path& all, const std::vector<std::string>& texts) {
    const pid_t process = ::fork();
    if (process == 0) {
        Recovery recovery(all);
        for (const std::string& text : texts) {
            recovery.keep({"/data/heart.nii"}, {workOf(text)});
            recovery.wait();
        }
        ::_exit(0); // no destructor runs
    }
    int status = 0;
    ASSERT_EQ(::waitpid(process, &status, 0), process);
    ASSERT_EQ(status, 0);
}

TEST(Recovery, FindsWhatADeadSessionKeptLastAndOnlyOnce) {
    const TemporaryFolder folder;
    const fs::path all = folder.path() / "unsaved";
    dieKeeping(all, {"first", "second"});
    Recovery next(all);
    const std::vector<RecoveredWork> left = next.left();
    ASSERT_THAT(left, SizeIs(1));
    EXPECT_EQ(left[0].what, "a text");
    EXPECT_THAT(left[0].files, ElementsAre("/data/heart.nii"));
    EXPECT_EQ(testing::readText(fs::path(left[0].folder) / "work.txt"), "second");
    EXPECT_THAT(next.left(), IsEmpty());
    EXPECT_TRUE(fs::exists(left[0].folder));
    const std::vector<RecoveredWork> later = recoveredWork(all);
    ASSERT_THAT(later, SizeIs(1));
    EXPECT_EQ(later[0].folder, left[0].folder);
    EXPECT_EQ(later[0].what, left[0].what);
    EXPECT_EQ(later[0].files, left[0].files);
}

TEST(Recovery, KeepsFilesWhoseRecordIsMissingOrSpoilt) {
    const TemporaryFolder folder;
    for (const char* name : {"session-a", "session-b"}) {
        fs::create_directories(folder.path() / name);
        testing::writeText(folder.path() / name / "lock", "");
        testing::writeText(folder.path() / name / "work.txt", name);
    }
    testing::writeText(folder.path() / "session-b" / "work.json", "{");
    for (const RecoveredWork& left : Recovery(folder.path()).left()) {
        EXPECT_EQ(left.what, "unknown");
        EXPECT_THAT(left.files, IsEmpty());
        EXPECT_TRUE(fs::exists(fs::path(left.folder) / "work.txt"));
    }
    EXPECT_THAT(recoveredWork(folder.path()), SizeIs(2));
}

TEST(Recovery, WritesWhatItCanAndTriesTheRestAgain) {
    const TemporaryFolder folder;
    Recovery recovery(folder.path());
    bool full = true;
    const KeptWork failing{"another", "1", {"other.txt"}, [&](const std::string& path) {
                               if (full)
                                   throw FileError(path + ": no space left");
                               testing::writeText(path, "whole");
                           }};
    const auto keep = [&](const std::vector<KeptWork>& work) {
        recovery.keep({"/data/heart.nii"}, work);
        recovery.wait();
        const auto own = testing::namesIn(folder.path().string());
        return testing::namesIn((folder.path() / own.front()).string());
    };
    EXPECT_THAT(keep({failing, workOf("mine")}), ElementsAre("lock", "work.json", "work.txt"));
    full = false;
    EXPECT_THAT(keep({failing, workOf("mine")}),
                ElementsAre("lock", "other.txt", "work.json", "work.txt"));
    EXPECT_THAT(keep({failing}), ElementsAre("lock", "other.txt", "work.json"))
        << "what is saved meanwhile goes";
}

TEST(Recovery, LeavesSessionsAloneThatRun) {
    const TemporaryFolder folder;
    Recovery running(folder.path());
    running.keep({"/data/heart.nii"}, {workOf("mine")});
    running.wait();
    EXPECT_THAT(Recovery(folder.path()).left(), IsEmpty());
    EXPECT_THAT(recoveredWork(folder.path()), IsEmpty());
}

TEST(Recovery, KeepsNothingThatIsSavedOrLetGo) {
    const TemporaryFolder folder;
    dieKeeping(folder.path(), {});
    {
        Recovery ends(folder.path());
        ends.keep({"/data/heart.nii"}, {workOf("saved later")});
        ends.wait();
        ends.keep({"/data/heart.nii"}, {});
        ends.wait();
        EXPECT_THAT(Recovery(folder.path()).left(), IsEmpty());
        ends.keep({"/data/heart.nii"}, {workOf("let go")});
    }
    EXPECT_THAT(testing::namesIn(folder.path().string()), IsEmpty());
}

TEST(Recovery, WithoutAPlaceDoesNothing) {
    for (const char* place : {"", "/proc/nowhere"}) {
        Recovery none{fs::path(place)};
        none.keep({"/data/heart.nii"}, {workOf("text")});
        none.wait();
        EXPECT_THAT(none.left(), IsEmpty());
    }
}

class RecoveryTest : public testing::WindowTest {
protected:
    void SetUp() override {
        WindowTest::SetUp();
        if (IsSkipped())
            return;
        all = folder.path() / "unsaved";
    }
    fs::path all;
};

TEST_F(RecoveryTest, LabelsLandmarksAndPointsOfADeadWindowAreNamedAndOpenedByTheNext) {
    auto keeper = std::make_unique<WorkKeeper>(*window, all);
    window->session().motion.enabled = false;
    openAndShow(path);
    window->session().playback.pause();
    window->session().playback.seek(1);
    window->refresh();
    auto& segment = window->tools().get<SegmentationTool>();
    auto& landmarks = window->tools().get<LandmarkTool>();
    using Event = SlicePointer::Event;
    segment.mode = SegmentMode::Paint;
    for (const Event event : {Event::Press, Event::Release})
        segment.pointer({event, {0, 0, 0}, 2});
    segment.mode = SegmentMode::None;
    window->tools().get<CardiacTool>().points = {{{4, 5, 6}, 0}};
    landmarks.edit();
    for (const Event event : {Event::Press, Event::Release})
        landmarks.pointer({event, {1, 2, 3}, 2});
    window->refresh();
    ASSERT_TRUE(becomes([&] { return !landmarks.unfinished(); }));
    // A copy is what a kill leaves: nobody has its lock.
    const fs::path dead = folder.path() / "dead";
    ASSERT_TRUE(becomes([&] {
        std::error_code notYet;
        for (const auto& entry : fs::directory_iterator(all, notYet))
            if (const fs::path what = entry.path() / "work.json"; fs::exists(what, notYet))
                return testing::readText(what).find("1 landmark") != std::string::npos;
        return false;
    }));
    fs::copy(all, dead, fs::copy_options::recursive);
    keeper.reset();
    EXPECT_THAT(testing::namesIn(all.string()), IsEmpty()) << "the session ended in order";

    keeper = std::make_unique<WorkKeeper>(*window, dead);
    const std::string& told = window->session().message;
    ASSERT_TRUE(becomes([&] { return !told.empty(); }));
    EXPECT_THAT(told, AllOf(HasSubstr("labels of the segmentation, 1 frame"),
                            HasSubstr("1 landmark"), HasSubstr(path)));
    EXPECT_THAT(message(), HasSubstr("has ended without being closed"));
    // Sorted before the keeper's own folder.
    const std::string recovered = testing::namesIn(dead.string()).front();
    ASSERT_THAT(recovered, StartsWith("recovered-"));
    const std::string left = (dead / recovered).string();
    EXPECT_THAT(told, HasSubstr(left));
    EXPECT_THAT(testing::namesIn(left), ElementsAre("heart_points.txt", "labels.json",
                                                    "labels.nii.gz", "landmarks.csv", "work.json"));
    keeper.reset();
    EXPECT_EQ(openSequence({left + "/labels.nii.gz"}).frames, 1);
    EXPECT_THAT(readLandmarks(left + "/landmarks.csv").set.points, SizeIs(1));

    const std::vector<RecoveredWork> work = recoveredWork(dead);
    ASSERT_THAT(work, SizeIs(1));
    window->leaving().answer = [](const auto&) { return Leaving::Discard; };
    window->reopen(work[0]);
    ASSERT_TRUE(becomes([&] {
        return segment.labels.labelled() == 1 && landmarks.points && !landmarks.unfinished() &&
               landmarks.points->points.size() == 1;
    }));
    EXPECT_TRUE(segment.labels.has(1)) << "each frame's labels come back to it";
    const auto& points = window->tools().get<CardiacTool>().points;
    ASSERT_THAT(points, SizeIs(1));
    EXPECT_NEAR(points[0].position.y, 5, 1e-3);
}

} // namespace
} // namespace systole
