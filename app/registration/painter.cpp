#include "app/registration/painter.h"

#include "app/registration/device_picture.h"
#include "compute/core/elapsed.h"
#include "compute/core/newest_job_thread.h"

#include <chrono>
#include <exception>
#include <optional>
#include <utility>

namespace systole {
namespace {

using Clock = std::chrono::steady_clock;

/// While iterations come faster than figures, some get theirs nevertheless.
constexpr std::chrono::milliseconds figuresAtLeastEvery{500};

} // namespace

struct RegistrationPainter::Impl {
    using Thread = NewestJobThread<Request>;

    explicit Impl(Options given)
        : options(std::move(given))
        , team(options.threads)
        , device(options.device)
        , jobs({.run = [this](Request& job, const CancelToken& cancel) { run(job, cancel); },
                .taken =
                    [this](Request& job) {
                        painting = job.picture;
                        shown = false;
                    }}) {}

    void run(const Request& job, const CancelToken& cancel);
    RegistrationPicture firstOf(const Request& job, const ExecContext& ctx);
    void complete(const Request& job, RegistrationPicture& made, const ExecContext& ctx);
    void deliver(const Request& job, const RegistrationPicture& made);

    const Options options;
    BufferPool pool;
    ThreadTeam team;
    DevicePictures device; ///< used only by the thread

    // Guarded by the thread's lock.
    std::optional<WantedPicture> painting, painted, failed;
    bool shown = false; ///< of the one being painted the views have theirs: the rest can wait
    std::shared_ptr<const RegistrationPicture> picture;
    Clock::time_point lastFigures{};

    Thread jobs; ///< last: it uses all of the above
};

/// The voxels that the views show.
RegistrationPicture RegistrationPainter::Impl::firstOf(const Request& job, const ExecContext& ctx) {
    const auto start = Clock::now();
    RegistrationPicture made;
    made.number = job.picture.number();
    if (job.backend == Backend::Cuda && device.canDraw(job.picture)) {
        made.backend = Backend::Cuda;
        device.draw(job.picture, job.keepOnDevice, made, ctx);
    } else {
        made.volume = drawPicture(job.picture, job.picture.boxes, ctx);
        if (job.picture.view != ComparisonView::Fixed)
            made.boxes = job.picture.boxes;
    }
    made.seconds = secondsSince(start);
    return made;
}

/// The rest of the volume, and the figures.
void RegistrationPainter::Impl::complete(const Request& job, RegistrationPicture& made,
                                         const ExecContext& ctx) {
    if (!made.boxes.empty()) {
        made.volume = drawPicture(job.picture, {}, ctx);
        made.boxes.clear();
    }
    made.figures = figuresOf(job.picture, ctx);
}

void RegistrationPainter::Impl::deliver(const Request& job, const RegistrationPicture& made) {
    {
        const Thread::Lock lock = jobs.lock();
        picture = std::make_shared<const RegistrationPicture>(made);
        painted = job.picture;
        shown = true;
        if (made.figures)
            lastFigures = Clock::now();
    }
    if (options.notify)
        options.notify();
}

void RegistrationPainter::Impl::run(const Request& job, const CancelToken& cancel) {
    ExecContext ctx;
    ctx.pool = &pool;
    ctx.threads = &team;
    ctx.cancel = cancel;
    bool drawn = false;
    try {
        RegistrationPicture made = firstOf(job, ctx);
        deliver(job, made);
        drawn = true;
        complete(job, made, ctx);
        deliver(job, made);
    } catch (const std::exception&) {
        // Cancelled, or memory is short: the picture before stays.
        const Thread::Lock lock = jobs.lock();
        if (!cancel.cancelled() || !drawn)
            failed = job.picture;
    }
    const Thread::Lock lock = jobs.lock();
    painting.reset();
}

RegistrationPainter::RegistrationPainter(Options options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
RegistrationPainter::~RegistrationPainter() = default;

std::shared_ptr<const RegistrationPicture> RegistrationPainter::find(const Request& wanted) {
    const auto lock = impl_->jobs.lock();
    Impl& p = *impl_;
    const WantedPicture& picture = wanted.picture;
    const auto& waiting = p.jobs.waiting();
    const bool whole = p.picture && p.picture->figures; // has all voxels, whatever is shown
    const bool over = p.failed == picture || (p.painted && whole && p.painted->sameVoxels(picture));
    if (!over && p.painting != picture && !(waiting && waiting->picture == picture)) {
        p.jobs.put(wanted);
        const bool rest = p.painting && p.shown;
        if (rest && (wanted.hurry || Clock::now() - p.lastFigures < figuresAtLeastEvery))
            p.jobs.cancelRunning();
    }
    const bool fits = p.painted && p.painted->run == picture.run && p.painted->view == picture.view;
    return fits ? p.picture : nullptr;
}

} // namespace systole
