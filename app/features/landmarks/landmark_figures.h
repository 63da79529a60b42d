// Tracks as the views show them, and in figures.
#pragma once

#include "app/features/landmarks/landmark_state.h"

#include <memory>

namespace systole {

/// The expert's track for each track: that with its name, or, if no track has the name of an
/// expert's, that with its number; null: the expert has none. Throws ComputeError if nothing
/// matches.
std::vector<const LandmarkTracks::Track*> matchTracks(const LandmarkTracks& tracks,
                                                      const LandmarkTracks& expert);

/// Distances from the expert's points in a frame, mm; empty where either of the two is missing.
PointErrors errorsFrom(const LandmarkTracks& tracks,
                       const std::vector<const LandmarkTracks::Track*>& expert, int frame);

/// Figures of the tracks in a frame; `expert` may be empty.
LandmarkFrame figuresOf(const LandmarkTracks& tracks,
                        const std::vector<const LandmarkTracks::Track*>& expert, int frame);

/// `expert` may be empty; `searched` as in SceneTracks.
std::shared_ptr<const SceneTracks>
sceneTracks(const LandmarkTracks& tracks, const std::vector<const LandmarkTracks::Track*>& expert,
            std::vector<bool> searched);

/// The figures of a frame that has some, for what its tracks are now.
void renewFigures(LandmarkState& landmarks, int frame);

/// Passes the tracks to the views.
void showTracks(LandmarkState& landmarks);

} // namespace systole
