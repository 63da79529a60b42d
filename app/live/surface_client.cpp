#include "app/live/surface_client.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace systole {
namespace {

/// Frames that a surface is carried along in one task.
constexpr std::size_t stepsAtOnce = 8;

std::size_t indexOf(int frame) { return static_cast<std::size_t>(frame); }

int framesOf(const Session& session) { return session.opened->sequence.frames; }

/// The motion that carries the surface from `frame` to the next one; null: not there.
std::shared_ptr<const FrameResult> pairFrom(int frame, const Session& session,
                                            const SurfaceClient::MotionOf& motion) {
    std::shared_ptr<const FrameResult> result = motion(frame);
    const bool fits = result && !result->sinceFirst && result->fixedFrame == frame &&
                      result->movingFrame == frame + 1 && result->field &&
                      result->generation == session.estimation.generation;
    return fits ? result : nullptr;
}

/// The motion from the first frame into this one; null: not there.
std::shared_ptr<const FrameResult> sinceFirst(int frame, const Session& session,
                                              const SurfaceClient::MotionOf& motion) {
    std::shared_ptr<const FrameResult> result = motion(frame);
    const bool fits = result && result->sinceFirst && result->movingFrame == frame &&
                      result->window > 0 && result->field &&
                      result->generation == session.estimation.generation;
    return fits ? result : nullptr;
}

} // namespace

void SurfaceClient::follow(Session& session, const FrameOf& frame, const MotionOf& motion) {
    SurfaceSession& surface = session.surface;
    followChoice(session);
    followLabels(session);
    awaitsFrame_ = false;
    if (surface.choice.isOn() && !run_)
        run_ = std::make_unique<SurfaceRun>(
            SurfaceRun::Options{.threads = session.estimationThreads, .notify = notify_});
    if (run_)
        for (auto& made : run_->take())
            if (made->frame >= 0 && indexOf(made->frame) < surface.frames.size() &&
                !isForgotten(session, made->frame)) {
                surface.newest = made;
                surface.frames[indexOf(made->frame)] = std::move(made);
            }
    if (surface.choice.isOn() && !run_->busy())
        if (std::optional<SurfaceTask> task = next(session, frame, motion))
            run_->start(std::move(*task));
    surface.busy = run_ && run_->busy();

    const auto& ofFrame = surface.frames[indexOf(session.playback.frame())];
    // While playing the last one stays until the frame has its own.
    if (ofFrame || !session.playback.playing())
        surface.shown = ofFrame;
}

/// What was made with another choice, or carried by other motion, is forgotten.
void SurfaceClient::followChoice(Session& session) {
    SurfaceSession& surface = session.surface;
    const std::uint64_t generation = session.estimation.generation;
    const int window = session.motion.window;
    const bool another =
        revision_ != surface.choice.revision || surface.frames.size() != indexOf(framesOf(session));
    const bool carriedByOther =
        surface.choice.isCarried() && (generation_ != generation || window_ != window);
    if (!another && !carriedByOther)
        return;
    revision_ = surface.choice.revision;
    generation_ = generation;
    window_ = window;
    askedForCycle_ = false;
    std::shared_ptr<const LiveSurface> first;
    if (!another)
        first = surface.frames.front();
    surface.frames.assign(indexOf(framesOf(session)), nullptr);
    surface.frames.front() = first;
    if (!first)
        labelsUsed_.assign(surface.frames.size(), 0);
    surface.shown.reset();
    surface.newest = first;
    surface.waiting.clear();
    if (run_)
        run_->cancel();
}

/// Surfaces of frames whose segmentation is gone are forgotten; those of frames whose labels have
/// changed stay until they are made again.
void SurfaceClient::followLabels(Session& session) {
    SurfaceSession& surface = session.surface;
    if (surface.choice.source != SurfaceOrigin::Segmentation)
        return;
    const LabelHistory& labels = session.segment.labels;
    const auto revision = [&](int frame) {
        return frame < labels.frames() && labels.has(frame) ? labels.revision(frame) : 0;
    };
    for (int frame = 0; frame < framesOf(session); ++frame) {
        std::uint64_t& used = labelsUsed_[indexOf(frame)];
        const std::uint64_t now = revision(frame);
        if (used != 0 && now == 0) {
            used = 0;
            surface.frames[indexOf(frame)].reset();
        }
        // What was carried along is that of the first frame.
        if (surface.choice.carried && frame == 0 && used != now) {
            used = 0;
            surface.frames.assign(surface.frames.size(), nullptr);
            surface.newest.reset();
            if (run_)
                run_->cancel();
        }
    }
}

