// The order of a piece of work over the frames: which input comes next, and when all are done. A
// command goes through it in its own thread by finishCourse(), a tool of the window by Course,
// which does each input on a thread.
#pragma once

#include "app/task/course_inputs.h"
#include "compute/core/error.h"
#include "compute/core/exec.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace systole {

/// `Work` is described in task_run.h.
template <class Work>
class CourseOrder {
public:
    using Task = typename Work::Task;
    using Outcome = typename Work::Outcome;

    CourseOrder() = default;
    virtual ~CourseOrder() = default;
    CourseOrder(const CourseOrder&) = delete;
    CourseOrder& operator=(const CourseOrder&) = delete;

    /// The next input. None: nothing can be done now, since a frame that was asked for isn't there,
    /// or until something else changes.
    virtual std::optional<Task> next(AwaitedInputs& inputs) = 0;
    /// The last input was worked on without a failure.
    virtual void advance(const Outcome& outcome) = 0;
    /// Nothing will come any more.
    virtual bool done() const = 0;
};

/// A single input, which is there.
template <class Work>
class SingleInput final : public CourseOrder<Work> {
public:
    explicit SingleInput(typename Work::Task task) : task_(std::move(task)) {}
    std::optional<typename Work::Task> next(AwaitedInputs&) override { return task_; }
    void advance(const typename Work::Outcome&) override { done_ = true; }
    bool done() const override { return done_; }

private:
    typename Work::Task task_;
    bool done_ = false;
};

inline std::string unreadableText(int frame) {
    return fmt::format("Frame {} can't be read.", frame);
}

/// Works through an order in the calling thread, as far as it goes. contextFor(task) is the context
/// in which an input is worked on; take(outcome) gets each outcome. Throws what the inputs and the
/// work throw.
template <class Work, class ContextFor, class Take>
void finishCourse(CourseOrder<Work>& order, CourseInputs& from, const ContextFor& contextFor,
                  const Take& take) {
    Work work;
    while (!order.done()) {
        AwaitedInputs inputs(from);
        auto task = order.next(inputs);
        if (!task && inputs.missing())
            throw ComputeError(unreadableText(*inputs.missing()));
        if (!task)
            return;
        typename Work::Outcome made;
        made.frame = task->frame;
        ExecContext ctx = contextFor(*task);
        ctx.throwIfCancelled();
        work.run(*task, made, ctx);
        order.advance(made);
        take(std::move(made));
    }
}

/// The frames after the first one, then those before it, backwards: the order in which tasks go
/// through a sequence, each frame beside one that is known.
inline std::vector<int> framesAround(int first, int frames) {
    std::vector<int> order;
    for (int frame = first + 1; frame < frames; ++frame)
        order.push_back(frame);
    for (int frame = first - 1; frame >= 0; --frame)
        order.push_back(frame);
    return order;
}

} // namespace systole
