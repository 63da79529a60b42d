#include "app/lab/worker.h"

#include "compute/core/error.h"
#include "compute/core/newest_job_thread.h"

#include <exception>
#include <optional>
#include <utility>

namespace systole {

struct LabWorker::Impl {
    struct Question {
        LabRequest request;
        std::uint64_t number = 0;
    };

    Impl(MakeDesk makeDesk, std::function<void()> whenChanged)
        : make(std::move(makeDesk))
        , notify(std::move(whenChanged))
        , jobs({.run = [this](Question& question,
                              const CancelToken& token) { work(question, token); },
                .begin =
                    [this] {
                        this->makeDesk();
                        tell();
                    },
                .taken = [this](Question&) { answering = true; }}) {}

    void work(Question& question, const CancelToken& token);
    bool begin(Question& question, const CancelToken& token);
    bool makeDesk();
    void answer(const Question& question, const CancelToken& token);
    void tell() {
        if (notify)
            notify();
    }

    const MakeDesk make;
    const std::function<void()> notify;
    std::unique_ptr<LabDesk> desk; ///< the worker's own

    // Under the thread's lock.
    bool answering = false; ///< until a cancelled question ends, also what nobody wants any more
    LabStatus status;       ///< but for `busy`

    NewestJobThread<Question> jobs; ///< last: it uses all of the above
};

/// False: there is none, the status says why.
bool LabWorker::Impl::makeDesk() {
    if (desk)
        return true;
    std::string failure;
    try {
        desk = make();
    } catch (const std::exception& error) {
        failure = error.what();
    }
    const auto lock = jobs.lock();
    if (desk) {
        status.gpus = desk->gpus();
        status.first = desk->first();
    }
    status.failure = failure;
    return desk != nullptr;
}

void LabWorker::Impl::work(Question& question, const CancelToken& token) {
    const bool begun = begin(question, token);
    tell();
    if (!begun)
        return;
    answer(question, token);
    tell();
}

/// False: there is no desk, or the question was cancelled while it was made.
bool LabWorker::Impl::begin(Question& question, const CancelToken& token) {
    const bool ready = makeDesk();
    const auto lock = jobs.lock();
    answering = ready && !token.cancelled();
    if (token.cancelled())
        return false;
    status.fraction = 0;
    if (!ready)
        status.answered = question.number;
    else if (!question.request.gpu)
        question.request.gpu = desk->first();
    status.measuring = ready && question.request.gpu->origin == LabOrigin::Device;
    return ready;
}

void LabWorker::Impl::answer(const Question& question, const CancelToken& token) {
    const auto progress = [&](double part) {
        if (token.cancelled())
            throw Cancelled();
        {
            const auto lock = jobs.lock();
            status.fraction = part;
        }
        tell();
    };
    std::shared_ptr<const lab::LabAnswer> found;
    std::string failure;
    try {
        found = std::make_shared<lab::LabAnswer>(desk->answer(question.request, progress));
    } catch (const std::exception& error) {
        failure = error.what();
    }
    const auto lock = jobs.lock();
    answering = status.measuring = false;
    if (token.cancelled())
        return; // nobody waits for it any more
    status.answered = question.number;
    status.failure = failure;
    if (!found)
        return;
    status.answer = std::move(found);
    status.gpu = *question.request.gpu;
}

LabWorker::LabWorker(MakeDesk makeDesk, std::function<void()> notify)
    : impl_(std::make_unique<Impl>(std::move(makeDesk), std::move(notify))) {}
LabWorker::~LabWorker() = default;

void LabWorker::ask(LabRequest request, std::uint64_t number) {
    const auto lock = impl_->jobs.lock();
    impl_->jobs.cancelRunning();
    impl_->jobs.put({std::move(request), number});
}

void LabWorker::cancel() {
    const auto lock = impl_->jobs.lock();
    impl_->jobs.cancelRunning();
    impl_->jobs.drop();
}

LabStatus LabWorker::status() const {
    const auto lock = impl_->jobs.lock();
    LabStatus status = impl_->status;
    status.busy = impl_->answering || impl_->jobs.waiting();
    return status;
}

} // namespace systole
