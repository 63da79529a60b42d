#include "app/features/registration/painter.h"

#include "compute/core/elapsed.h"

#include <utility>

namespace systole {
namespace {

using Clock = std::chrono::steady_clock;

/// While iterations come faster than figures, some get theirs nevertheless.
constexpr std::chrono::milliseconds figuresAtLeastEvery{500};

} // namespace

RegistrationPainter::RegistrationPainter(Options options)
    : notify_(std::move(options.notify))
    , team_(options.threads)
    , device_(preferred(Backend::Cuda, options.device), {}, std::move(options.devices))
    , jobs_({.run = [this](Request& job, const CancelToken& cancel) { run(job, cancel); },
             .taken =
                 [this](Request& job) {
                     painting_ = job.picture;
                     shown_ = false;
                 }}) {}

/// The voxels that the views show.
RegistrationPicture RegistrationPainter::firstOf(const Request& job, const ExecContext& ctx) {
    const auto start = Clock::now();
    RegistrationPicture made;
    made.number = job.picture.number();
    const auto draw = [&](const ExecContext& where) {
        made.backend = where.backend;
        if (where.backend == Backend::Cuda)
            return onDevice_.draw(job.picture, job.keepOnDevice, made, where);
        made.volume = drawPicture(job.picture, job.picture.boxes, where);
        if (job.picture.view != ComparisonView::Fixed)
            made.boxes = job.picture.boxes;
    };
    if (job.backend == Backend::Cuda && DevicePictures::canDraw(job.picture)) {
        device_.tryAgain();
        device_.run(ctx, draw);
    } else {
        draw(ctx);
    }
    made.seconds = secondsSince(start);
    return made;
}

/// The rest of the volume, and the figures.
void RegistrationPainter::complete(const Request& job, RegistrationPicture& made,
                                   const ExecContext& ctx) {
    if (!made.boxes.empty()) {
        made.volume = drawPicture(job.picture, {}, ctx);
        made.boxes.clear();
    }
    made.figures = figuresOf(job.picture, ctx);
}

void RegistrationPainter::deliver(const Request& job, const RegistrationPicture& made) {
    {
        const auto lock = jobs_.lock();
        picture_ = std::make_shared<const RegistrationPicture>(made);
        painted_ = job.picture;
        shown_ = true;
        if (made.figures)
            lastFigures_ = Clock::now();
    }
    if (notify_)
        notify_();
}

void RegistrationPainter::run(const Request& job, const CancelToken& cancel) {
    const ExecContext ctx = contextOf(pool_, team_, cancel);
    bool drawn = false;
    const JobEnd end = endOf([&] {
        RegistrationPicture made = firstOf(job, ctx);
        deliver(job, made);
        drawn = true;
        complete(job, made, ctx);
        deliver(job, made);
    });
    {
        const auto lock = jobs_.lock();
        if (!end.failure.empty() || (end.stopped && !drawn))
            failed_ = job.picture; // the picture before stays
        problem_ = end.failure.empty() ? device_.fallback() : end.failure;
        painting_.reset();
    }
    if (!end.failure.empty() && notify_)
        notify_();
}

std::shared_ptr<const RegistrationPicture> RegistrationPainter::find(const Request& wanted) {
    const auto lock = jobs_.lock();
    const WantedPicture& picture = wanted.picture;
    const auto& waiting = jobs_.waiting();
    const bool whole = picture_ && picture_->figures; // has all voxels, whatever is shown
    const bool over = failed_ == picture || (painted_ && whole && painted_->sameVoxels(picture));
    if (!over && painting_ != picture && !(waiting && waiting->picture == picture)) {
        jobs_.put(wanted);
        const bool rest = painting_ && shown_;
        if (rest && (wanted.hurry || Clock::now() - lastFigures_ < figuresAtLeastEvery))
            jobs_.cancelRunning();
    }
    const bool fits = painted_ && painted_->run == picture.run && painted_->view == picture.view;
    return fits ? picture_ : nullptr;
}

std::string RegistrationPainter::problem() const {
    const auto lock = jobs_.lock();
    return problem_;
}

} // namespace systole
