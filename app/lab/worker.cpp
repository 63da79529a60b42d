#include "app/lab/worker.h"

#include "compute/core/error.h"
#include "compute/core/exec.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace systole {

struct LabWorker::Impl {
    struct Question {
        LabRequest request;
        std::uint64_t number = 0;
    };

    Impl(MakeDesk makeDesk, std::function<void()> whenChanged)
        : make(std::move(makeDesk)), notify(std::move(whenChanged)) {
        worker = std::thread([this] { work(); });
    }
    ~Impl() {
        {
            const std::lock_guard lock(mutex);
            stopping = true;
            running.cancel();
        }
        wake.notify_all();
        worker.join();
    }

    void work();
    bool makeDesk();
    void answer(const Question& question, const CancelToken& token);
    void tell() {
        if (notify)
            notify();
    }

    const MakeDesk make;
    const std::function<void()> notify;
    std::unique_ptr<LabDesk> desk; ///< the worker's own

    mutable std::mutex mutex;
    std::condition_variable wake;
    bool stopping = false;
    std::optional<Question> waiting;
    bool answering = false; ///< until `running` is noticed, also what nobody wants any more
    CancelToken running;
    LabStatus status; ///< but for `busy`

    std::thread worker; ///< last: it uses all of the above
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
    const std::lock_guard lock(mutex);
    if (desk) {
        status.gpus = desk->gpus();
        status.first = desk->first();
    }
    status.failure = failure;
    return desk != nullptr;
}

void LabWorker::Impl::work() {
    makeDesk();
    tell();
    for (;;) {
        {
            std::unique_lock lock(mutex);
            wake.wait(lock, [this] { return stopping || waiting; });
            if (stopping)
                return;
        }
        const bool ready = makeDesk();
        Question question;
        CancelToken token;
        {
            const std::lock_guard lock(mutex);
            if (!waiting) // given up while the desk was made
                continue;
            question = *std::exchange(waiting, std::nullopt);
            token = running = CancelToken();
            status.fraction = 0;
            answering = ready;
            if (!ready)
                status.answered = question.number;
            else if (!question.request.gpu)
                question.request.gpu = desk->first();
            status.measuring = ready && question.request.gpu->origin == LabOrigin::Device;
        }
        tell();
        if (ready) {
            answer(question, token);
            tell();
        }
    }
}

void LabWorker::Impl::answer(const Question& question, const CancelToken& token) {
    const auto progress = [&](double part) {
        if (token.cancelled())
            throw Cancelled();
        {
            const std::lock_guard lock(mutex);
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
    const std::lock_guard lock(mutex);
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
    {
        const std::lock_guard lock(impl_->mutex);
        impl_->running.cancel();
        impl_->waiting = Impl::Question{std::move(request), number};
    }
    impl_->wake.notify_all();
}

void LabWorker::cancel() {
    const std::lock_guard lock(impl_->mutex);
    impl_->running.cancel();
    impl_->waiting.reset();
}

LabStatus LabWorker::status() const {
    const std::lock_guard lock(impl_->mutex);
    LabStatus status = impl_->status;
    status.busy = impl_->answering || impl_->waiting;
    return status;
}

} // namespace systole
