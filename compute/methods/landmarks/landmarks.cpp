#include "compute/methods/landmarks/landmarks.h"

#include "compute/core/bound_params.h"
#include "compute/core/error.h"
#include "compute/cuda/device.h"
#include "compute/cuda/workspace.h"
#include "compute/landmarks/displacement_grid_cuda.h"
#include "compute/landmarks/far_field.h"
#include "compute/landmarks/patch_alignment.h"
#include "compute/ops/frame_masks_math.h"
#include "compute/ops/pyramid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace systole {
namespace {

/// Volumes that the tracker, corners and the fit take, in sizes of the frame: at most the corners'
/// products and response, or the tracker's padded frames and the equations. See memoryEstimate().
constexpr int planesPerVoxel = 12;
/// Estimates of the tracker's memory: voxels that its two frames have more in every row, and what
/// its descriptors take, with a few threads.
constexpr int paddingPerRow = 96;
constexpr std::size_t searchBytesPerColumn = 8 * 400 * sizeof(float);
constexpr int nearSearch = 4; ///< voxels, after the first pass

struct Buffers {
    Buffers(Size3 size, const MotionInput& input, Workspace& memory) : space(memory) {
        const std::size_t n = size.voxels();
        fixed = space.add<float>("masked frame", input.fixedMask.empty() ? 0 : n);
        moving = space.add<float>("masked frame", input.movingMask.empty() ? 0 : n);
        field = space.add<float>("motion field", 3 * n);
    }
    Workspace& space;
    Workspace::Block<float> fixed, moving, field;
};

/// Pairs of points in mm along the grid's axes.
struct Pairs {
    std::vector<Vec3> from, to;
    std::vector<double> certainty;
};

/// Context of stages that are timed as a whole on the host: the kernels in them aren't listed.
ExecContext withoutKernels(ExecContext ctx) {
    ctx.profile = nullptr;
    return ctx;
}

Vec3 times(Vec3 a, Vec3 b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }

/// out = frame where the mask is 1, the mean gray value there where it is 0: what doesn't count has
/// neither corners nor anything to compare.
void flattenOutside(VolumeView<const float> frame, VolumeView<const float> mask,
                    VolumeView<float> out, const ExecContext& ctx) {
    const auto sum = [&](const auto& value) {
        return parallelSum(ctx, frame.size.z, 4, [&](int begin, int end) {
            double partial = 0;
            for (std::size_t i = frame.offset(0, 0, begin); i < frame.offset(0, 0, end); ++i)
                partial += static_cast<double>(value(i));
            return partial;
        });
    };
    const double weight = sum([&](std::size_t i) { return mask.data[i]; });
    const double gray = sum([&](std::size_t i) { return mask.data[i] * frame.data[i]; });
    const auto mean = static_cast<float>(gray / weight);
    parallelFor(ctx, frame.size.z, 4, [&](int begin, int end) {
        for (std::size_t i = frame.offset(0, 0, begin); i < frame.offset(0, 0, end); ++i)
            out.data[i] = masked(mean, frame.data[i], mask.data[i]);
    });
}

class LandmarkMotion : public MotionEstimator {
public:
    LandmarkMotion(const LandmarkMotionParameters& parameters, Backend backend)
        : p_(parameters), backend_(backend) {}

