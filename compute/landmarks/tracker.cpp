#include "compute/landmarks/tracker.h"

#include "compute/core/error.h"
#include "compute/landmarks/agreement.h"
#include "compute/landmarks/descriptor_shift.h"
#include "compute/landmarks/follow.h"
#include "compute/landmarks/spectral_matching.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace systole {
namespace {

static_assert(largestPatchRadius == sest::greatestPatchRadius);

/// More than are compared with, so that some may be lost.
constexpr int neighborsKept = 24;

void check(const TrackerSettings& settings) {
    const auto require = [](bool holds, const char* what) {
        if (!holds)
            throw ComputeError(std::string("landmark tracking: ") + what);
    };
    for (int axis = 0; axis < 3; ++axis) {
        require(settings.patchRadius[axis] >= 1 && settings.patchRadius[axis] <= largestPatchRadius,
                "half the patch must be 1 to 15 voxels");
        require(settings.searchRadius[axis] >= 0 &&
                    settings.searchRadius[axis] <= largestSearchRadius,
                "half the searched region must be 0 to 100 voxels");
    }
    require(settings.levels >= 1 && settings.levels <= 8, "the levels must be 1 to 8");
    require(settings.refineRadius >= 1 && settings.refineRadius <= 8,
            "the refinement must be 1 to 8 voxels");
    require(settings.backwardTolerance >= 0 && std::isfinite(settings.backwardTolerance),
            "the backward tolerance must not be negative");
    require(settings.greatestRatio > 0 && settings.greatestRatio <= 1,
            "the greatest ratio of distances must lie between 0 and 1");
}

Vec3 scaled(Vec3 voxels, Vec3 spacing) {
    return {voxels.x * spacing.x, voxels.y * spacing.y, voxels.z * spacing.z};
}

bool insideGrid(Vec3 p, Size3 size) {
    for (int axis = 0; axis < 3; ++axis)
        if (!(p[axis] >= -0.5 && p[axis] <= size[axis] - 0.5))
            return false;
    return true;
}

Voxel nearestVoxel(Vec3 p, Size3 size) {
    const auto nearest = [](double x, int n) {
        return clampedIndex(static_cast<int>(std::lround(x)), n);
    };
    return {nearest(p.x, size.x), nearest(p.y, size.y), nearest(p.z, size.z)};
}

std::string textOf(Size3 size) {
    return std::to_string(size.x) + "×" + std::to_string(size.y) + "×" + std::to_string(size.z);
}

struct FateNames {
    const char *name, *title;
};
constexpr FateNames fateNames[trackFates] = {
    {"tracked", "tracked"},
    {"outside", "outside the frame"},
    {"at-region-edge", "at the edge of the searched region"},
    {"ambiguous", "ambiguous"},
    {"inconsistent", "not found back"},
    {"disagrees", "against the neighbors"},
    {"incoherent", "moving with too few others"},
};

} // namespace

const char* name(TrackFate fate) { return fateNames[static_cast<int>(fate)].name; }
const char* title(TrackFate fate) { return fateNames[static_cast<int>(fate)].title; }

OutlierTest outlierTestNamed(std::string_view name) {
    for (std::size_t i = 0; i < std::size(outlierTests); ++i)
        if (name == outlierTests[i])
            return static_cast<OutlierTest>(i);
    throw ComputeError("landmark tracking: there is no test of outliers named '" +
                       std::string(name) + "'; there are neighbors, spectral, both and none");
}

Size3 radiusInVoxels(double millimeters, Vec3 spacing) {
    const auto along = [&](double step) {
        return static_cast<int>(std::clamp(std::ceil(millimeters / step), 1.0, 1e6));
    };
    return {along(spacing.x), along(spacing.y), along(spacing.z)};
}

struct LandmarkTracker::Impl {
    using Descriptors = std::vector<std::vector<float>>;

    Impl(Size3 extent, Vec3 millimeters, IntensityScale scale, const TrackerSettings& chosen,
         const ExecContext& ctx)
        : size(extent)
        , spacing(millimeters)
        , gray(grayMapping(scale))
        , settings(chosen)
        , follower(pyramidLevels(extent, millimeters, chosen.levels),
                   {chosen.patchRadius, chosen.searchRadius, chosen.refineRadius})
        , source(follower.levels(), ctx)
        , target(follower.levels(), ctx) {}

