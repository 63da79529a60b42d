// The landmarks of the open sequence, as the elastic wall uses them.
#pragma once

#include "app/features/landmarks/landmark_state.h"
#include "app/features/landmarks/wall_run.h"
#include "app/features/landmarks/wall_source.h"

#include <string>

namespace systole {

/// Points with their tracks, which an elastic wall may move.
class PointSource {
public:
    virtual const LandmarkState& landmarks() const = 0;
    /// A sentence that says what a wall of points that begin in a frame lacks; empty: nothing.
    virtual std::string whyNoWall(int frame) const = 0;
    /// The wall, of which nothing may be lacking.
    virtual WallSource wallOf(int frame) const = 0;

    /// Tells how the wall stands.
    virtual void tellWall(const WallStatus& status) = 0;
    /// Moves the tracks in a frame, which has been searched, with the wall.
    virtual void moveWithWall(const WallOutcome& moved) = 0;
    /// Takes all tracks back to where they were found.
    virtual void leaveWall() = 0;

protected:
    ~PointSource() = default;
};

} // namespace systole