    std::size_t memoryEstimate(Size3 size, Vec3) const override {
        Workspace space;
        const Buffers buffers(size, {}, space);
        const std::size_t n = size.voxels(), corners = maxCorners(size);
        if (backend_ == Backend::Cuda)
            return deviceBytes(n, corners);
        const std::size_t rows = n / static_cast<std::size_t>(size.x);
        return space.bytes() + planesPerVoxel * BufferPool::blockBytes(sizeof(float) * n) +
               2 * BufferPool::blockBytes(sizeof(float) * rows * paddingPerRow) +
               BufferPool::blockBytes(sizeof(double) * corners * corners) +
               searchBytesPerColumn * static_cast<std::size_t>(size.x + paddingPerRow);
    }
    int reach() const override { return 1 << 20; } // every landmark moves every voxel

protected:
    MotionReport run(const MotionInput& input, FieldView<float> displacement,
                     const ExecContext& ctx) override {
        const Size3 size = input.fixed.size;
        Workspace space;
        Buffers buffers(size, input, space);
        space.acquire(*ctx.pool);
        const FieldView<float> field(space.data(buffers.field), size);
        copy(displacement, field);
        MotionInput frames = input;
        {
            const ScopedSpan span(ctx.profile, "prepare", "masks");
            flattenFrames(buffers, frames, ctx);
        }
        std::vector<Vec3> corners;
        {
            const ScopedSpan span(ctx.profile, "detect", "corners");
            corners = detect(frames, withoutKernels(ctx));
        }
        MotionReport report;
        std::size_t tracked = 0; // landmarks found in the previous pass
        for (int pass = 0; pass < p_.passes; ++pass) {
            ctx.report("motion estimation", static_cast<double>(pass) / p_.passes);
            const RobustFit fit = fitTracks(frames, corners, pass, field, ctx);
            evaluate(fit.spline, input.spacing, field, ctx);
            report = reportOf(fit, corners.size(), size, pass, smallestOf(input.spacing));
            if (ctx.iteration)
                ctx.iteration({0, report.iterations, report.energy, field});
            ctx.throwIfCancelled();
            if (fit.weights.size() == tracked)
                break; // nothing more is found
            tracked = fit.weights.size();
        }
        copy(field, displacement);
        return report;
    }

private:
    /// Features of two frames at all resolutions, or what corners take, or a field; distances of
    /// every candidate; the dense system twice, as its decomposition needs room.
    std::size_t deviceBytes(std::size_t voxels, std::size_t corners) const {
        constexpr std::size_t volumes = 24;
        const auto places = static_cast<std::size_t>(2 * p_.search + 1);
        const std::size_t candidates = places * places * places;
        return volumes * BufferPool::blockBytes(sizeof(float) * voxels) +
               2 * BufferPool::blockBytes(sizeof(double) * corners * corners) +
               BufferPool::blockBytes(sizeof(float) * corners * candidates);
    }

    /// Writes the spline's displacement. The device adds every term at every voxel, which takes it
    /// less time than a far field takes the host.
    void evaluate(const ThinPlateSpline& spline, Vec3 spacing, FieldView<float> field,
                  const ExecContext& ctx) const {
        if constexpr (cudaIsBuilt)
            if (backend_ == Backend::Cuda)
                return gpu::displacementOnGrid(spline, spacing, field, ctx);
        const ScopedSpan span(ctx.profile, "transform", "evaluation");
        displacementOnGrid(spline, spacing, p_.tolerance, field, ctx);
    }

    /// Number of corners that fit into a frame at this distance from each other (spheres packed
    /// densely, and half a distance of border).
    std::size_t maxCorners(Size3 size) const {
        double cells = std::sqrt(2.0);
        for (int axis = 0; axis < 3; ++axis)
            cells *= size[axis] / p_.distance + 1;
        return std::min(static_cast<std::size_t>(p_.number), static_cast<std::size_t>(cells));
    }

    RobustFitSettings fitSettings(double smallest) const {
        RobustFitSettings settings;
        if (!p_.validate)
            settings.kappa = p_.kappa * smallest;
        settings.reject = p_.reject;
        settings.threshold = p_.threshold;
        settings.tolerance = smallest;
        return settings;
    }

    static void flattenFrames(const Buffers& buffers, MotionInput& frames, const ExecContext& ctx) {
        const auto flatten = [&](VolumeView<const float>& frame, VolumeView<const float> mask,
                                 Workspace::Block<float> block) {
            if (mask.empty())
                return;
            const VolumeView<float> out(buffers.space.data(block), frame.size);
            flattenOutside(frame, mask, out, ctx);
            frame = out;
        };
        flatten(frames.fixed, frames.fixedMask, buffers.fixed);
        flatten(frames.moving, frames.movingMask, buffers.moving);
    }

