#include "app/bench/benchmarks.h"
#include "app/bench/memory_bandwidth.h"
#include "app/bench/peers.h"
#include "app/bench/phantom_case.h"
#include "app/bench/timing.h"
#include "compute/core/error.h"
#include "compute/motion/methods.h"
#include "io/error.h"
#include "io/writer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <unistd.h>

namespace systole {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Clock = BenchClock;

struct Timed {
    double seconds = 0; ///< median
    std::vector<FrameProfile> profiles;
    MotionReport report;
};

/// The default preset from a zero field, `repeats` times.
Timed timeEstimation(const MotionMethod& method, const PhantomPair& pair, VectorField& field,
                     int repeats, const ExecContext& base) {
    const auto estimator = method.make(ParamSet(*method.parameters, "default"), base.backend);
    KernelProfile profile;
    ExecContext ctx = base;
    ctx.profile = &profile;
    Timed timed;
    std::vector<double> seconds;
    for (int n = 0; n < repeats; ++n) {
        std::fill_n(field.components.data(), field.components.size(), 0.0f);
        profile.beginFrame(n);
        const auto begin = Clock::now();
        timed.report = estimator->estimate(pair.input(), field.view(), ctx);
        seconds.push_back(secondsSince(begin));
        timed.profiles.push_back(profile.endFrame());
    }
    timed.seconds = median(seconds);
    return timed;
}

void printStages(const Timed& timed, double bandwidth, Json& record) {
    fmt::print("\n  {:<10} {:>9} {:>10} {:>8} {:>10} {:>15}\n", "stage", "seconds", "GB moved",
               "GB/s", "floor, s", "time over floor");
    for (const std::string& stage : timed.profiles.back().stages()) {
        std::vector<double> seconds;
        for (const FrameProfile& profile : timed.profiles)
            seconds.push_back(profile.seconds(stage));
        const double time = median(seconds);
        if (time <= 0)
            continue;
        const double bytes = timed.profiles.back().bytes(stage);
        const double floor = bytes / bandwidth;
        fmt::print("  {:<10} {:>9.4f} {:>10.2f} {:>8.1f} {:>10.4f} {:>14.1f}×\n", stage, time,
                   bytes / 1e9, bytes / time / 1e9, floor, time / floor);
        record["stages"][stage] = {{"seconds", time}, {"bytes", bytes}, {"floor_seconds", floor}};
    }
}

void printBackends(const MotionMethod& method, const PhantomPair& pair, const ExecContext& ctx,
                   int repeats, double allThreads, Json& record) {
    VectorField field(pair.phantom.geometry(), *ctx.pool, "benchmark field");
    ThreadTeam one(1);
    ExecContext single = ctx;
    single.threads = &one;
    const double oneThread = timeEstimation(method, pair, field, repeats, single).seconds;
    fmt::print("\n  whole estimation, seconds: {:.2f} with {} threads, {:.2f} with one", allThreads,
               ctx.threads->threads(), oneThread);
    record["seconds"] = allThreads;
    record["seconds_one_thread"] = oneThread;
    if (std::find(method.backends.begin(), method.backends.end(), Backend::CpuReference) !=
        method.backends.end()) {
        ExecContext plain = ctx;
        plain.backend = Backend::CpuReference;
        const double reference = timeEstimation(method, pair, field, 1, plain).seconds;
        fmt::print("; plain reference implementation {:.1f} with {} threads", reference,
                   ctx.threads->threads());
        record["seconds_reference"] = reference;
    }
    fmt::print("\n");
}

/// A folder of its own under the temporary one, removed with all it holds.
class ScratchFolder {
public:
    ScratchFolder() : path_((fs::temp_directory_path() / "systole-bench-XXXXXX").string()) {
        if (!mkdtemp(path_.data()))
            throw FileError(fmt::format("{}: can't be made a folder", path_));
    }
    ~ScratchFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

struct PeerFigures {
    double seconds = NAN;
    std::vector<double> errors; ///< one per case; NaN where the program failed
};

PeerFigures runPeer(const Peer& peer, const std::vector<std::unique_ptr<PhantomPair>>& pairs,
                    const ExecContext& ctx) {
    PeerFigures figures;
    for (const auto& pair : pairs) {
        ctx.throwIfCancelled();
        const ScratchFolder folder;
        writeVolume(folder.path() + "/fixed.mha", pair->phantom.geometry(), pair->fixed.view());
        writeVolume(folder.path() + "/moving.mha", pair->phantom.geometry(), pair->moving.view());
        const auto begin = Clock::now();
        const auto path = peer.run({folder.path(), ctx.threads->threads()});
        const double seconds = secondsSince(begin);
        double error = NAN;
        try {
            if (path)
                error =
                    wallError(*pair, toVoxels(readField(*path, *ctx.pool), *ctx.pool).view()).mean;
        } catch (const FileError&) {
            // A program that ends well without leaving a field has failed all the same.
        }
        figures.errors.push_back(error);
        if (figures.errors.size() == 1)
            figures.seconds = seconds;
    }
    return figures;
}

std::string figure(double value) { return std::isnan(value) ? "–" : fmt::format("{:.3f}", value); }

void printRow(const std::string& name, double seconds, const std::vector<double>& errors) {
    fmt::print("  {:<34} {:>8.1f}", name, seconds);
    for (const double error : errors)
        fmt::print(" {:>8}", figure(error));
    fmt::print("\n");
}

/// Another method of ours in its default preset, once per case.
PeerFigures runMethod(const MotionMethod& method,
                      const std::vector<std::unique_ptr<PhantomPair>>& pairs,
                      const ExecContext& ctx) {
    PeerFigures figures;
    for (const auto& pair : pairs) {
        VectorField field(pair->phantom.geometry(), *ctx.pool, "benchmark field");
        const double seconds = timeEstimation(method, *pair, field, 1, ctx).seconds;
        figures.errors.push_back(wallError(*pair, field.view()).mean);
        if (figures.errors.size() == 1)
            figures.seconds = seconds;
    }
    return figures;
}

Json recordOf(const PeerFigures& figures) {
    Json errors = Json::array();
    for (const double error : figures.errors)
        errors.push_back(std::isnan(error) ? Json(nullptr) : Json(error));
    return {{"seconds", figures.seconds}, {"errors_voxel", errors}};
}

void printPeers(const MotionMethod& ours, const std::vector<std::unique_ptr<PhantomPair>>& pairs,
                double ourSeconds, const std::vector<double>& ourErrors, bool run,
                const ExecContext& ctx, Json& record) {
    fmt::print("\n  mean endpoint error in the wall, smallest spacings\n  {:<34} {:>8}", "",
               "time, s");
    for (const PhantomCase& which : phantomCases(pairs.front()->phantom.options().size, 0))
        fmt::print(" {:>8}", which.name);
    fmt::print("\n");
    printRow(fmt::format("Systole {}, default", ours.name), ourSeconds, ourErrors);
    for (const MotionMethod& method : motionMethods()) {
        if (&method == &ours)
            continue;
        const PeerFigures figures = runMethod(method, pairs, ctx);
        printRow(fmt::format("Systole {}, default", method.name), figures.seconds, figures.errors);
        record["methods"][method.name] = recordOf(figures);
    }
    if (run)
        for (const Peer& peer : peers()) {
            if (!onPath(peer.program)) {
                fmt::print("  {:<34} not installed\n", peer.name);
                continue;
            }
            const PeerFigures figures = runPeer(peer, pairs, ctx);
            printRow(peer.name + ", this run", figures.seconds, figures.errors);
            record["peers"][peer.name] = recordOf(figures);
        }
    fmt::print("  recorded on another two-core machine, on a phantom of the same description:\n");
    for (const RecordedPeer& peer : recordedPeers())
        printRow(peer.name, peer.seconds, {peer.echo, peer.hard, peer.small, peer.ct});
}

} // namespace

void benchMotion(const BenchOptions& options, const ExecContext& ctx, Json& record) {
    const Size3 size{options.size, options.size, options.size};
    const MotionMethod& method = motionMethod(options.method);
    fmt::print("motion: {3}, default preset, {0}×{0}×{0}, {1} threads, seed {2}\n", options.size,
               ctx.threads->threads(), options.seed, method.name);
    record["method"] = method.name;
    const double bandwidth = triadBandwidth(ctx);
    fmt::print("  memory in this run: {:.1f} GB/s (triad, {} threads)\n\n", bandwidth / 1e9,
               ctx.threads->threads());
    record["bandwidth_bytes_per_second"] = bandwidth;
    record["size"] = options.size;
    record["threads"] = ctx.threads->threads();

    fmt::print("  {:<38} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "case", "motion", "mean", "95 %",
               "|J−1|", "time, s");
    std::vector<std::unique_ptr<PhantomPair>> pairs;
    std::vector<double> errors;
    Timed echo;
    for (const PhantomCase& which : phantomCases(size, options.seed)) {
        pairs.push_back(std::make_unique<PhantomPair>(which, ctx));
        const PhantomPair& pair = *pairs.back();
        VectorField field(pair.phantom.geometry(), *ctx.pool, "benchmark field");
        Timed timed = timeEstimation(method, pair, field, options.repeats, ctx);
        const WallError error = wallError(pair, field.view());
        fmt::print("  {:<38} {:>8.2f} {:>8.3f} {:>8.3f} {:>8.3f} {:>8.2f}\n", which.title,
                   error.motion, error.mean, error.percentile95, error.volumeChange, timed.seconds);
        record["cases"][which.name] = {{"motion_voxel", error.motion},
                                       {"mean_error_voxel", error.mean},
                                       {"error_95_voxel", error.percentile95},
                                       {"volume_change", error.volumeChange},
                                       {"seconds", timed.seconds}};
        errors.push_back(error.mean);
        if (pairs.size() == 1)
            echo = std::move(timed);
    }
    printStages(echo, bandwidth, record);
    printBackends(method, *pairs.front(), ctx, options.repeats, echo.seconds, record);
    const double peak = static_cast<double>(ctx.pool->usage().peakBytes);
    fmt::print("  peak memory, images and truth included: {:.0f} MiB\n", peak / 1048576);
    record["peak_bytes"] = peak;
    printPeers(method, pairs, echo.seconds, errors, options.peers, ctx, record);
}

} // namespace systole
