// Course: the order of inputs in the window and in a command, keys, missing frames, failures.
#include "app/feature/course.h"
#include "app/feature/tools.h"
#include "tests/app/feature/no_frames.h"
#include "tests/support/becomes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace systole {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using test::becomes;

constexpr int stuckFrame = 90, failingFrame = 91;

struct CountTask {
    int frame = 0;
    std::shared_ptr<const Volume> image;
};
struct CountOutcome {
    int frame = 0;
    int number = 0; ///< inputs that this work has had
    std::string failure;
};
/// Counts its inputs. One frame is worked on until it is cancelled, another one fails.
class CountWork {
public:
    using Task = CountTask;
    using Outcome = CountOutcome;
    inline static std::atomic<bool> isStuck = false;

    void run(const CountTask& task, CountOutcome& made, const ExecContext& ctx) {
        while (task.frame == stuckFrame) {
            isStuck = true;
            ctx.throwIfCancelled();
        }
        if (task.frame == failingFrame)
            throw ComputeError("it fails");
        made.number = ++inputs_;
    }

private:
    int inputs_ = 0;
};

class FrameOrder final : public CourseOrder<CountWork> {
public:
    explicit FrameOrder(std::vector<int> frames) : frames_(std::move(frames)) {}

    std::optional<CountTask> next(AwaitedInputs& inputs) override {
        CountTask task{frames_[next_], inputs.frame(frames_[next_])};
        return task.image ? std::optional(task) : std::nullopt;
    }
    void advance(const CountOutcome&) override { ++next_; }
    bool done() const override { return next_ == frames_.size(); }

private:
    std::vector<int> frames_;
    std::size_t next_ = 0;
};

/// All frames are there but those that are missing.
struct SomeFrames : testing::NoFrames {
    std::shared_ptr<const Volume> frame(int index) override {
        return missing.contains(index) ? nullptr : image;
    }
    bool readable(int index) const override { return !unreadable.contains(index); }
    std::set<int> missing, unreadable;
    std::shared_ptr<const Volume> image = std::make_shared<Volume>();
};

class CountTool : public Tool {
public:
    explicit CountTool(Tools& tools)
        : Tool(tools)
        , course(*this,
                 {.changed = [this] { return wanted != begun; },
                  .renew = [this] { begin(); },
                  .take = [this](const CountOutcome& made) { outcomes.push_back(made); },
                  .fail = [this](const CourseFailure& why) { failure = why.why; },
                  .done = [this] { ++ends; }},
                 {.frames = true}) {}
    ToolName name() const override { return {"count", "Count"}; }
    void follow(ToolContext& context) override { course.follow(context); }
    void begin() {
        begun = wanted;
        outcomes.clear();
        course.begin(std::make_shared<FrameOrder>(wanted));
    }
    std::vector<int> framesTaken() const {
        std::vector<int> frames;
        for (const CountOutcome& made : outcomes)
            frames.push_back(made.frame);
        return frames;
    }

    std::vector<int> wanted, begun; ///< the key: the frames in their order
    std::vector<CountOutcome> outcomes;
    std::string failure;
    int ends = 0;
    Course<CountWork> course;
};

class CourseTest : public ::testing::Test {
protected:
    /// Ticks until the tool isn't unfinished.
    void tickToTheEnd() {
        ASSERT_TRUE(becomes([&] {
            tool.follow(frames);
            return !tool.unfinished();
        }));
    }

    Session session;
    Tools tools{session};
    SomeFrames frames;
    CountTool tool{tools};
};

TEST_F(CourseTest, WindowAndCommandGoThroughTheSameInputsInTheSameOrder) {
    tool.wanted = {2, 3, 1, 0};
    EXPECT_EQ(tool.due(), 0) << "another key";
    tool.follow(frames);
    EXPECT_TRUE(tool.unfinished());
    EXPECT_TRUE(tool.needs().frames);
    EXPECT_EQ(tool.due(), Tool::never) << "the thread tells when it is due";
    tickToTheEnd();
    EXPECT_EQ(tool.due(), Tool::never);
    EXPECT_FALSE(tool.needs().frames);
    EXPECT_EQ(tool.ends, 1);

    ExecResources resources{1};
    FrameOrder order(tool.wanted);
    std::vector<std::pair<int, int>> ofWindow, ofCommand;
    for (const CountOutcome& made : tool.outcomes)
        ofWindow.emplace_back(made.frame, made.number);
    finishCourse<CountWork>(
        order, frames, [&](const CountTask&) { return resources.context(); },
        [&](const CountOutcome& made) { ofCommand.emplace_back(made.frame, made.number); });
    EXPECT_EQ(ofWindow, ofCommand);
    EXPECT_EQ(ofCommand, (std::vector<std::pair<int, int>>{{2, 1}, {3, 2}, {1, 3}, {0, 4}}));
}