    std::vector<Vec3> detect(const MotionInput& frames, const ExecContext& ctx) const {
        CornerSettings settings;
        settings.number = p_.number;
        settings.spacing = p_.distance * smallestOf(frames.spacing);
        settings.minResponse = p_.response;
        // Corners that may lie close together must not be smoothed into one.
        settings.tensorSigma = std::clamp(p_.distance / 2.5, 1.0, 2.0) * smallestOf(frames.spacing);
        std::vector<Vec3> corners;
        for (const Corner& corner :
             findCorners(frames.fixed, frames.spacing, frames.fixedMask, settings, ctx))
            corners.push_back({static_cast<double>(corner.voxel.x),
                               static_cast<double>(corner.voxel.y),
                               static_cast<double>(corner.voxel.z)});
        return corners;
    }

    RobustFit fitTracks(const MotionInput& frames, const std::vector<Vec3>& corners, int pass,
                        FieldView<const float> start, const ExecContext& ctx) const {
        Pairs pairs;
        {
            const ScopedSpan span(ctx.profile, "track", "tracking");
            pairs = track(frames, corners, pass, start, withoutKernels(ctx));
        }
        if (pairs.from.size() < 4)
            throw TooFewLandmarks(fmt::format(
                "only {} of {} corners of the fixed frame were found again in the moving one; a "
                "motion through landmarks needs at least 4",
                pairs.from.size(), corners.size()));
        const ScopedSpan span(ctx.profile, "fit", "robust fit");
        return fitRobustly(pairs.from, pairs.to, pairs.certainty,
                           fitSettings(smallestOf(frames.spacing)), withoutKernels(ctx));
    }

    /// Where `start` says that the corners go, they are searched. After the first pass they are
    /// near it, and one resolution is enough.
    Pairs track(const MotionInput& frames, const std::vector<Vec3>& corners, int pass,
                FieldView<const float> start, const ExecContext& ctx) const {
        const Size3 size = frames.fixed.size;
        TrackerSettings settings;
        settings.levels = pass == 0 ? p_.levels : 1;
        const double smallest = smallestOf(frames.spacing);
        settings.patchRadius = radiusInVoxels(p_.patch * smallest, frames.spacing);
        const int search = pass == 0 ? p_.search : std::min(p_.search, nearSearch);
        settings.searchRadius = {search, search, search};
        settings.outliers = p_.outliers;
        LandmarkTracker tracker(size, frames.spacing, frames.scale, settings, ctx);
        tracker.start(frames.fixed, corners, ctx);
        std::vector<Vec3> expected(corners);
        for (Vec3& place : expected) {
            const TrilinearSample sample(size, static_cast<float>(place.x),
                                         static_cast<float>(place.y), static_cast<float>(place.z));
            for (int axis = 0; axis < 3; ++axis)
                place[axis] += static_cast<double>(sample.of(start.component(axis)));
        }
        tracker.expect(expected);
        const TrackStep step = tracker.advance(frames.moving, ctx);
        std::vector<Vec3> found, displacements;
        std::vector<double> certainty;
        for (std::size_t i = 0; i < corners.size(); ++i) {
            const TrackedPoint& point = step.points[i];
            if (point.fate != TrackFate::Tracked)
                continue;
            found.push_back(corners[i]);
            displacements.push_back(point.position - corners[i]);
            // None counts less than a tenth of the surest.
            certainty.push_back(std::max(0.1, static_cast<double>(point.certainty)));
        }
        alignPatches(frames.fixed, frames.moving, found, {.radius = settings.patchRadius},
                     displacements, ctx);
        Pairs pairs;
        for (std::size_t i = 0; i < found.size(); ++i) {
            Vec3 to = found[i] + displacements[i];
            const TrilinearSample sample(size, static_cast<float>(to.x), static_cast<float>(to.y),
                                         static_cast<float>(to.z));
            if (!frames.movingMask.empty() && !(sample.of(frames.movingMask.data) > 0.5f))
                continue;
            pairs.from.push_back(times(found[i], frames.spacing));
            pairs.to.push_back(times(to, frames.spacing));
            pairs.certainty.push_back(certainty[i]);
        }
        return pairs;
    }

