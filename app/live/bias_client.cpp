#include "app/live/bias_client.h"

#include <fmt/format.h>

#include <limits>

namespace systole {
namespace {

constexpr double retrySeconds = 0.01;

} // namespace

void BiasClient::follow(Session& session, const FrameOf& frame) {
    BiasSession& bias = session.bias;
    if (std::exchange(bias.wantedStop, false) && run_)
        run_->stop();
    if (bias.wantedStart)
        start(session, frame);
    if (run_)
        bias.status = run_->status();
}

void BiasClient::start(Session& session, const FrameOf& frame) {
    BiasSession& bias = session.bias;
    if (!whyNoBias(session).empty()) {
        bias.wantedStart = false;
        return;
    }
    session.playback.pause();
    const int index = session.playback.frame();
    const std::shared_ptr<const Volume> image = frame(index);
    awaitsFrame_ = !image;
    if (awaitsFrame_)
        return;
    bias.wantedStart = false;
    if (!run_)
        run_ = std::make_unique<BiasRun>(
            BiasRun::Options{.threads = session.estimationThreads, .notify = notify_});
    BiasTask task;
    task.name = fmt::format("{}, frame {}", session.opened->sequence.name, index);
    task.image = image;
    task.scale = session.opened->scale;
    task.methods = usualBiasMethods();
    if (bias.withDemons)
        task.methods.push_back("demons");
    task.backend = bias.backend;
    task.noiseShare = bias.noisePercent / 100;
    task.repetitions = bias.repetitions;
    run_->start(std::move(task));
}

void BiasClient::forget(BiasSession& bias) {
    run_.reset();
    bias.status = {};
    bias.wantedStop = false;
}

double BiasClient::secondsToNextTick(const BiasSession& bias) const {
    if (bias.wantedStart)
        return awaitsFrame_ ? retrySeconds : 0;
    return bias.wantedStop ? 0 : std::numeric_limits<double>::infinity();
}

} // namespace systole
