// The landmarks of the open sequence, as the elastic wall uses them.
#pragma once

#include "app/features/landmarks/landmark_state.h"
#include "app/features/landmarks/wall_source.h"

#include <string>

namespace systole {

/// Points with their tracks, which an elastic wall may move.
class PointSource {
public:
    virtual LandmarkState& landmarks() = 0;
    /// A sentence that says what a wall of points that begin in a frame lacks; empty: nothing.
    virtual std::string whyNoWall(int frame) const = 0;
    /// The wall, of which nothing may be lacking.
    virtual WallSource wallOf(int frame) const = 0;

protected:
    ~PointSource() = default;
};

} // namespace systole