    double tolerance() const {
        return settings.backwardTolerance * std::min({spacing.x, spacing.y, spacing.z});
    }
    void requireSize(VolumeView<const float> frame) const {
        if (frame.size != size || frame.empty())
            throw ComputeError("landmark tracking: a frame of " + textOf(frame.size) +
                               " voxels, expected " + textOf(size));
    }
    bool followed(std::size_t point) const {
        return settings.from == TrackFrom::Reference || points[point].fate == TrackFate::Tracked;
    }

    std::size_t levels() const { return follower.levels().size(); }
    void forward(const ExecContext& ctx);
    void refine(const ExecContext& ctx);
    void backward(const ExecContext& ctx);
    void judge(const ExecContext& ctx);
    void rejectOutliers(const ExecContext& ctx);
    void makeSource(const ExecContext& ctx);

    Size3 size;
    Vec3 spacing;
    GrayMapping gray;
    TrackerSettings settings;
    sest::Follower follower;
    sest::FrameLevels source, target;
    bool started = false;

    std::vector<Vec3> origins; ///< where the points were chosen, mm along the grid's axes
    NeighborTable neighbors;
    std::vector<TrackedPoint> points;
    sest::DescriptorShifts shifts; ///< slopes of the points' descriptors in the first frame
    std::vector<Vec3> starts;      ///< place of each point in the source frame
    Descriptors own, moved;        ///< descriptors of the followed points; scratch

    // Results of one step, for the points that are followed in it.
    std::vector<int> active;
    std::vector<Vec3> from, reached;
    std::vector<sest::Followed> found, back;
    std::vector<std::size_t> seen;   ///< places in `active` of points seen in this frame
    Descriptors seenAs;              ///< descriptors of `seen` in this frame
    std::vector<Vec3> displacements; ///< displacement of each point, mm
    std::vector<unsigned char> counts, agrees;
};

LandmarkTracker::LandmarkTracker(Size3 size, Vec3 spacing, IntensityScale scale,
                                 const TrackerSettings& settings, const ExecContext& ctx) {
    check(settings);
    if (!(scale.high > scale.low) || !std::isfinite(scale.high - scale.low))
        throw ComputeError("landmark tracking: the frames have no contrast");
    impl_ = std::make_unique<Impl>(size, spacing, scale, settings, ctx);
}
LandmarkTracker::~LandmarkTracker() = default;
LandmarkTracker::LandmarkTracker(LandmarkTracker&&) noexcept = default;
LandmarkTracker& LandmarkTracker::operator=(LandmarkTracker&&) noexcept = default;

const TrackerSettings& LandmarkTracker::settings() const { return impl_->settings; }

void LandmarkTracker::start(VolumeView<const float> frame, std::span<const Vec3> points,
                            const ExecContext& ctx) {
    Impl& state = *impl_;
    state.requireSize(frame);
    state.started = false;
    if (points.size() > maxTrackedPoints)
        throw ComputeError("landmark tracking: " + std::to_string(points.size()) +
                           " points, expected at most " + std::to_string(maxTrackedPoints));
    for (std::size_t i = 0; i < points.size(); ++i)
        if (!insideGrid(points[i], state.size))
            throw ComputeError("landmark " + std::to_string(i + 1) + " lies outside the frame of " +
                               textOf(state.size) + " voxels");
    state.source.assign(frame, state.gray, ctx);
    state.points.assign(points.size(), {});
    state.origins.clear();
    state.starts.assign(points.begin(), points.end());
    for (std::size_t i = 0; i < points.size(); ++i) {
        state.points[i].position = points[i];
        state.origins.push_back(scaled(points[i], state.spacing));
    }
    state.displacements.assign(points.size(), {});
    if (state.settings.outliers != OutlierTest::None)
        state.neighbors = nearestNeighbors(state.origins, neighborsKept, ctx);
    state.follower.describe(state.source, points, state.levels(), state.own, ctx);
    std::vector<Voxel> places;
    for (const Vec3& point : points)
        places.push_back(nearestVoxel(point, state.size));
    state.shifts.prepare(state.source, state.settings.patchRadius, places, ctx);
    state.started = true;
}

