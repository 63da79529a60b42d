// Connects the session to the elastic wall: moves the tracks of the landmarks with it, frame after
// frame as they are found. The thread starts with the first wall.
#pragma once

#include "app/landmarks/wall_run.h"
#include "app/live/session.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace systole {

/// What is lacking for a wall of points that begin in a frame; empty: nothing.
std::string whyNoWall(const Session& session, int frame);
/// That wall, of which nothing may be lacking.
WallSource wallSource(const Session& session, int frame);

class WallClient {
public:
    explicit WallClient(std::function<void()> notify) : notify_(std::move(notify)) {}

    /// Does what the session's parameters want, and updates its landmarks.
    void follow(Session& session);
    /// Ends everything, for another sequence.
    void forget();

    /// Time until the next follow() is due.
    double secondsToNextTick(const Session& session) const;

private:
    /// What the wall is made of; another one begins anew.
    struct Source {
        std::uint64_t generation = 0; ///< of the tracks
        WallOrigin origin = WallOrigin::None;
        std::string file;
        std::uint64_t labels = 0; ///< LabelHistory::revision() of the reference frame
        int label = 0;
        double length = 0, poisson = 0;
        bool operator==(const Source&) const = default;
    };
    static Source sourceOf(const Session& session);

    void begin(Session& session, const Source& source);
    void take(LandmarkSession& landmarks, WallOutcome outcome);
    void startNext(const Session& session);

    std::function<void()> notify_;
    std::unique_ptr<WallRun> run_;
    Source source_;
    std::shared_ptr<const WallStart> start_; ///< null: there is no wall
    std::vector<bool> done_;                 ///< frames that it has moved
    bool asked_ = false;                     ///< a frame is under way
};

} // namespace systole
