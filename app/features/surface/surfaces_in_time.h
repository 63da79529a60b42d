// The signed distances of a sequence's frames, each denoised with its neighbors in time.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/volume.h"
#include "compute/surface/mean_in_time.h"

#include <functional>
#include <map>
#include <vector>

namespace systole {

/// Frames around one another in time, and the motion between neighbors.
struct FramesInTime {
    Geometry geometry;
    int frames = 1;
    bool closedCycle = false; ///< the first frame follows the last one
    /// Fills phi, mm, with a frame's signed distance.
    std::function<void(int frame, VolumeView<float> phi)> distance;
    /// The displacement, voxels, from a frame to the one that follows; null: nothing moves.
    std::function<VectorField(int fixed, int moving)> motion{};
    /// Motion is smoothed over so many pairs before and after, by smoothingWeights(); over fewer at
    /// the ends of the sequence. Estimated motion follows the noise of its two frames: an error e
    /// of the later one is in two successive motions with opposite signs, so that a mean of w
    /// motions has 1/w of it.
    int smoothedPairs = 0;
};

/// Pairs that hardly flatten a beat of so many frames.
int smoothedPairsOf(int frames);
/// The 2 · reach + 1 weights of a mean that is the middle of the parabola fitted by least squares
/// (Savitzky and Golay 1964), so that it keeps what bends like one; 1 2 1 for a reach of one, where
/// a parabola goes through all three. Their sum is 1.
std::vector<float> smoothingWeights(int reach);

class SurfacesInTime {
public:
    /// `parameters`: at least one frame to either side, parameters.frames ≥ 1. A closed cycle has
    /// more frames than the window. Throws ComputeError otherwise.
    SurfacesInTime(FramesInTime source, const MeanInTimeParameters& parameters);

    /// The mean in time of a frame's distance. Asked for in ascending order, every frame and every
    /// motion is read once (those of the first ones again at the end of a closed cycle), and
    /// 2 · parameters.frames + 1 frames and as many motions in both directions are held, and those
    /// that are smoothed.
    void mean(int frame, VolumeView<float> phi, const ExecContext& ctx);

private:
    const Volume& distanceOf(int frame, const ExecContext& ctx);
    /// Motion from the frame to the next one, as the source has it.
    const VectorField& motionOf(int frame);
    VectorField smoothed(int frame, const ExecContext& ctx);
    /// Motion from the frame to the next one (direction 1) or to the one before it (−1).
    const VectorField& step(int frame, int direction, const ExecContext& ctx);
    /// The frame `away` frames from one; −1 if there is none.
    int neighbor(int frame, int away) const;
    bool isNear(int frame, int other, int within) const;
    void forgetAllBut(int frame);

    FramesInTime source_;
    MeanInTimeParameters parameters_;
    std::map<int, Volume> distances_;
    /// Fields by the frame on whose grid they are; motions_ as the source has them.
    std::map<int, VectorField> motions_, forward_, backward_;
};

/// The motion between two frames by the method `clg`, with its default parameters, whether it
/// adapts to the frames aside. Gray values from `low` to `high` count; the volumes on one grid.
VectorField clgMotion(const Volume& fixed, const Volume& moving, float low, float high,
                      bool adaptive, const ExecContext& ctx);

/// The motion between two frames, from their signed distances, which are clamped to a zone around
/// the surface.
VectorField motionOfDistances(const Volume& fixed, const Volume& moving, const ExecContext& ctx);

} // namespace systole