/// The labels that the surface was made of are gone.
bool SurfaceClient::isForgotten(const Session& session, int frame) const {
    const SurfaceChoice& choice = session.surface.choice;
    return choice.source == SurfaceOrigin::Segmentation && !choice.carried &&
           labelsUsed_[indexOf(frame)] == 0;
}

bool SurfaceClient::isMissing(const Session& session, int frame) const {
    if (session.surface.choice.source != SurfaceOrigin::Segmentation)
        return !session.surface.frames[indexOf(frame)];
    const LabelHistory& labels = session.segment.labels;
    return frame < labels.frames() && labels.has(frame) &&
           labelsUsed_[indexOf(frame)] != labels.revision(frame);
}

std::optional<SurfaceTask> SurfaceClient::next(Session& session, const FrameOf& frame,
                                               const MotionOf& motion) {
    session.surface.waiting.clear();
    return session.surface.choice.isCarried() ? nextCarried(session, frame, motion)
                                              : nextAnew(session, frame);
}

/// The shown frame first, then those that follow it; while playing only what is shown.
std::optional<SurfaceTask> SurfaceClient::nextAnew(const Session& session, const FrameOf& frame) {
    const int frames = framesOf(session), shown = session.playback.frame();
    for (int i = 0; i < frames; ++i) {
        const int wanted = (shown + i) % frames;
        if (isMissing(session, wanted))
            return fromSource(session, wanted, frame);
        if (session.playback.playing())
            break;
    }
    return std::nullopt;
}

std::optional<SurfaceTask> SurfaceClient::nextCarried(Session& session, const FrameOf& frame,
                                                      const MotionOf& motion) {
    const LiveSurfaces& made = session.surface.frames;
    const bool segmented = session.surface.choice.source == SurfaceOrigin::Segmentation;
    if (!made.front() && segmented && !isMissing(session, 0)) {
        session.surface.waiting = "waits for a segmentation of frame 0, which is carried along";
        return std::nullopt;
    }
    if (!made.front())
        return fromSource(session, 0, frame);
    if (!made.front()->scene)
        return std::nullopt; // nothing to carry
    SurfaceTask task;
    task.choice = session.surface.choice;
    task.frames = framesOf(session);
    if (session.motion.window > 0) {
        task.from = made.front();
        const int shown = session.playback.frame();
        for (int i = 0; i < task.frames && task.steps.empty(); ++i) {
            const int wanted = (shown + i) % task.frames;
            if (made[indexOf(wanted)])
                continue;
            if (auto result = sinceFirst(wanted, session, motion))
                task.steps.push_back(std::move(result));
            else
                session.surface.waiting = "waits for the motion since the first frame";
        }
        return task.steps.empty() ? std::nullopt : std::optional(std::move(task));
    }
    const auto missing = std::ranges::find(made, nullptr);
    if (missing == made.end())
        return std::nullopt;
    const int last = static_cast<int>(missing - made.begin()) - 1;
    task.from = made[indexOf(last)];
    if (!task.from->scene)
        return std::nullopt;
    for (int from = last; from + 1 < task.frames && task.steps.size() < stepsAtOnce; ++from) {
        auto result = pairFrom(from, session, motion);
        if (!result)
            break;
        task.steps.push_back(std::move(result));
    }
    if (!task.steps.empty())
        return task;
    session.surface.waiting = "waits for the motion of frame " + std::to_string(last);
    wantMotion(session);
    return std::nullopt;
}

/// Without all pairs the surface can't be carried: they are estimated in the background, unless the
/// user ended that.
void SurfaceClient::wantMotion(Session& session) {
    if (askedForCycle_ || !whyNoCycle(session).empty() || session.playback.playing())
        return;
    session.cycle.wanted = true;
    askedForCycle_ = true;
}

std::optional<SurfaceTask> SurfaceClient::fromSource(const Session& session, int frame,
                                                     const FrameOf& frameOf) {
    SurfaceTask task;
    task.choice = session.surface.choice;
    task.frames = framesOf(session);
    task.frame = frame;
    task.backend = session.motion.backend;
    if (task.choice.source == SurfaceOrigin::Threshold) {
        task.gray = frameOf(frame);
        awaitsFrame_ = !task.gray;
        if (!task.gray)
            return std::nullopt;
    }
    if (task.choice.source == SurfaceOrigin::Segmentation) {
        const LabelHistory& labels = session.segment.labels;
        task.labels = labels.labels(frame);
        task.grid = labels.grid();
        labelsUsed_[indexOf(frame)] = labels.revision(frame);
    }
    return task;
}

void SurfaceClient::forget(SurfaceSession& surface) {
    if (run_)
        run_->cancel();
    surface.frames.clear();
    surface.shown.reset();
    surface.newest.reset();
}

} // namespace systole
