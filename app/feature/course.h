// A course: a piece of work over the frames as a tool does it while the heart beats, one input
// after the other on a thread, in the order that the command goes through by finishCourse().
#pragma once

#include "app/feature/followed.h"
#include "app/feature/tool.h"
#include "app/task/course_order.h"
#include "app/task/task_run.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace systole {

struct CourseFailure {
    int frame = 0;
    std::string why;         ///< one sentence
    bool unreadable = false; ///< the frame, which the session's message tells of, too
};

/// `Work` is described in task_run.h. The thread starts with the first input.
template <class Work>
class Course final : public Followed {
public:
    using Task = typename Work::Task;
    using Outcome = typename Work::Outcome;
    using Order = CourseOrder<Work>;
    using Run = TaskRun<Work>;

    struct Failure : CourseFailure {
        std::optional<Outcome> outcome; ///< none: the frame can't be read
    };

    /// Functions of the tool, all called by follow(); they may call begin() and stop().
    struct Hooks {
        /// True if the requested key differs from that of the order under way: renew() is called at
        /// once. Empty: it never does.
        std::function<bool()> changed{};
        /// Takes over the new key and begins or stops.
        std::function<void()> renew{};
        /// Gets the outcome of each input, which the order knows already.
        std::function<void(Outcome)> take;
        /// The course has ended with a failure.
        std::function<void(const Failure&)> fail;
        /// The course has ended after its last input.
        std::function<void()> done{};
    };

    /// `needs`: claims of the tool while the course runs. `threads`: threads of the work; 0: as
    /// many as an estimation has.
    Course(Tool& tool, Hooks hooks, ToolNeeds needs = {}, int threads = 0)
        : Followed(tool), hooks_(std::move(hooks)), needs_(needs), ownThreads_(threads) {}

    /// Ends what is under way and begins with another order; null, or one that is done: with none.
    void begin(std::shared_ptr<Order> order) {
        stop();
        if (order && !order->done())
            order_ = std::move(order);
    }
    /// Cancels the input under way, and drops its outcome.
    void stop() {
        if (run_)
            run_->cancel();
        order_.reset();
        underWay_ = idle_ = false;
        awaited_.reset();
    }
    /// Ends the thread, too.
    void close() {
        stop();
        run_.reset();
    }

    /// Follows the key alone, where a tool has more to do before it takes an outcome.
    void renew() {
        if (changed())
            hooks_.renew();
    }
    /// Once a tick: renews, takes a finished outcome, starts the next input. Never waits.
    void follow(CourseInputs& from) {
        renew();
        takeFinished();
        if (order_ && !underWay_)
            startNext(from);
    }

    /// Inputs are being worked on, or waited for; not while the order has none to give.
    bool running() const { return order_ && !idle_; }
    bool underWay() const { return underWay_; } ///< an input is being worked on
    /// Progress of the input under way.
    typename Run::Progress progress() const {
        return underWay_ ? run_->progress() : typename Run::Progress{};
    }

    double due() const override {
        if (changed())
            return 0;
        if (!running() || underWay_)
            return neverDue;
        return awaited_ ? retrySeconds : 0;
    }
    bool unfinished() const override { return running(); }
    ToolNeeds needs() const override { return running() ? needs_ : ToolNeeds{}; }

private:
    bool changed() const { return hooks_.changed && hooks_.changed(); }

    void takeFinished() {
        if (!underWay_)
            return;
        std::optional<Outcome> outcome = run_->take();
        if (!outcome)
            return;
        underWay_ = false;
        if (!outcome->failure.empty())
            return fail({{outcome->frame, outcome->failure}, std::move(outcome)});
        const std::shared_ptr<Order> order = order_;
        order->advance(*outcome);
        hooks_.take(std::move(*outcome));
        if (order_ == order && order->done()) {
            stop();
            if (hooks_.done)
                hooks_.done();
        }
    }
    void startNext(CourseInputs& from) {
        AwaitedInputs inputs(from);
        std::optional<Task> task = order_->next(inputs);
        awaited_ = task ? std::nullopt : inputs.missing();
        idle_ = !task && !awaited_;
        if (const std::optional<int> lost = inputs.unreadable(); !task && lost)
            return fail({{*lost, unreadableText(*lost), true}, std::nullopt});
        if (!task)
            return;
        if (!run_)
            run_ = std::make_unique<Run>(typename Run::Options{
                .threads = ownThreads_ > 0 ? ownThreads_ : threads(), .notify = notify()});
        underWay_ = true;
        run_->start(std::move(*task));
    }
    void fail(const Failure& failure) {
        stop();
        hooks_.fail(failure);
    }

    const Hooks hooks_;
    const ToolNeeds needs_;
    const int ownThreads_;
    std::shared_ptr<Order> order_; ///< null: nothing is to be done
    bool underWay_ = false;
    bool idle_ = false;          ///< the order had no input when it was last asked
    std::optional<int> awaited_; ///< frame that isn't decoded yet
    std::unique_ptr<Run> run_;   ///< null: there was no input yet
};

/// The start of work that waits until its frames are there. Work that shows what it has while it
/// runs is started by it (status_run.h).
class AwaitedStart final : public Followed {
public:
    using Followed::Followed;

    void put() {
        waits_ = true;
        awaits_ = false;
    }
    void drop() { waits_ = false; }
    bool waits() const { return waits_; }

    /// Once a tick: calls begin(inputs), which does nothing where a frame of its inputs is missing,
    /// and is called again until it has all. A frame that can't be read ends the wait; the
    /// session's message tells of it.
    template <typename Begin>
    void follow(CourseInputs& from, const Begin& begin) {
        if (!waits_)
            return;
        AwaitedInputs inputs(from);
        begin(inputs);
        awaits_ = inputs.missing().has_value();
        waits_ = awaits_ && !inputs.unreadable();
    }

    double due() const override { return !waits_ ? neverDue : awaits_ ? retrySeconds : 0; }
    bool unfinished() const override { return waits_; }

private:
    bool waits_ = false;
    bool awaits_ = false; ///< a frame
};

} // namespace systole