void LandmarkTracker::expect(std::span<const Vec3> places) {
    if (places.size() != impl_->points.size())
        throw ComputeError("landmark tracking: " + std::to_string(places.size()) +
                           " places to expect " + std::to_string(impl_->points.size()) +
                           " points at");
    for (std::size_t i = 0; i < places.size(); ++i)
        impl_->points[i].position = places[i];
}

/// Searches the points that are followed, from `starts`.
void LandmarkTracker::Impl::forward(const ExecContext& ctx) {
    active.clear();
    from.clear();
    found.clear();
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!followed(i))
            continue;
        active.push_back(static_cast<int>(i));
        from.push_back(starts[i]);
        found.push_back({});
        if (settings.from == TrackFrom::Reference) // where it was seen last
            found.back().displacement = points[i].position - starts[i];
    }
    follower.find(target, from, own, found, ctx);
    for (std::size_t a = 0; a < active.size(); ++a) {
        TrackedPoint& point = points[static_cast<std::size_t>(active[a])];
        point.ratio = found[a].ratio;
        point.backwardError = 0;
        point.certainty = 0;
        point.fate = !found[a].found                            ? TrackFate::Outside
                     : !(point.ratio <= settings.greatestRatio) ? TrackFate::Ambiguous
                     : found[a].atEdge                          ? TrackFate::AtRegionEdge
                                                                : TrackFate::Tracked;
    }
}

/// Places below a voxel, from the descriptors of the voxels found.
void LandmarkTracker::Impl::refine(const ExecContext& ctx) {
    seen.clear();
    reached.clear();
    for (std::size_t a = 0; a < active.size(); ++a) {
        if (points[static_cast<std::size_t>(active[a])].fate != TrackFate::Tracked)
            continue;
        seen.push_back(a);
        const Voxel to = found[a].to;
        reached.push_back({double(to.x), double(to.y), double(to.z)});
    }
    const bool coarseToo = settings.backwardTolerance > 0 || settings.from == TrackFrom::Previous;
    follower.describe(target, reached, coarseToo ? levels() : 1, seenAs, ctx);
    for (std::size_t s = 0; s < seen.size(); ++s) {
        const std::size_t a = seen[s];
        sest::Followed& place = found[a];
        if (const auto shift =
                shifts.shift(static_cast<std::size_t>(active[a]), own[0].data() + a * sest::numbers,
                             seenAs[0].data() + s * sest::numbers))
            place.displacement =
                Vec3{double(place.to.x - place.from.x), double(place.to.y - place.from.y),
                     double(place.to.z - place.from.z)} +
                *shift;
        if (!insideGrid(from[a] + place.displacement, size))
            points[static_cast<std::size_t>(active[a])].fate = TrackFate::Outside;
    }
}

/// Searches what was found in the source frame again.
void LandmarkTracker::Impl::backward(const ExecContext& ctx) {
    back.clear();
    for (const std::size_t a : seen) {
        back.push_back({});
        back.back().displacement = -1 * found[a].displacement;
    }
    follower.find(source, reached, seenAs, back, ctx);
    for (std::size_t s = 0; s < seen.size(); ++s) {
        const std::size_t a = seen[s];
        TrackedPoint& point = points[static_cast<std::size_t>(active[a])];
        const Vec3 miss = found[a].displacement + back[s].displacement;
        const double error = length(scaled(miss, spacing));
        point.backwardError = static_cast<float>(error);
        if (point.fate == TrackFate::Tracked && (!back[s].found || !(error <= tolerance())))
            point.fate = TrackFate::Inconsistent;
    }
}

