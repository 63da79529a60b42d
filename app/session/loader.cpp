#include "app/session/loader.h"

#include "app/estimation/pipeline.h"
#include "compute/core/elapsed.h"
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
    std::optional<MotionRanges> ranges;
    std::function<void()> notify; ///< null: nobody follows yet

    /// Does `change` under the lock, then notifies.
    template <typename Change>
    void set(const Change& change, bool quietly = false) {
        std::function<void()> tell;
        {
            const std::lock_guard lock(mutex);
            change();
            if (!quietly)
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

Loader::~Loader() {
    cancel();
    if (ranging_)
        ranging_->cancel.cancel();
}

namespace {

double secondsLeft(double past, double fraction) {
    constexpr double tooEarly = 0.05; // minimum fraction for an estimate
    return fraction > tooEarly ? past * (1 - fraction) / fraction : -1;
}

/// Passes on the sequence once it can be shown, and returns its ranges of motion.
MotionRanges open(const std::vector<std::string>& paths, const OpenOptions& options,
                  ExecContext& ctx, std::promise<void>& header,
                  const std::function<void(std::shared_ptr<const OpenedSequence>)>& canBeShown) {
    ctx.report("Reading the header", 0);
    auto opened = std::make_shared<OpenedSequence>();
    opened->paths = paths;
    try {
        opened->sequence = openSequence(paths, options);
        header.set_value();
    } catch (...) {
        header.set_exception(std::current_exception());
        throw;
    }
    const Sequence sequence = opened->sequence;
    ctx.throwIfCancelled();
    ctx.report("Reading the range of gray values", 0);
    const SequenceRanges ranges = sequenceRanges(sequence, ctx, [&](const IntensityScale& gray) {
        opened->scale = gray;
        canBeShown(std::move(opened));
    });
    return {ranges.motion, ranges.motionSinceFirst};
}

constexpr double secondsBetweenNotices = 0.15; ///< each is drawn

} // namespace

Loader::Begun Loader::begin(std::vector<std::string> paths, OpenOptions options) {
    options.acceptUnknown = true;
    Begun begun;
    begun.load = std::make_shared<Load>();
    begun.load->progress.phase = "Opening";
    auto header = std::make_shared<std::promise<void>>();
    begun.header = header->get_future();
    const auto work = [load = begun.load, paths = std::move(paths), options, header] {
        std::optional<ExecResources> resources;
        try {
            resources.emplace(estimationThreads());
        } catch (const std::exception& error) { // no thread can be started
            header->set_exception(std::current_exception());
            return load->set([&] { load->outcome = {nullptr, error.what()}; });
        }
        ExecContext ctx = resources->context();
        ctx.cancel = load->cancel;
        const auto start = std::chrono::steady_clock::now();
        double noticed = 0;
        ctx.progress = [&](const std::string& phase, double fraction) {
            const double past = secondsSince(start);
            const bool quietly = past < noticed + secondsBetweenNotices;
            noticed = quietly ? noticed : past;
            load->set(
                [&] {
                    load->progress = {phase, fraction, secondsLeft(past, fraction)};
                },
                quietly);
        };
        bool shown = false;
        MotionRanges ranges;
        try {
            ranges = open(paths, options, ctx, *header,
                          [&](std::shared_ptr<const OpenedSequence> opened) {
                              ctx.progress = {};
                              shown = true;
                              load->set([&] { load->outcome = {std::move(opened), ""}; });
                          });
        } catch (const Cancelled&) {
            return;
        } catch (const std::exception& error) {
            // A sequence whose ranges are unknown stays shown, with a scale from its voxels.
            if (!shown)
                return load->set([&] { load->outcome = {nullptr, error.what()}; });
        }
        load->set([&] { load->ranges = ranges; });
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
    if (!outcome)
        return outcome;
    if (outcome->opened) {
        if (ranging_)
            ranging_->cancel.cancel();
        ranging_ = current_;
    }
    current_.reset();
    return outcome;
}

std::optional<MotionRanges> Loader::takeRanges() {
    if (!ranging_)
        return std::nullopt;
    std::optional<MotionRanges> ranges;
    {
        const std::lock_guard lock(ranging_->mutex);
        ranges = ranging_->ranges;
    }
    if (ranges)
        ranging_.reset();
    return ranges;
}

} // namespace systole
