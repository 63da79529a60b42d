// Connects the session to the registrations of noise alone: starts and stops them as it wants, and
// brings their status back. The thread starts with the first one.
#pragma once

#include "app/bias/bias_run.h"
#include "app/live/session.h"

#include <functional>
#include <memory>
#include <utility>

namespace systole {

class BiasClient {
public:
    explicit BiasClient(std::function<void()> notify) : notify_(std::move(notify)) {}

    /// A frame of the open sequence; null: not decoded yet.
    using FrameOf = std::function<std::shared_ptr<const Volume>(int)>;
    void follow(Session& session, const FrameOf& frame);
    /// Ends everything, for another sequence; what the user chose, and a start that is wanted,
    /// stay.
    void forget(BiasSession& bias);

    /// Time until the next follow() is due.
    double secondsToNextTick(const BiasSession& bias) const;

private:
    void start(Session& session, const FrameOf& frame);

    std::function<void()> notify_;
    std::unique_ptr<BiasRun> run_;
    bool awaitsFrame_ = false; ///< to start
};

} // namespace systole
