// The thread that answers the laboratory's questions: the newest wins, and nothing waits for it.
#include "app/feature/tools.h"
#include "app/features/laboratory/laboratory_tool.h"
#include "compute/core/error.h"
#include "tests/app/feature/no_frames.h"
#include "tests/support/becomes.h"
#include "tests/support/lab_answer_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace systole {
namespace {

const LabChoice record{LabOrigin::Recorded, "Made-up GPU", "made-up.json"};
const LabChoice device{LabOrigin::Device, "GPU here", {}};

/// Answers with the side of the question; a side of 64 takes until it is let go or given up, one of
/// 13 fails.
struct Control {
    std::mutex mutex;
    std::condition_variable changed;
    bool letGo = false;
    int begun = 0, givenUp = 0;

    void begin() {
        const std::lock_guard lock(mutex);
        ++begun;
        changed.notify_all();
    }
    bool waitForBegun(int wanted) {
        std::unique_lock lock(mutex);
        return changed.wait_for(lock, std::chrono::seconds(200), [&] { return begun >= wanted; });
    }
};

class FakeLibrary : public LibrarySession {
public:
    explicit FakeLibrary(Control& control) : control_(control) {}
    const std::vector<LabChoice>& gpus() const override { return gpus_; }
    const LabChoice& first() const override { return gpus_.front(); }
    lab::LabAnswer answer(const LabRequest& request,
                          const std::function<void(double)>& progress) override {
        control_.begin();
        if (request.question.side == 13)
            throw ComputeError("side 13 brings bad luck");
        while (request.question.side == 64) {
            {
                const std::lock_guard lock(control_.mutex);
                if (control_.letGo)
                    break;
            }
            try {
                progress(0.5);
            } catch (const Cancelled&) {
                const std::lock_guard lock(control_.mutex);
                ++control_.givenUp;
                throw;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        lab::LabAnswer answer = testing::madeUpAnswer();
        answer.question = request.question;
        return answer;
    }

private:
    Control& control_;
    std::vector<LabChoice> gpus_{record, device};
};

class LabWorkerTest : public ::testing::Test {
protected:
    LabWorkerTest()
        : worker_([this] { return std::make_unique<FakeLibrary>(control_); }, [this] { ++told_; }) {
    }

    static LabRequest request(int side) {
        LabRequest request;
        request.question.side = side;
        return request;
    }
    template <typename Condition>
    bool becomes(const Condition& condition) {
        return test::becomes([&] { return condition(worker_.status()); });
    }
    bool answeredAs(std::uint64_t number) {
        return becomes([&](const LabStatus& s) { return s.answered == number && !s.busy; });
    }

    Control control_;
    std::atomic<int> told_{0};
    LabWorker worker_;
};

TEST_F(LabWorkerTest, SaysWhichGpusThereAreBeforeItIsAsked) {
    EXPECT_TRUE(becomes([](const LabStatus& status) { return status.gpus.size() == 2; }));
    EXPECT_EQ(worker_.status().first, record);
    EXPECT_FALSE(worker_.status().busy);
    EXPECT_FALSE(worker_.status().answer);
}

TEST_F(LabWorkerTest, AnswersAndTells) {
    worker_.ask(request(100), 1);
    ASSERT_TRUE(answeredAs(1));
    const LabStatus status = worker_.status();
    ASSERT_TRUE(status.answer);
    EXPECT_EQ(status.answer->question.side, 100);
    EXPECT_EQ(status.gpu, record);
    EXPECT_TRUE(status.failure.empty());
    EXPECT_TRUE(becomes([&](const LabStatus&) { return told_ >= 2; }));
}

TEST_F(LabWorkerTest, TheNewestQuestionWins) {
    worker_.ask(request(64), 1);
    ASSERT_TRUE(control_.waitForBegun(1));
    worker_.ask(request(100), 2); // waits,
    worker_.ask(request(101), 3); // and gives way to this one
    ASSERT_TRUE(answeredAs(3));
    EXPECT_EQ(worker_.status().answer->question.side, 101);
    EXPECT_EQ(control_.givenUp, 1);
    EXPECT_LE(control_.begun, 3);
    EXPECT_TRUE(worker_.status().failure.empty());
}

TEST_F(LabWorkerTest, GivesUpAndKeepsTheLastAnswer) {
    worker_.ask(request(100), 1);
    ASSERT_TRUE(answeredAs(1));
    worker_.ask(request(64), 2);
    ASSERT_TRUE(control_.waitForBegun(2));
    worker_.cancel();
    ASSERT_TRUE(becomes([](const LabStatus& status) { return !status.busy; }));
    const LabStatus status = worker_.status();
    EXPECT_EQ(status.answer->question.side, 100);
    EXPECT_EQ(status.answered, 1u);
    EXPECT_TRUE(status.failure.empty());
    worker_.ask(request(101), 3);
    EXPECT_TRUE(answeredAs(3));
}

TEST_F(LabWorkerTest, AFailureIsASentenceAndTheNextQuestionIsAnswered) {
    worker_.ask(request(13), 1);
    ASSERT_TRUE(answeredAs(1));
    EXPECT_EQ(worker_.status().failure, "side 13 brings bad luck");
    EXPECT_FALSE(worker_.status().answer);
    worker_.ask(request(100), 2);
    ASSERT_TRUE(answeredAs(2));
    EXPECT_TRUE(worker_.status().failure.empty());
}

TEST_F(LabWorkerTest, SaysWhenItHasTheDeviceForItself) {
    LabRequest here = request(64);
    here.gpu = device;
    worker_.ask(here, 1);
    EXPECT_TRUE(
        becomes([](const LabStatus& s) { return s.busy && s.measuring && s.fraction == 0.5; }));
    {
        const std::lock_guard lock(control_.mutex);
        control_.letGo = true;
    }
    ASSERT_TRUE(answeredAs(1));
    EXPECT_FALSE(worker_.status().measuring);
    EXPECT_EQ(worker_.status().gpu, device);
}

TEST_F(LabWorkerTest, EndsWhileItIsBusy) {
    worker_.ask(request(64), 1);
    ASSERT_TRUE(control_.waitForBegun(1)); // the end of the test would hang
}

TEST(LabWorker, ADeskThatCannotBeMadeIsASentence) {
    LabWorker worker(
        []() -> std::unique_ptr<LibrarySession> { throw ComputeError("no catalogue"); }, {});
    worker.ask({}, 1);
    for (int i = 0; i < 200000 && worker.status().answered != 1; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(worker.status().failure, "no catalogue");
    EXPECT_FALSE(worker.status().busy);
}

TEST(LaboratoryTool, HandsQuestionsOnAndStartsWhenSomebodyLooks) {
    Control control;
    std::atomic<int> made{0};
    Session session;
    Tools tools(session);
    LaboratoryTool lab(tools, [&] {
        ++made;
        return std::make_unique<FakeLibrary>(control);
    });
    testing::NoFrames context;
    lab.follow(context);
    EXPECT_FALSE(lab.unfinished());
    EXPECT_EQ(made, 0);
    lab::LabQuestion question;
    question.side = 64; // this side blocks until it is released
    lab.ask(question, 4);
    EXPECT_EQ(lab.lesson, 4);
    EXPECT_TRUE(lab.unfinished());
    {
        const std::lock_guard lock(control.mutex);
        control.letGo = true;
    }
    for (int i = 0; i < 200000 && (!lab.status.answer || lab.status.busy); ++i) {
        lab.follow(context);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_FALSE(lab.unfinished());
    ASSERT_TRUE(lab.status.answer);
    EXPECT_EQ(lab.status.answer->question.side, 64);
    EXPECT_EQ(lab.status.answered, lab.asked);
    EXPECT_FALSE(lab.needs().device);
}

} // namespace
} // namespace systole
