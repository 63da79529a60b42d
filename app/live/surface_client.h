// Connects the session to the making of surfaces: decides which frame's is made next, keeps what is
// made, and passes on that of the frame shown. The thread starts with the first surface.
#pragma once

#include "app/live/session.h"
#include "app/surface/surface_run.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace systole {

class SurfaceClient {
public:
    explicit SurfaceClient(std::function<void()> notify) : notify_(std::move(notify)) {}

    /// A frame of the open sequence; null: not decoded yet.
    using FrameOf = std::function<std::shared_ptr<const Volume>(int)>;
    /// The finished motion of the picture of a frame, or of another one; null: none.
    using MotionOf = std::function<std::shared_ptr<const FrameResult>(int)>;
    /// Makes what the session wants next, and updates its surfaces.
    void follow(Session& session, const FrameOf& frame, const MotionOf& motion);
    /// Forgets all surfaces, for another sequence.
    void forget(SurfaceSession& surface);

    /// Whether the session's choice is the one that surfaces are made of.
    bool follows(const SurfaceSession& surface) const {
        return surface.choice.revision == revision_;
    }
    /// A frame is awaited that isn't decoded yet.
    bool awaitsFrame() const { return awaitsFrame_; }

private:
    void followChoice(Session& session);
    std::optional<SurfaceTask> next(Session& session, const FrameOf& frame, const MotionOf& motion);
    std::optional<SurfaceTask> nextAnew(const Session& session, const FrameOf& frame);
    std::optional<SurfaceTask> nextCarried(Session& session, const FrameOf& frame,
                                           const MotionOf& motion);
    std::optional<SurfaceTask> fromSource(const Session& session, int frame,
                                          const FrameOf& frameOf);
    void wantMotion(Session& session);
    void followLabels(Session& session);
    bool isForgotten(const Session& session, int frame) const;
    bool isMissing(const Session& session, int frame) const;

    std::function<void()> notify_;
    std::unique_ptr<SurfaceRun> run_;
    std::uint64_t revision_ = 0;   ///< of the choice
    std::uint64_t generation_ = 0; ///< of the motion that carries
    int window_ = 0;               ///< its MotionChoice::window
    /// Of the segmentation, by frame: LabelHistory::revision() that its surface is made of.
    std::vector<std::uint64_t> labelsUsed_;
    bool askedForCycle_ = false;
    bool awaitsFrame_ = false;
};

} // namespace systole
