#include "app/live/registration_client.h"

#include "io/source.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <utility>

namespace systole {
namespace {

constexpr double flickerSeconds = 0.5, retrySeconds = 0.01;

double flickerClock() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// Which of the two images flicker shows now.
bool flickersToFixed() { return static_cast<long long>(flickerClock() / flickerSeconds) % 2 == 0; }

std::shared_ptr<const Volume> firstFrameOf(const std::string& file, const ExecContext& ctx) {
    const Sequence sequence = openSequence({file}, {});
    auto volume = std::make_shared<Volume>(sequence.geometry, *ctx.pool, "moving image");
    sequence.source->read(0, volume->view());
    return volume;
}

std::string nameOf(const RegistrationSession& registration) {
    const std::string moving =
        registration.movingFile.empty()
            ? fmt::format("frame {}", registration.movingFrame)
            : std::filesystem::path(registration.movingFile).filename().string();
    const MotionMethod& method = *registration.choice.method;
    const bool chain = registration.affineFirst && method.name != affineMethod().name;
    return fmt::format("frame {} and {}, {}{}", registration.fixedFrame, moving,
                       chain ? affineMethod().name + ", then " : "", method.name);
}

} // namespace

void RegistrationClient::follow(Session& session, const FrameOf& frame, const Shown& shown) {
    RegistrationSession& registration = session.registration;
    if (std::exchange(registration.wantedStop, false) && run_)
        run_->stop();
    if (registration.wantedStart)
        start(session, frame, shown);
    if (!run_)
        return;
    registration.status = run_->status();
    updatePicture(registration, shown);
    if (registration.status.note.empty())
        registration.status.note = painter_->problem();
}

void RegistrationClient::start(Session& session, const FrameOf& frame, const Shown& shown) {
    RegistrationSession& registration = session.registration;
    if (!whyNoRegistration(session).empty()) {
        registration.wantedStart = false;
        return;
    }
    const bool fromFile = !registration.movingFile.empty();
    const std::shared_ptr<const Volume> fixed = frame(registration.fixedFrame);
    const std::shared_ptr<const Volume> moving =
        fromFile ? nullptr : frame(registration.movingFrame);
    awaitsFrame_ = !fixed || (!fromFile && !moving);
    if (awaitsFrame_)
        return;
    registration.wantedStart = false;
    if (!run_) {
        const int threads = session.estimationThreads;
        run_ = std::make_unique<RegistrationRun>(
            RegistrationRun::Options{.threads = threads, .notify = notify_});
        painter_ = std::make_unique<RegistrationPainter>(RegistrationPainter::Options{
            .threads = threads, .device = shown.device.value_or(0), .notify = notify_});
    }
    scale_ = session.opened->scale;
    RegistrationTask task;
    task.name = nameOf(registration);
    task.open = [fixed, moving, file = registration.movingFile](const ExecContext& ctx) {
        return RegistrationPair{fixed, moving ? moving : firstFrameOf(file, ctx)};
    };
    const MotionChoice& choice = registration.choice;
    task.plan = planOf(*choice.method, choice.parameters, choice.backend, registration.affineFirst);
    backend_ = choice.backend;
    run_->start(std::move(task));
    registration.wantedNumber = 0;
    registration.picture.reset();
    registration.figures.reset();
    registration.shownFixedFrame = registration.fixedFrame;
    registration.shown = true;
}

/// Requests the picture of the wanted iteration; meanwhile the one before stays.
void RegistrationClient::updatePicture(RegistrationSession& registration, const Shown& shown) {
    const RegistrationPair images = run_->images();
    if (!images.fixed || !registration.shown)
        return;
    const RegistrationStatus& status = registration.status;
    const int newest = status.points.empty() ? 0 : status.points.back().number;
    const int number = registration.wantedNumber > 0 ? registration.wantedNumber
                       : status.running              ? newest
                                                     : status.best;
    WantedPicture wanted{
        status.run, images, scale_, run_->iterate(number), comparisonOf(registration.view),
        shown.boxes};
    auto picture = painter_->find({.picture = wanted,
                                   .backend = backend_,
                                   .keepOnDevice = shown.device.has_value(),
                                   .hurry = registration.wantedNumber > 0});
    const auto now = RateMeter::Clock::now();
    if (picture && (!registration.picture || registration.picture->number != picture->number))
        pictures_.add(now);
    registration.picturesPerSecond = pictures_.perSecond(now);
    if (picture && picture->figures)
        registration.figures = picture;
    if (picture)
        registration.picture = std::move(picture);
    wanted_ = std::move(wanted);
    wantedNumber_ = registration.wantedNumber;
}

void RegistrationClient::forget(RegistrationSession& registration) {
    if (run_)
        run_->stop();
    run_.reset();
    painter_.reset();
    wanted_.reset();
    const MotionChoice choice = registration.choice;
    const bool affineFirst = registration.affineFirst;
    registration = {};
    registration.choice = choice;
    registration.affineFirst = affineFirst;
}

RegistrationClient::Frame
RegistrationClient::shownFrame(const RegistrationSession& registration) const {
    const bool fixed = !registration.picture ||
                       (registration.view == RegistrationView::Flicker && flickersToFixed());
    if (fixed)
        return {wanted_ ? wanted_->images.fixed : nullptr, nullptr, {}};
    const RegistrationPicture& picture = *registration.picture;
    return {picture.volume, picture.onDevice, picture.boxes};
}

bool RegistrationClient::follows(const RegistrationSession& registration) const {
    return !registration.shown || !wanted_ ||
           (wanted_->view == comparisonOf(registration.view) &&
            wantedNumber_ == registration.wantedNumber);
}

double RegistrationClient::secondsToNextTick(const RegistrationSession& registration) const {
    if (awaitsFrame_ && registration.wantedStart)
        return retrySeconds;
    return registration.view == RegistrationView::Flicker
               ? flickerSeconds - std::fmod(flickerClock(), flickerSeconds) + 1e-3
               : std::numeric_limits<double>::infinity();
}

} // namespace systole