/// Sets the fates of points that `counts` has, by the tests chosen.
void LandmarkTracker::Impl::rejectOutliers(const ExecContext& ctx) {
    const double smallest = std::min({spacing.x, spacing.y, spacing.z});
    const auto reject = [&](TrackFate fate) {
        for (std::size_t i = 0; i < points.size(); ++i)
            if (counts[i] && !agrees[i])
                points[i].fate = fate;
        counts = agrees;
    };
    agrees.resize(points.size());
    if (settings.outliers == OutlierTest::Neighbors || settings.outliers == OutlierTest::Both) {
        AgreementSettings agreement;
        agreement.tolerance = smallest;
        judgeAgreement(origins, displacements, counts, neighbors, agreement, agrees, ctx);
        reject(TrackFate::Disagrees);
    }
    if (settings.outliers == OutlierTest::Spectral || settings.outliers == OutlierTest::Both) {
        SpectralSettings spectral;
        spectral.noise = smallest;
        judgeSpectrally(origins, displacements, counts, neighbors, spectral, agrees, ctx);
        reject(TrackFate::Incoherent);
    }
}

/// Compares the displacements left with each other, and moves the points that are tracked.
void LandmarkTracker::Impl::judge(const ExecContext& ctx) {
    counts.assign(points.size(), 0);
    for (std::size_t a = 0; a < active.size(); ++a) {
        const auto i = static_cast<std::size_t>(active[a]);
        counts[i] = points[i].fate == TrackFate::Tracked;
        displacements[i] = scaled(found[a].displacement, spacing);
    }
    rejectOutliers(ctx);
    for (std::size_t a = 0; a < active.size(); ++a) {
        const auto i = static_cast<std::size_t>(active[a]);
        TrackedPoint& point = points[i];
        if (point.fate != TrackFate::Tracked)
            continue;
        point.position = from[a] + found[a].displacement;
        const double missed =
            settings.backwardTolerance > 0 ? double{point.backwardError} / tolerance() : 0;
        point.certainty =
            static_cast<float>((1 - double{point.ratio}) * std::exp(-0.5 * missed * missed));
    }
}

/// Points that were seen in this frame are searched in the next. Where a point's nearest voxel is
/// the one that was found, its descriptor is there.
void LandmarkTracker::Impl::makeSource(const ExecContext& ctx) {
    std::swap(source, target);
    std::vector<std::size_t> kept, elsewhere; // places in `seen`; places in `kept`
    std::vector<Vec3> places;
    for (std::size_t s = 0; s < seen.size(); ++s) {
        const auto i = static_cast<std::size_t>(active[seen[s]]);
        if (points[i].fate != TrackFate::Tracked)
            continue;
        starts[i] = points[i].position;
        if (levels() > 1 || nearestVoxel(starts[i], size) != found[seen[s]].to) {
            elsewhere.push_back(kept.size());
            places.push_back(starts[i]);
        }
        kept.push_back(s);
    }
    follower.describe(source, places, levels(), moved, ctx);
    const auto copyOne = [](const std::vector<float>& from, std::size_t at, std::vector<float>& to,
                            std::size_t where) {
        std::copy_n(from.data() + at * sest::numbers, sest::numbers,
                    to.data() + where * sest::numbers);
    };
    for (std::size_t level = 0; level < levels(); ++level) {
        own[level].resize(kept.size() * sest::numbers);
        for (std::size_t k = 0; k < kept.size(); ++k)
            copyOne(seenAs[level], kept[k], own[level], k);
        for (std::size_t e = 0; e < elsewhere.size(); ++e)
            copyOne(moved[level], e, own[level], elsewhere[e]);
    }
}

TrackStep LandmarkTracker::advance(VolumeView<const float> frame, const ExecContext& ctx) {
    Impl& state = *impl_;
    if (!state.started)
        throw ComputeError("landmark tracking: a frame to track in before the one to start from");
    state.requireSize(frame);
    state.started = false; // stays false if this step fails
    state.target.assign(frame, state.gray, ctx);
    state.forward(ctx);
    state.refine(ctx);
    if (state.settings.backwardTolerance > 0)
        state.backward(ctx);
    state.judge(ctx);
    if (state.settings.from == TrackFrom::Previous)
        state.makeSource(ctx);
    state.started = true;
    TrackStep step{state.points, {}};
    for (const TrackedPoint& point : state.points)
        ++step.counts[static_cast<std::size_t>(point.fate)];
    return step;
}

} // namespace systole
