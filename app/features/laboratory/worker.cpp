#include "app/features/laboratory/worker.h"

#include "compute/core/error.h"
#include "compute/core/newest_job_thread.h"

#include <chrono>
#include <exception>
#include <thread>
#include <utility>

namespace systole {
namespace {

/// Keeps the record or data sheet that was asked last; this machine's device is opened per answer.
class InstalledLibrary : public LibrarySession {
public:
    InstalledLibrary() : first_(defaultLabChoice()), gpus_(labChoices()) {}

    const std::vector<LabChoice>& gpus() const override { return gpus_; }
    const LabChoice& first() const override { return first_; }

    lab::LabAnswer answer(const LabRequest& request,
                          const std::function<void(double)>& progress) override {
        const LabChoice& choice = request.gpu ? *request.gpu : first_;
        if (choice.origin == LabOrigin::Device) {
            // A paused estimation stops within 0.2 s.
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            // Opened for one answer only: its memory is then free for the estimation again.
            CudaContext cuda(CudaContext::Options{.share = share});
            const std::unique_ptr<lab::LabSource> source = openLabSource(choice, &cuda);
            return lab::ask(request.question, *source, progress);
        }
        if (!source_ || !(open_ == choice)) {
            source_.reset();
            source_ = openLabSource(choice, nullptr);
            open_ = choice;
        }
        return lab::ask(request.question, *source_, progress);
    }

private:
    /// Fraction of the free device memory; the viewer's frames and fields keep theirs.
    static constexpr double share = 0.6;

    LabChoice first_;
    std::vector<LabChoice> gpus_;
    std::unique_ptr<lab::LabSource> source_;
    LabChoice open_;
};

} // namespace

std::unique_ptr<LibrarySession> openLibrarySession() {
    return std::make_unique<InstalledLibrary>();
}

struct LabWorker::Impl {
    struct Question {
        LabRequest request;
        std::uint64_t number = 0;
    };

    Impl(MakeLibrary makeLibrary, std::function<void()> whenChanged)
        : make(std::move(makeLibrary))
        , notify(std::move(whenChanged))
        , jobs({.run = [this](Question& question,
                              const CancelToken& token) { work(question, token); },
                .begin =
                    [this] {
                        this->makeLibrary();
                        tell();
                    },
                .taken = [this](Question&) { answering = true; }}) {}

    void work(Question& question, const CancelToken& token);
    bool begin(Question& question, const CancelToken& token);
    bool makeLibrary();
    void answer(const Question& question, const CancelToken& token);
    void tell() {
        if (notify)
            notify();
    }

    const MakeLibrary make;
    const std::function<void()> notify;
    std::unique_ptr<LibrarySession> library; ///< used on the worker thread only

    // --- guarded by the thread's lock
    bool answering = false; ///< also a cancelled question, until the cancellation is noticed
    LabStatus status;       ///< all fields except `busy`

    NewestJobThread<Question> jobs; ///< last: it uses all of the above
};

/// False: opening failed, the status says why.
bool LabWorker::Impl::makeLibrary() {
    if (library)
        return true;
    std::string failure;
    try {
        library = make();
    } catch (const std::exception& error) {
        failure = error.what();
    }
    const auto lock = jobs.lock();
    if (library) {
        status.gpus = library->gpus();
        status.first = library->first();
    }
    status.failure = failure;
    return library != nullptr;
}

void LabWorker::Impl::work(Question& question, const CancelToken& token) {
    const bool begun = begin(question, token);
    tell();
    if (!begun)
        return;
    answer(question, token);
    tell();
}

/// False: the library session couldn't be opened, or the question was cancelled meanwhile.
bool LabWorker::Impl::begin(Question& question, const CancelToken& token) {
    const bool ready = makeLibrary();
    const auto lock = jobs.lock();
    answering = ready && !token.cancelled();
    if (token.cancelled())
        return false;
    status.fraction = 0;
    if (!ready)
        status.answered = question.number;
    else if (!question.request.gpu)
        question.request.gpu = library->first();
    status.measuring = ready && question.request.gpu->origin == LabOrigin::Device;
    return ready;
}

void LabWorker::Impl::answer(const Question& question, const CancelToken& token) {
    const auto progress = [&](double fraction) {
        if (token.cancelled())
            throw Cancelled();
        {
            const auto lock = jobs.lock();
            status.fraction = fraction;
        }
        tell();
    };
    std::shared_ptr<const lab::LabAnswer> found;
    std::string failure;
    try {
        found = std::make_shared<lab::LabAnswer>(library->answer(question.request, progress));
    } catch (const std::exception& error) {
        failure = error.what();
    }
    const auto lock = jobs.lock();
    answering = status.measuring = false;
    if (token.cancelled())
        return; // cancelled
    status.answered = question.number;
    status.failure = failure;
    if (!found)
        return;
    status.answer = std::move(found);
    status.gpu = *question.request.gpu;
}

LabWorker::LabWorker(MakeLibrary makeLibrary, std::function<void()> notify)
    : impl_(std::make_unique<Impl>(std::move(makeLibrary), std::move(notify))) {}
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
