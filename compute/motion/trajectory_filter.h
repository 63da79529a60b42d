// Motion over several frames together. The displacements of a first frame's voxels into later
// frames are points on the trajectories of tissue. A parabola in time, fitted to a window of frames
// (Savitzky and Golay 1964), replaces each point: noise that differs from frame to frame is
// averaged, velocity and acceleration stay. See docs/numerics/motion-over-frames.md.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/frame_result.h"

#include <deque>
#include <span>
#include <vector>

namespace systole {

/// Frames of a window. Fewer than five would determine a parabola without averaging, but one frame
/// alone is its own window: motion since the first frame as estimated.
inline constexpr int minTrajectoryWindow = 5, maxTrajectoryWindow = 31, defaultTrajectoryWindow = 5,
                     unsmoothedWindow = 1;

/// Where the parabola is farther from a frame's estimate than the noise explains, as it is where
/// tissue changes its speed abruptly, the frame moves only part of the way. The noise is taken from
/// the median distance of the frames so far, so that results depend on earlier frames alone and on
/// the (window − 1)/2 that follow. A place on parabolas may fold where no estimate does: it doesn't
/// if the frame's own estimate doesn't (removeFolds()).
class TrajectoryFilter {
public:
    /// Throws ComputeError for a window that is even or out of range.
    explicit TrajectoryFilter(int window);

    /// Takes the motion from the first frame into the next one, on the host, on the device of
    /// ctx.cuda or on both. Returns the frames whose window is complete: the one (window − 1)/2
    /// frames before, and at the end of the first window all up to that one. Field and warped frame
    /// are those of the trajectory, and lie where all estimates of the window lie; the rest is the
    /// estimation's. `seconds` since the first frame, ascending, in any unit. Throws ComputeError
    /// for another order or grid.
    std::vector<FrameResult> add(FrameResult result, double seconds, const ExecContext& ctx);

    /// Returns the rest, whose window is the last one, and begins anew.
    std::vector<FrameResult> finish(const ExecContext& ctx);

    /// Device memory is short: what is also on the host is kept only there.
    void releaseDeviceCopies();

private:
    struct Estimate {
        FrameResult result;
        double seconds = 0;
    };
    struct Fit;

    int newest() const { return oldest_ + static_cast<int>(estimates_.size()) - 1; }
    const Estimate& estimate(int frame) const {
        return estimates_[static_cast<std::size_t>(frame - oldest_)];
    }
    FrameResult smoothed(int frame, int first, int last, const ExecContext& ctx);
    void placeOnHost(Fit& fit, FrameResult& result, const ExecContext& ctx);
    void placeOnDevice(Fit& fit, FrameResult& result, const ExecContext& ctx);
    void weaken(Fit& fit, double distance);

    const int window_;
    std::deque<Estimate> estimates_; ///< the last ones, at most a window; frame 0 is the first one
    int oldest_ = 1;                 ///< frame of the first of them
    int next_ = 1;                   ///< the next to be returned
    std::vector<double> noise_;      ///< mm in the mean, from each frame's distance so far
};

/// Weight of each sample's displacement in that of sample `at`: those of the parabola in time that
/// fits the samples best (Savitzky and Golay 1964, for any times). Exact for displacements that are
/// such a parabola. Fewer samples than it has coefficients: it has a lower degree. With `fromStart`
/// the first sample is the start, where the displacement is zero without error: the parabola begins
/// there, and the weight is 0. Times in any unit, strictly ascending; two samples or more.
std::vector<double> trajectoryWeights(std::span<const double> times, bool fromStart,
                                      std::size_t at);

} // namespace systole