TEST_F(CourseTest, AnotherKeyBeginsAnewAndDropsWhatIsUnderWay) {
    CountWork::isStuck = false;
    tool.wanted = {0, stuckFrame, 1};
    ASSERT_TRUE(becomes([&] {
        tool.follow(frames);
        return CountWork::isStuck.load();
    }));
    EXPECT_THAT(tool.framesTaken(), ElementsAre(0));
    tool.wanted = {5, 6};
    EXPECT_EQ(tool.due(), 0);
    tickToTheEnd();
    EXPECT_THAT(tool.framesTaken(), ElementsAre(5, 6));
    EXPECT_EQ(tool.failure, "");
    EXPECT_EQ(tool.ends, 1) << "the first one didn't come to its end";
}

TEST_F(CourseTest, AFrameThatIsNotDecodedIsAwaited) {
    frames.missing = {1};
    tool.wanted = {0, 1, 2};
    ASSERT_TRUE(becomes([&] {
        tool.follow(frames);
        return tool.outcomes.size() == 1 && !tool.course.underWay();
    }));
    EXPECT_EQ(tool.due(), retrySeconds);
    EXPECT_TRUE(tool.unfinished());
    frames.missing.clear();
    tickToTheEnd();
    EXPECT_THAT(tool.framesTaken(), ElementsAre(0, 1, 2));
}

TEST_F(CourseTest, AFrameThatCannotBeReadEndsIt) {
    frames.missing = frames.unreadable = {1};
    tool.wanted = {0, 1, 2};
    tickToTheEnd();
    EXPECT_THAT(tool.framesTaken(), ElementsAre(0));
    EXPECT_EQ(tool.failure, "Frame 1 can't be read.");
    EXPECT_EQ(tool.ends, 0);
    EXPECT_EQ(tool.due(), Tool::never);

    ExecResources resources{1};
    FrameOrder order(tool.wanted);
    EXPECT_THROW(finishCourse<CountWork>(
                     order, frames, [&](const CountTask&) { return resources.context(); },
                     [](const CountOutcome&) {}),
                 ComputeError);
}

TEST_F(CourseTest, AFailureEndsItUntilTheKeyChanges) {
    tool.wanted = {0, failingFrame, 1};
    tickToTheEnd();
    EXPECT_THAT(tool.framesTaken(), ElementsAre(0));
    EXPECT_EQ(tool.failure, "it fails");
    EXPECT_EQ(tool.due(), Tool::never);
    tool.wanted = {1};
    tickToTheEnd();
    EXPECT_THAT(tool.framesTaken(), ElementsAre(1));
}

TEST_F(CourseTest, StoppedItStaysStopped) {
    CountWork::isStuck = false;
    tool.wanted = {stuckFrame, 1};
    tool.follow(frames);
    ASSERT_TRUE(becomes([] { return CountWork::isStuck.load(); }));
    tool.course.stop();
    EXPECT_FALSE(tool.unfinished());
    tool.follow(frames);
    EXPECT_FALSE(tool.unfinished());
    EXPECT_EQ(tool.due(), Tool::never);
    EXPECT_THAT(tool.outcomes, IsEmpty());
    tool.course.close();
}

/// Gives one frame whenever there is one.
class OpenOrder final : public CourseOrder<CountWork> {
public:
    explicit OpenOrder(std::vector<int>& frames) : frames_(frames) {}
    std::optional<CountTask> next(AwaitedInputs& inputs) override {
        if (frames_.empty())
            return std::nullopt;
        return CountTask{frames_.front(), inputs.frame(frames_.front())};
    }
    void advance(const CountOutcome&) override { frames_.erase(frames_.begin()); }
    bool done() const override { return false; }

private:
    std::vector<int>& frames_;
};

TEST_F(CourseTest, AnOrderWithoutAnInputIsIdleAndGoesOnWhenThereIsOne) {
    std::vector<int> todo{4};
    tool.course.begin(std::make_shared<OpenOrder>(todo));
    EXPECT_EQ(tool.due(), 0);
    tickToTheEnd();
    EXPECT_EQ(tool.due(), Tool::never);
    todo = {7};
    tool.follow(frames);
    EXPECT_TRUE(tool.unfinished());
    tickToTheEnd();
    EXPECT_THAT(tool.framesTaken(), ElementsAre(4, 7));
}

TEST_F(CourseTest, ARequestIsDueUntilItIsTaken) {
    bool ready = false;
    Request<int> request(
        tool, [&] { return ready; }, retrySeconds);
    EXPECT_EQ(tool.due(), Tool::never);
    request.put(3);
    EXPECT_EQ(tool.due(), retrySeconds);
    EXPECT_TRUE(tool.unfinished());
    EXPECT_EQ(request.take(), std::nullopt);
    ready = true;
    EXPECT_EQ(tool.due(), 0);
    EXPECT_EQ(request.take(), 3);
    EXPECT_EQ(tool.due(), Tool::never);
    EXPECT_FALSE(tool.unfinished());
}

} // namespace
} // namespace systole
