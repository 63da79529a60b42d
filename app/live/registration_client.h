// Connects the session to the registration: passes what the user wants to the run, and what the run
// has back. Both threads start with the first registration.
#pragma once

#include "app/live/session.h"
#include "app/registration/picture.h"
#include "app/registration/registration_run.h"

#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace systole {

class RegistrationClient {
public:
    explicit RegistrationClient(std::function<void()> notify) : notify_(std::move(notify)) {}

    /// A frame of the open sequence; null: not decoded yet.
    using FrameOf = std::function<std::shared_ptr<const Volume>(int)>;
    /// Starts and stops as the session wants, and updates its status and picture.
    void follow(Session& session, const FrameOf& frame);
    /// Ends everything, for another sequence.
    void forget(RegistrationSession& registration);

    /// The volume that the views show now; null: none yet.
    std::shared_ptr<const Volume> shownVolume(const RegistrationSession& registration) const;
    /// Time until the picture changes by itself.
    double secondsToNextTick(const RegistrationSession& registration) const;

private:
    void start(Session& session, const FrameOf& frame);
    void updatePicture(RegistrationSession& registration);

    std::function<void()> notify_;
    std::unique_ptr<RegistrationRun> run_;
    std::unique_ptr<RegistrationPainter> painter_;
    IntensityScale scale_;
    bool awaitsFrame_ = false; ///< to start
    std::optional<RegistrationPainter::Wanted> wanted_;
};

} // namespace systole
