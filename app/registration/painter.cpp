#include "app/registration/painter.h"

#include "app/registration/device_picture.h"
#include "compute/core/elapsed.h"
#include "compute/core/newest_job_thread.h"

#include <chrono>
#include <optional>
#include <string>
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
        , device(preferred(Backend::Cuda, options.device), {}, options.devices)
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
    // Used only by the thread.
    DevicePolicy device;
    DevicePictures onDevice;

    // Guarded by the thread's lock.
    std::optional<WantedPicture> painting, painted, failed;
    std::string problem; ///< one sentence; empty: none
    bool shown = false;  ///< of the one being painted the views have theirs: the rest can wait
    std::shared_ptr<const RegistrationPicture> picture;
    Clock::time_point lastFigures{};

    Thread jobs; ///< last: it uses all of the above
};

/// The voxels that the views show.
RegistrationPicture RegistrationPainter::Impl::firstOf(const Request& job, const ExecContext& ctx) {
    const auto start = Clock::now();
    RegistrationPicture made;
    made.number = job.picture.number();
    const auto draw = [&](const ExecContext& where) {
        made.backend = where.backend;
        if (where.backend == Backend::Cuda)
            return onDevice.draw(job.picture, job.keepOnDevice, made, where);
        made.volume = drawPicture(job.picture, job.picture.boxes, where);
        if (job.picture.view != ComparisonView::Fixed)
            made.boxes = job.picture.boxes;
    };
    if (job.backend == Backend::Cuda && DevicePictures::canDraw(job.picture)) {
        device.tryAgain();
        device.run(ctx, draw);
    } else {
        draw(ctx);
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
    const JobEnd end = endOf([&] {
        RegistrationPicture made = firstOf(job, ctx);
        deliver(job, made);
        drawn = true;
        complete(job, made, ctx);
        deliver(job, made);
    });
    {
        const Thread::Lock lock = jobs.lock();
        if (!end.failure.empty() || (end.stopped && !drawn))
            failed = job.picture; // the picture before stays
        problem = end.failure.empty() ? device.fallback() : end.failure;
        painting.reset();
    }
    if (!end.failure.empty() && options.notify)
        options.notify();
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

std::string RegistrationPainter::problem() const {
    const auto lock = impl_->jobs.lock();
    return impl_->problem;
}

} // namespace systole
