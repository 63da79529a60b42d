// Landmarks followed from frame to frame by SEST descriptors (compute/landmarks/sest.h): search
// from coarse to fine, sub-voxel positions, and tests that a point must pass to count as
// tracked.
//
// A track of two frames, for a registration:
//
//     LandmarkTracker tracker(size, spacing, scale, settings, ctx);
//     tracker.start(fixed, points, ctx);
//     for (const TrackedPoint& point : tracker.advance(moving, ctx).points)
//         if (point.fate == TrackFate::Tracked)
//             ... // points[i] of the fixed frame lies at point.position in the moving one
#pragma once

#include "compute/core/exec.h"
#include "compute/core/motion_estimator.h"
#include "compute/core/volume.h"
#include "compute/landmarks/sest.h"

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace systole {

/// Result of tracking a point in a frame.
enum class TrackFate : unsigned char {
    Tracked,
    Outside,      ///< no candidate lies in the frame
    AtRegionEdge, ///< the best candidate lies at the edge of the searched region: it may move more
    Ambiguous,    ///< another place fits nearly as well, or there is no contrast
    Inconsistent, ///< tracked back it ends elsewhere
    Disagrees,    ///< its displacement contradicts that of its neighbors
    Incoherent,   ///< it moves with too few others (compute/landmarks/spectral_matching.h)
};
inline constexpr int trackFates = 7;
const char* name(TrackFate fate);  ///< "tracked", "outside", "at-region-edge" …
const char* title(TrackFate fate); ///< a few words for people

/// Which frame a point's descriptor is taken from.
enum class TrackFrom : unsigned char {
    Reference, ///< the first frame: no drift; a point that was lost may be found again
    Previous,  ///< the frame before: follows changes of gray value; what is lost stays lost
};

/// Which displacements are rejected for those of other points.
enum class OutlierTest : unsigned char {
    Neighbors, ///< that contradict their neighbors' (compute/landmarks/agreement.h)
    Spectral,  ///< that hang together with too few others (compute/landmarks/spectral_matching.h)
    Both,      ///< first by neighbors, then what is left by the spectrum
    None,
};
inline constexpr const char* outlierTests[] = {"neighbors", "spectral", "both", "none"};
/// The test of that name. Throws ComputeError for any other.
OutlierTest outlierTestNamed(std::string_view name);

inline constexpr int largestPatchRadius = 15, largestSearchRadius = 100; ///< voxels
/// Max points, which need about 1 GiB.
inline constexpr int maxTrackedPoints = 100000;

struct TrackerSettings {
    TrackFrom from = TrackFrom::Reference;
    /// Half-widths of patch and searched region, in voxels of the finest level. 25×13×17 places of
    /// patches of 11×11×9 are the paper's. The region lies around the last known displacement.
    Size3 patchRadius = sest::patchRadius;
    Size3 searchRadius = sest::searchRadius;
    /// Resolutions. With more than one the region is searched at the coarsest, and each finer one
    /// searches ±refineRadius voxels around what was found.
    int levels = 1;
    int refineRadius = 2;
    /// Track back and compare: the tolerance in smallest voxel spacings; 0: not done.
    double backwardTolerance = 1.5;
    /// Largest ratio of the best distance to the best one elsewhere, 2 voxels away or more.
    double greatestRatio = 0.95;
    OutlierTest outliers = OutlierTest::Neighbors;
};

/// Lengths in mm as half-widths in voxels, at least 1.
Size3 radiusInVoxels(double millimeters, Vec3 spacing);

struct TrackedPoint {
    /// Position in voxels of the frame; if it isn't tracked, where it was tracked last.
    Vec3 position;
    TrackFate fate = TrackFate::Tracked;
    /// 0 … 1: (1 − ratio of distances) · exp(−½ (backward error / tolerance)²), 0 if not tracked.
    float certainty = 1;
    float ratio = 0;         ///< best distance to the best elsewhere; 0 … 1
    float backwardError = 0; ///< mm; 0 if not measured
};

/// Points of the frame last given, in the order given to start().
struct TrackStep {
    std::span<const TrackedPoint> points; ///< valid until the next call of the tracker
    std::array<int, trackFates> counts{}; ///< points by fate
    int tracked() const { return counts[0]; }
};

/// Frames are host memory of one size, and needed only during the call. The tracker keeps two of
/// them at all resolutions, in memory of ctx.pool, and reuses all memory frame by frame. Results
/// have the same bits for any number of threads. Where the backend of the contexts is CUDA, the
/// same in every call, descriptors and searches are made on the device.
class LandmarkTracker {
public:
    /// `scale` maps gray values to 0 … 255, the same for all frames. Throws ComputeError for
    /// settings without meaning.
    LandmarkTracker(Size3 size, Vec3 spacing, IntensityScale scale, const TrackerSettings& settings,
                    const ExecContext& ctx);
    ~LandmarkTracker();
    LandmarkTracker(LandmarkTracker&&) noexcept;
    LandmarkTracker& operator=(LandmarkTracker&&) noexcept;

    /// Begins anew with points of this frame, in voxels. Throws ComputeError for a frame of another
    /// size, for a point outside the frame and for more than maxTrackedPoints. Points may
    /// coincide, and there may be none.
    void start(VolumeView<const float> frame, std::span<const Vec3> points, const ExecContext& ctx);

    /// The next search begins at these places, in voxels of the next frame, one for each point;
    /// without it, where each point was seen last. For TrackFrom::Reference, after start(). Throws
    /// ComputeError for another number of places.
    void expect(std::span<const Vec3> places);

    /// Finds the points in the next frame. Throws ComputeError for a frame of another size and
    /// before start(). After Cancelled the tracker must be started anew.
    TrackStep advance(VolumeView<const float> frame, const ExecContext& ctx);

    const TrackerSettings& settings() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace systole