    static MotionReport reportOf(const RobustFit& fit, std::size_t corners, Size3 size, int pass,
                                 double smallest) {
        MotionReport::Level level;
        level.size = size;
        level.iterations = pass + 1;
        level.energy = std::isfinite(fit.validationError) ? fit.validationError / smallest : 0;
        level.figures = {{"corners", static_cast<double>(corners), ""},
                         {"tracked", static_cast<double>(fit.weights.size()), ""},
                         {"rejected", static_cast<double>(fit.rejected), ""},
                         {"relaxation", fit.kappa / smallest, "voxel"},
                         {"cross-validated error", level.energy, "voxel"}};
        MotionReport report;
        report.levels.push_back(level);
        report.finish();
        return report;
    }

    LandmarkMotionParameters p_;
    Backend backend_;
};

const BoundTable<LandmarkMotionParameters>& landmarksTable() {
    static const BoundTable<LandmarkMotionParameters> all = [] {
        using P = LandmarkMotionParameters;
        BoundTable<P> rows;
        rows.integer(&P::number, "number", 1000, 4, 20000, "", "Maximum number of corners.")
            .usually(4, 5000)
            .titled("landmarks");
        rows.real(&P::distance, "distance", 5, 1, 100, "voxel",
                  "Minimum distance between two corners, in smallest voxel spacings.")
            .titled("landmark distance");
        rows.real(&P::response, "response", 0.01, 0, 1, "",
                  "Minimum strength of a corner, as a fraction of the strongest one's.")
            .titled("corner strength");
        rows.integer(&P::passes, "passes", 3, 1, 10, "",
                     "Maximum number of searches; each starts from the motion that the one before "
                     "found.");
        rows.integer(&P::levels, "levels", 3, 1, 8, "",
                     "Resolutions of the first search, each half the next.")
            .titled("search levels");
        rows.integer(&P::search, "search", 6, 1, 40, "voxel",
                     "Half the searched region, in voxels of the coarsest resolution.")
            .titled("searched region");
        rows.integer(&P::patch, "patch", 5, 1, 15, "voxel", "Half the patch that is compared.")
            .titled("compared patch");
        rows.choice(&P::outliers, "outliers",
                    outlierTests[static_cast<int>(OutlierTest::Neighbors)],
                    {std::begin(outlierTests), std::end(outlierTests)},
                    "Which matches to reject before the fit: those that contradict their "
                    "neighbors', those that move with too few others (spectral matching: whole "
                    "groups of wrong matches too), both, or none.");
        rows.onOff(&P::reject, "reject", true,
                   "Reject landmarks that contradict what the fit predicts without them.");
        rows.real(&P::threshold, "threshold", 5, 1, 50, "",
                  "Standard deviations by which a landmark may miss its prediction.")
            .titled("outlier threshold");
        rows.onOff(&P::validate, "validate", true,
                   "Choose the relaxation kappa by cross-validation.")
            .titled("choose relaxation");
        rows.real(&P::kappa, "kappa", 1, 0, 1e6, "voxel",
                  "Relaxation of the thin-plate spline without --validate; 0: through every "
                  "landmark.")
            .usually(0, 100)
            .titled("relaxation");
        rows.real(&P::tolerance, "far-field", 0.02, 0, 1, "voxel",
                  "Error bound for interpolating distant terms; 0: no term is interpolated.")
            .titled("evaluation tolerance");
        rows.addPreset("default", {});
        rows.addPreset("many", {{"number", 4000}, {"distance", 3.0}});
        return rows;
    }();
    return all;
}

} // namespace

LandmarkMotionParameters LandmarkMotionParameters::from(const ParamSet& values) {
    return landmarksTable().from(values);
}

MotionMethod landmarksMethod() {
    return {.name = "landmarks",
            .title = "Landmarks and thin-plate spline",
            .summary =
                "A spline through corners that are found again: for large motion, alone or as "
                "the start of another method (refine).",
            .parameters = &landmarksTable().table(),
            .backends = {Backend::Cpu, Backend::Cuda},
            .stages = {"prepare", "detect", "track", "fit", "transform"},
            .make = makeLandmarks};
}

std::unique_ptr<MotionEstimator> makeLandmarks(const ParamSet& values, Backend backend) {
    if (backend == Backend::CpuReference)
        throw ComputeError("landmarks has no reference implementation");
    return std::make_unique<LandmarkMotion>(LandmarkMotionParameters::from(values), backend);
}

} // namespace systole
