#include "app/live/loader.h"

#include "app/estimation/pipeline.h"
#include "compute/core/error.h"
#include "compute/motion/motion_range.h"

#include <chrono>
#include <exception>
#include <utility>

namespace systole {

struct Loader::Load {
    mutable std::mutex mutex;
    CancelToken cancel;
    Progress progress;
    std::optional<Outcome> outcome;
    std::function<void()> notify; ///< null: nobody follows yet

    /// Does `change` under the lock, then notifies.
    template <typename Change>
    void set(const Change& change) {
        std::function<void()> tell;
        {
            const std::lock_guard lock(mutex);
            change();
            tell = notify;
        }
        if (tell)
            tell();
    }
};

Loader::Begun::~Begun() {
    if (load)
        load->cancel.cancel();
}

Loader::Loader(std::function<void()> notify) : notify_(std::move(notify)) {}

Loader::~Loader() { cancel(); }

namespace {

double secondsLeft(double past, double fraction) {
    constexpr double tooEarly = 0.05; // minimum fraction for an estimate
    return fraction > tooEarly ? past * (1 - fraction) / fraction : -1;
}

std::shared_ptr<const OpenedSequence> open(const std::vector<std::string>& paths,
                                           const OpenOptions& options, ExecContext& ctx) {
    ctx.report("Reading the header", 0);
    auto opened = std::make_shared<OpenedSequence>();
    opened->paths = paths;
    opened->sequence = openSequence(paths, options);
    ctx.throwIfCancelled();
    ctx.report("Reading the range of gray values", 0);
    const SequenceRanges ranges = sequenceRanges(opened->sequence, ctx);
    opened->scale = ranges.gray;
    opened->motionRange = ranges.motion;
    opened->motionRangeSinceFirst = ranges.motionSinceFirst;
    return opened;
}

} // namespace

Loader::Begun Loader::begin(std::vector<std::string> paths, OpenOptions options) {
    options.acceptUnknown = true;
    Begun begun;
    begun.load = std::make_shared<Load>();
    begun.load->progress.phase = "Opening";
    const auto work = [load = begun.load, paths = std::move(paths), options] {
        ExecResources resources(estimationThreads());
        ExecContext ctx = resources.context();
        ctx.cancel = load->cancel;
        const auto start = std::chrono::steady_clock::now();
        ctx.progress = [&](const std::string& phase, double fraction) {
            const std::chrono::duration<double> past = std::chrono::steady_clock::now() - start;
            load->set([&] {
                load->progress = {phase, fraction, secondsLeft(past.count(), fraction)};
            });
        };
        Outcome outcome;
        try {
            outcome.opened = open(paths, options, ctx);
        } catch (const Cancelled&) {
            return;
        } catch (const std::exception& error) {
            outcome.error = error.what();
        }
        load->set([&] { load->outcome = std::move(outcome); });
    };
    begun.thread = std::async(std::launch::async, work);
    return begun;
}

void Loader::start(Begun begun) {
    cancel();
    std::erase_if(threads_, [](const std::future<void>& thread) {
        return thread.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    });
    current_ = std::exchange(begun.load, nullptr);
    threads_.push_back(std::move(begun.thread));
    current_->set([&] { current_->notify = notify_; });
}

void Loader::cancel() {
    if (current_)
        current_->cancel.cancel();
    current_.reset();
}

bool Loader::busy() const { return current_ != nullptr; }

Loader::Progress Loader::progress() const {
    if (!current_)
        return {};
    const std::lock_guard lock(current_->mutex);
    return current_->progress;
}

std::optional<Loader::Outcome> Loader::take() {
    if (!current_)
        return std::nullopt;
    std::optional<Outcome> outcome;
    {
        const std::lock_guard lock(current_->mutex);
        outcome = std::exchange(current_->outcome, std::nullopt);
    }
    if (outcome)
        current_.reset();
    return outcome;
}

} // namespace systole
