// Landmarks: the exact thin-plate spline, the search and whole steps of the tracker, on the bundled
// sequence and on a breathing lung with known motion, on CPU and device; on the CPU detection, and
// the search by the paper's kernel against that with work shared.
#include "app/base/assets.h"
#include "bench/benchmarks.h"
#include "bench/device_bench.h"
#include "bench/timing.h"
#include "compute/core/random.h"
#include "compute/cuda/dense_solver.h"
#include "compute/lab/kernels/sest.h"
#include "compute/lab/kernels/thin_plate.h"
#include "compute/landmarks/corners.h"
#include "compute/landmarks/tracker.h"
#include "compute/motion/methods.h"
#include "compute/motion/sequence_driver.h"
#include "io/phantom/lungs.h"
#include "io/source.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace systole {
namespace {

constexpr double budgetSeconds = 3; ///< time budget of the repeats of one figure
constexpr int manyPoints = 1000;
constexpr int plainPoints = 16; ///< few, as the paper's kernel takes milliseconds per point

std::vector<Volume> framesOf(const Sequence& sequence, int count, const ExecContext& ctx) {
    std::vector<Volume> frames;
    for (int t = 0; t < std::min(count, sequence.frames); ++t) {
        frames.emplace_back(sequence.geometry, *ctx.pool, "benchmark frame");
        sequence.source->read(t, frames.back().view());
    }
    return frames;
}

std::vector<Corner> detect(const Volume& frame, VolumeView<const float> mask, int repeats,
                           const ExecContext& ctx, Json& record) {
    CornerSettings settings;
    settings.number = manyPoints;
    std::vector<Corner> corners;
    const double seconds = medianSeconds(repeats, budgetSeconds, [&] {
        corners = findCorners(frame.view(), frame.geometry.spacing(), mask, settings, ctx);
    });
    fmt::print("    detection: {} points, {:.1f} ms\n", corners.size(), 1e3 * seconds);
    record["detection"] = {{"points", corners.size()}, {"seconds", seconds}};
    return corners;
}

/// All distances of the paper's region: every candidate on its own, and with work shared.
void compareSearches(const Volume& frame, const std::vector<Corner>& corners, int repeats,
                     const ExecContext& ctx, Json& record) {
    const Size3 size = frame.geometry.size();
    std::vector<Voxel> places;
    for (const Corner& corner : corners)
        places.push_back(corner.voxel);
    const std::span<const Voxel> few =
        std::span(places).first(std::min<std::size_t>(plainPoints, places.size()));
    std::vector<float> planes(sest::features * size.voxels()),
        descriptors(sest::numbers * places.size()), distances(sest::candidates * places.size());
    sest::findFeatures(frame.view(), planes.data(), ctx);
    sest::describe({planes.data(), size}, few, descriptors.data(), ctx);
    const double plain = secondsOf([&] {
        sest::findDistances({planes.data(), size}, few, descriptors.data(), distances.data(), ctx);
    });
    sest::PaddedFrame padded(size, *ctx.pool);
    padded.assign(frame.view(), ctx);
    sest::describePlaces(padded, sest::patchRadius, places, descriptors.data(), ctx);
    const double shared = medianSeconds(repeats, budgetSeconds, [&] {
        sest::findSquaredDistances(padded, {}, places, descriptors.data(), distances.data(), ctx);
    });
    const double plainRate = static_cast<double>(few.size()) / plain,
                 sharedRate = static_cast<double>(places.size()) / shared;
    fmt::print("    25×13×17 places: plain {:.0f} points/s, work shared {:.0f} points/s "
               "({:.0f}×)\n",
               plainRate, sharedRate, sharedRate / plainRate);
    record["paper_region"] = {{"plain_points_per_second", plainRate},
                              {"shared_points_per_second", sharedRate}};
}

struct TrackCase {
    const char* name;
    TrackerSettings settings;
};

/// The frames and the corners to track.
struct Film {
    const std::vector<Volume>& frames;
    IntensityScale scale;
    const std::vector<Corner>& corners;
    double frameSeconds = 0; ///< time per frame, the limit of a step to keep up; 0: unknown
};

/// Whole steps of the tracker on the backend of the context. `errorOf` gives the mean error in mm
/// of the last frame, NaN if it isn't known.
void trackOn(const ExecContext& ctx, const TrackCase& which, const Film& film, const auto& errorOf,
             Json& record) {
    const auto& [frames, scale, corners, frameSeconds] = film;
    const Geometry& geometry = frames.front().geometry;
    std::vector<Vec3> points;
    for (const Corner& corner : corners)
        points.push_back({double(corner.voxel.x), double(corner.voxel.y), double(corner.voxel.z)});
    LandmarkTracker tracker(geometry.size(), geometry.spacing(), scale, which.settings, ctx);
    tracker.start(frames.front().view(), points, ctx);
    std::vector<double> seconds, worked;
    TrackStep step;
    for (std::size_t t = 1; t < frames.size(); ++t) {
        const BenchClock::time_point begin = BenchClock::now();
        const double before = processorSeconds();
        step = tracker.advance(frames[t].view(), ctx);
        worked.push_back((processorSeconds() - before) / ctx.threads->threads());
        seconds.push_back(secondsSince(begin));
    }
    const double middle = median(seconds), work = median(worked), error = errorOf(points, step);
    fmt::print(
        "    {:<4} {:<32} {:>7.1f} ms a frame, {:.1f} of work a thread; {:.0f} points/s; {} of {} "
        "tracked{}{}\n",
        name(ctx.backend), which.name, 1e3 * middle, 1e3 * work,
        static_cast<double>(points.size()) / middle, step.tracked(), points.size(),
        frameSeconds > 0 ? fmt::format("; {:.2f} ({:.2f}) of a frame's time", middle / frameSeconds,
                                       work / frameSeconds)
                         : "",
        std::isfinite(error) ? fmt::format("; mean error {:.2f} mm", error) : "");
    Json& entry = record["steps"][which.name];
    entry = {{"seconds", middle},
             {"work_seconds_per_thread", work},
             {"points", points.size()},
             {"tracked", step.tracked()}};
    if (frameSeconds > 0)
        entry["frame_seconds"] = frameSeconds;
    if (std::isfinite(error))
        entry["mean_error_mm"] = error;
}

/// Tracks on the CPU, and on the device if there is one.
void track(const TrackCase& which, const Film& film, const auto& errorOf, BenchDevice* device,
           const ExecContext& ctx, Json& record) {
    trackOn(ctx, which, film, errorOf, record);
    if (device)
        trackOn(contextOn(*device, ctx), which, film, errorOf, record["device"]);
}

TrackerSettings settingsWith(TrackFrom from, Size3 search, int levels, double backward) {
    TrackerSettings settings;
    settings.from = from;
    settings.searchRadius = search;
    settings.levels = levels;
    settings.backwardTolerance = backward;
    return settings;
}

void benchDemo(const BenchOptions& options, BenchDevice* device, const ExecContext& ctx,
               Json& record) {
    const Sequence sequence = openSequence({assetPath(demoSequenceName).string()});
    const std::vector<Volume> frames = framesOf(sequence, sequence.frames, ctx);
    const Size3 size = sequence.geometry.size();
    fmt::print("  {}, {}×{}×{} voxels, {:.1f} frames a second\n", sequence.name, size.x, size.y,
               size.z, 1 / sequence.secondsToNext(0));
    const std::vector<Corner> corners = detect(frames[0], {}, options.repeats, ctx, record);
    compareSearches(frames[1], corners, options.repeats, ctx, record);
    const TrackFrom previous = TrackFrom::Previous, reference = TrackFrom::Reference;
    const TrackCase cases[] = {
        {"live: previous frame, ±2, forward", settingsWith(previous, {2, 2, 2}, 1, 0)},
        {"previous frame, ±3, forward", settingsWith(previous, {3, 3, 3}, 1, 0)},
        {"previous frame, ±3, and back", settingsWith(previous, {3, 3, 3}, 1, 1.5)},
        {"reference, ±3, and back", settingsWith(reference, {3, 3, 3}, 1, 1.5)},
        {"reference, ±12,6,8, and back", settingsWith(reference, sest::searchRadius, 1, 1.5)},
    };
    for (const TrackCase& which : cases) {
        ctx.throwIfCancelled();
        const Film film{frames, intensityScale(sequence, ctx), corners, sequence.secondsToNext(0)};
        track(
            which, film, [](const auto&, const TrackStep&) { return NAN; }, device, ctx, record);
    }
}

/// Breathed in to breathed out, 25 mm, on a cube.
void benchLung(int side, const BenchOptions& options, BenchDevice* device, const ExecContext& ctx,
               Json& record) {
    LungOptions lung;
    const double spacing = 256.0 / side;
    lung.grid = Geometry({side, side, side}, {spacing, spacing, spacing});
    lung.seed = options.seed;
    const LungPhantom phantom(lung);
    const int out = lung.frames / 2;
    std::vector<Volume> frames;
    for (const int t : {0, out}) {
        frames.emplace_back(lung.grid, *ctx.pool, "benchmark frame");
        phantom.image(t, frames.back().view(), ctx);
    }
    fmt::print("  lungs, {}³ voxels of {:.1f} mm, one breath of 25 mm\n", side, spacing);
    const std::vector<std::uint8_t> labels = phantom.lungs(0, ctx);
    const std::vector<float> mask(labels.begin(), labels.end());
    const std::vector<Corner> corners =
        detect(frames[0], {mask.data(), lung.grid.size()}, options.repeats, ctx, record);
    compareSearches(frames[1], corners, options.repeats, ctx, record);
    const auto meanError = [&](const std::vector<Vec3>& points, const TrackStep& step) {
        double sum = 0;
        for (std::size_t i = 0; i < points.size(); ++i)
            if (step.points[i].fate == TrackFate::Tracked)
                sum += length(
                    lung.grid.indexToPhysical(step.points[i].position) -
                    phantom.forward(lung.grid.indexToPhysical(points[i]), phantom.exhalation(out)));
        return sum / step.tracked();
    };
    const Size3 reach = radiusInVoxels(28, lung.grid.spacing());
    for (const int levels : {1, 2, 3}) {
        ctx.throwIfCancelled();
        const std::string name =
            fmt::format("28 mm, {} level{}, and back", levels, levels > 1 ? "s" : "");
        track({name.c_str(), settingsWith(TrackFrom::Reference, reach, levels, 1.5)},
              {frames, {-1000, 400}, corners}, meanError, device, ctx, record);
    }
}

/// A thin-plate spline of many terms, exact, at every voxel of a cube.
void benchTransform(const BenchOptions& options, BenchDevice* device, const ExecContext& base,
                    Json& record) {
    constexpr int terms = 4000, side = 128;
    const Size3 size{side, side, side};
    ThinPlateSpline spline;
    std::uint64_t drawn = 0;
    const auto random = [&] {
        return double{
            uniformFloat(static_cast<std::uint32_t>(randomBits(options.seed, 3, drawn++)))};
    };
    for (int j = 0; j < terms; ++j) {
        spline.landmarks.push_back({side * random(), side * random(), side * random()});
        spline.weights.push_back({random() - 0.5, random() - 0.5, random() - 0.5});
    }
    for (std::size_t c = 0; c < 3; ++c)
        spline.affine[c][c + 1] = 1;
    fmt::print("  thin-plate spline of {} terms at {}³ voxels, exact\n", terms, side);
    std::vector<float> positions(3 * size.voxels());
    const double cpu = secondsOf([&] {
        lab::transformGrid(spline,
                           {positions.data(), positions.data() + size.voxels(),
                            positions.data() + 2 * size.voxels(), size},
                           base);
    });
    fmt::print("    CPU              {:>9.1f} ms\n", 1e3 * cpu);
    record["cpu_seconds"] = cpu;
    if constexpr (cudaIsBuilt) {
        if (!device)
            return;
        const ExecContext ctx = contextOn(*device, base);
        VectorField onDevice(Geometry(size, {1, 1, 1}), device->cuda.devicePool(), "positions");
        for (int variant = 0; variant < lab::transformFamily.count(); ++variant) {
            ctx.throwIfCancelled();
            const double seconds = warmMedian(options.repeats, budgetSeconds, ctx, [&] {
                lab::transformGridOnDevice(variant, spline, onDevice.view(), ctx);
            });
            fmt::print("    {:<16} {:>9.3f} ms, with the upload of its terms\n",
                       lab::transformVariants[variant].name, 1e3 * seconds);
            record["device_seconds"][lab::transformVariants[variant].name] = seconds;
        }
    }
}

/// The fit of a spline through many landmarks: the dense system on the host and by cuSOLVER.
void benchFit(const BenchOptions& options, BenchDevice* device, const ExecContext& base,
              Json& record) {
    std::string reason = "no device";
    const DenseSolver* const solver = device ? device->cuda.denseSolver(&reason) : nullptr;
    fmt::print("  fit of a thin-plate spline, ms; cuSOLVER: {}\n",
               solver ? solver->version() : reason);
    std::uint64_t drawn = 0;
    const auto random = [&] {
        return 128 * double{uniformFloat(
                         static_cast<std::uint32_t>(randomBits(options.seed, 7, drawn++)))};
    };
    double last = 0;
    int before = 0;
    for (const int count : {100, 300, 1000, 2000, 4000, 8000}) {
        std::vector<Vec3> from, to;
        for (int i = 0; i < count; ++i) {
            from.push_back({random(), random(), random()});
            to.push_back(from.back() + (1.0 / 64) * Vec3{random(), random(), random()});
        }
        const std::vector<double> relaxation(from.size(), 1.0);
        std::string row;
        // The time grows with the cube.
        if (before == 0 || last * std::pow(double(count) / before, 3) < options.cpuSeconds) {
            last = warmMedian(std::min(options.repeats, 3), budgetSeconds, base, [&] {
                fitThinPlate(from, to, relaxation, ThinPlateSolve::Host, base);
            });
            before = count;
            row = fmt::format("{:>10.2f} on the CPU", 1e3 * last);
            record[std::to_string(count)]["cpu_seconds"] = last;
        }
        if (solver) {
            const ExecContext ctx = contextOn(*device, base);
            const double seconds = warmMedian(options.repeats, budgetSeconds, ctx, [&] {
                fitThinPlate(from, to, relaxation, ThinPlateSolve::Device, ctx);
            });
            row += fmt::format("{:>10.2f} on the device", 1e3 * seconds);
            record[std::to_string(count)]["device_seconds"] = seconds;
        }
        fmt::print("    {:>5} landmarks{}\n", count, row);
    }
}

/// The paper's region for many landmarks on the device: its kernel, in which every candidate is
/// made on its own, and the search with work shared.
void benchDeviceSearch(const BenchOptions& options, BenchDevice& device, const ExecContext& base,
                       Json& record) {
    if constexpr (cudaIsBuilt) {
        constexpr int side = 128, count = 4000;
        const Size3 size{side, side, side};
        std::uint64_t drawn = 0;
        const auto bits = [&] { return randomBits(options.seed, 5, drawn++); };
        std::vector<float> gray(size.voxels());
        std::ranges::generate(
            gray, [&] { return 255 * uniformFloat(static_cast<std::uint32_t>(bits())); });
        std::vector<Voxel> places(count);
        std::ranges::generate(places, [&] {
            const auto along = [&](int radius) {
                return radius +
                       static_cast<int>(bits() % static_cast<std::uint64_t>(side - 2 * radius));
            };
            return Voxel{along(sest::searchRadius.x), along(sest::searchRadius.y),
                         along(sest::searchRadius.z)};
        });
        const ExecContext ctx = contextOn(device, base);
        CudaContext& cuda = device.cuda;
        BufferPool& pool = cuda.devicePool();
        Buffer<float> frame = pool.acquire<float>(size.voxels(), "frame"),
                      planes = pool.acquire<float>(sest::features * size.voxels(), "features"),
                      descriptors =
                          pool.acquire<float>(std::size_t{sest::numbers} * count, "descriptors"),
                      distances =
                          pool.acquire<float>(std::size_t{sest::candidates} * count, "distances");
        Buffer<Voxel> at = pool.acquire<Voxel>(count, "landmarks");
        cuda.upload(gray.data(), frame.data(), gray.size() * sizeof(float), CudaStream::Compute);
        cuda.upload(places.data(), at.data(), count * sizeof(Voxel), CudaStream::Compute);
        const sest::FeatureView target{planes.data(), size};
        fmt::print("  {} landmarks, 25×13×17 places, frame of {}³ voxels\n", count, side);
        const auto row = [&](const std::string& name, const auto& launch) {
            const double seconds = warmMedian(options.repeats, budgetSeconds, ctx, [&] {
                launch();
                cuda.synchronize(CudaStream::Compute);
            });
            fmt::print("    {:<24} {:>9.3f} ms\n", name, 1e3 * seconds);
            record["device_seconds"][name] = seconds;
        };
        row("features", [&] {
            sest::findFeaturesOnDevice({frame.data(), size}, planes.data(), ctx);
        });
        row("descriptors", [&] {
            sest::describePlacesOnDevice(target, sest::patchRadius, at.data(), count,
                                         descriptors.data(), ctx);
        });
        for (int variant = 0; variant < lab::sestFamily.count(); ++variant)
            row(lab::sestFamily.kernel(variant), [&] {
                lab::findDistancesOnDevice(variant, target, at.data(), count, descriptors.data(),
                                           distances.data(), ctx);
            });
    }
}

} // namespace

void benchLandmarks(const BenchOptions& options, const ExecContext& ctx, Json& record) {
    record["threads"] = ctx.threads->threads();
    fmt::print("landmarks: medians, {} threads\n", ctx.threads->threads());
    std::unique_ptr<BenchDevice> device;
    if constexpr (cudaIsBuilt)
        device = openBenchDevice("landmarks", motionMethods().front(), record);
    benchTransform(options, device.get(), ctx, record["transform"]);
    benchFit(options, device.get(), ctx, record["fit"]);
    if (device)
        benchDeviceSearch(options, *device, ctx, record["search"]);
    benchDemo(options, device.get(), ctx, record["demo"]);
    for (const int side : options.sides.empty() ? std::vector<int>{128} : options.sides)
        benchLung(side, options, device.get(), ctx, record["lungs"][std::to_string(side)]);
}

} // namespace systole
