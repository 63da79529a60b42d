// Connects the session to the registration: passes what the user wants to the run, and what the run
// has back. Both threads start with the first registration.
#pragma once

#include "app/estimation/rate_meter.h"
#include "app/live/session.h"
#include "app/registration/painter.h"
#include "app/registration/registration_run.h"

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace systole {

class RegistrationClient {
public:
    explicit RegistrationClient(std::function<void()> notify) : notify_(std::move(notify)) {}

    /// A frame of the open sequence; null: not decoded yet.
    using FrameOf = std::function<std::shared_ptr<const Volume>(int)>;
    /// What the views need of a picture.
    struct Shown {
        std::vector<VoxelBox> boxes; ///< as in WantedPicture
        /// The CUDA device that the views draw from, an index in cudaStatus().devices; none: the
        /// host uploads pictures.
        std::optional<int> device;
    };
    /// Starts and stops as the session wants, and updates its status and picture.
    void follow(Session& session, const FrameOf& frame, const Shown& shown);
    /// Ends everything, for another sequence.
    void forget(RegistrationSession& registration);

    /// What the views show now.
    struct Frame {
        std::shared_ptr<const Volume> volume, onDevice; ///< both null: none yet
        std::vector<VoxelBox> boxes;                    ///< as in RegistrationPicture
    };
    Frame shownFrame(const RegistrationSession& registration) const;
    /// Whether the picture of the session's choice of iteration and view has been asked for.
    bool follows(const RegistrationSession& registration) const;
    /// Time until the picture changes by itself.
    double secondsToNextTick(const RegistrationSession& registration) const;

private:
    void start(Session& session, const FrameOf& frame, const Shown& shown);
    void updatePicture(RegistrationSession& registration, const Shown& shown);

    std::function<void()> notify_;
    std::unique_ptr<RegistrationRun> run_;
    std::unique_ptr<RegistrationPainter> painter_;
    IntensityScale scale_;
    bool awaitsFrame_ = false;       ///< to start
    Backend backend_ = Backend::Cpu; ///< of the last start
    RateMeter pictures_{30};
    std::optional<WantedPicture> wanted_;
    int wantedNumber_ = 0; ///< RegistrationSession::wantedNumber that it is for
};

} // namespace systole
