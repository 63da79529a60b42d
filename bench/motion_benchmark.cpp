#include "bench/benchmarks.h"
#include "bench/chosen_cases.h"
#include "bench/figure_table.h"
#include "bench/peers.h"
#include "bench/phantom_case.h"
#include "bench/programs.h"
#include "bench/timing.h"
#include "compute/motion/methods.h"
#include "compute/ops/host_bandwidth.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

struct Timed {
    double seconds = 0; ///< median
    std::vector<FrameProfile> profiles;
    MotionReport report;
};

/// The default preset from a zero field, `repeats` times.
Timed timeEstimation(const MotionMethod& method, const PhantomPair& pair, VectorField& field,
                     int repeats, const ExecContext& base) {
    const auto estimator = method.make(ParamSet(*method.parameters, "default"), base.backend);
    Timed timed;
    std::vector<double> seconds;
    for (int n = 0; n < repeats; ++n) {
        setToRest(field);
        timed.profiles.push_back(profileOf(base, false, [&](const ExecContext& ctx) {
            seconds.push_back(secondsOf(
                [&] { timed.report = estimator->estimate(pair.input(), field.view(), ctx); }));
        }));
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

/// A program's figures on one case, over the seeds.
struct CaseFigures {
    int runs = 0, failures = 0;
    double worst = 0, seconds = 0; ///< largest mean error; sum
    WallError sum;

    void add(const ProgramRun& run, const PhantomPair& pair) {
        ++runs;
        seconds += run.seconds;
        if (!run.field) {
            ++failures;
            return;
        }
        const WallError wall = wallError(pair, run.field->view());
        worst = std::max(worst, wall.mean);
        sum.mean += wall.mean;
        sum.percentile95 += wall.percentile95;
        sum.motion += wall.motion;
        sum.volumeChange += wall.volumeChange;
    }
    /// A program that failed on one seed has no error.
    double meanError() const { return runs == 0 || failures > 0 ? NAN : sum.mean / runs; }
    double worstError() const { return runs == 0 || failures > 0 ? NAN : worst; }
    double meanMotion() const { return runs == 0 ? NAN : sum.motion / (runs - failures); }
    double meanSeconds() const { return runs == 0 ? NAN : seconds / runs; }
};

/// Every program on every case. figures[program][case].
using AllFigures = std::vector<std::vector<CaseFigures>>;

AllFigures runAll(const std::vector<MotionProgram>& programs, const BenchOptions& options,
                  const std::vector<PhantomCase>& cases, const ExecContext& ctx) {
    const Size3 size{options.size, options.size, options.size};
    AllFigures figures(programs.size(), std::vector<CaseFigures>(cases.size()));
    fmt::print("\n  {0}, over the seeds\n  {1:<36} {2:>8} {3:>8} {4:>8} {5:>8} {6:>8} {7:>8}\n",
               programs.front().name, "case", "motion", "mean", "worst", "95 %", "|J−1|",
               "time, s");
    for (std::size_t c = 0; c < cases.size(); ++c) {
        for (int n = 0; n < options.seeds; ++n) {
            const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(n);
            const PhantomPair pair(chosenCases(phantomCases(size, seed), {cases[c].name}).front(),
                                   ctx);
            for (std::size_t p = 0; p < programs.size(); ++p) {
                ctx.throwIfCancelled();
                if (programs[p].installed && (!programs[p].isPeer || n < options.peerSeeds))
                    figures[p][c].add(programs[p].run({pair.fixed, pair.moving, pair.scale}, ctx),
                                      pair);
            }
        }
        const CaseFigures& first = figures.front()[c];
        fmt::print("  {:<36} {:>8.2f} {:>8.3f} {:>8.3f} {:>8.3f} {:>8.3f} {:>8.2f}\n",
                   cases[c].title, first.meanMotion(), first.meanError(), first.worstError(),
                   first.sum.percentile95 / first.runs, first.sum.volumeChange / first.runs,
                   first.meanSeconds());
        std::fflush(stdout);
    }
    return figures;
}

Json orNull(double value) { return std::isnan(value) ? Json(nullptr) : Json(value); }

Json recordOf(const std::vector<MotionProgram>& programs, const std::vector<PhantomCase>& cases,
              const AllFigures& all) {
    Json record;
    for (std::size_t p = 0; p < programs.size(); ++p)
        for (std::size_t c = 0; c < cases.size(); ++c) {
            const CaseFigures& figures = all[p][c];
            if (figures.runs == 0)
                continue;
            const int good = figures.runs - figures.failures;
            const auto mean = [&](double sum) { return orNull(good > 0 ? sum / good : NAN); };
            record[programs[p].name][cases[c].name] = {
                {"seeds", figures.runs},
                {"motion", mean(figures.sum.motion)},
                {"mean_error", orNull(figures.meanError())},
                {"worst_mean_error", orNull(figures.worstError())},
                {"error_95", mean(figures.sum.percentile95)},
                {"volume_change", mean(figures.sum.volumeChange)},
                {"seconds", figures.meanSeconds()}};
        }
    return record;
}

void printTables(const std::vector<MotionProgram>& programs, const BenchOptions& options,
                 const std::vector<PhantomCase>& cases, const AllFigures& all) {
    std::vector<std::string> columns;
    for (const PhantomCase& each : cases)
        columns.emplace_back(each.name);
    const auto print = [&](const std::string& title, double (CaseFigures::*figure)() const,
                           int decimals, std::vector<FigureRow> rows,
                           const std::vector<FigureRow>& more) {
        for (std::size_t p = 0; p < programs.size(); ++p) {
            rows.push_back({programs[p].name, {}});
            if (!programs[p].installed)
                rows.back().instead = "not installed";
            for (const CaseFigures& figures : all[p])
                rows.back().figures.push_back((figures.*figure)());
        }
        rows.insert(rows.end(), more.begin(), more.end());
        printFigures(title, columns, rows, decimals);
    };
    FigureRow still{"no motion", {}};
    for (const CaseFigures& figures : all.front())
        still.figures.push_back(figures.meanMotion());
    std::vector<FigureRow> recorded;
    if (options.size == 128)
        for (const RecordedPeer& peer : recordedPeers()) {
            FigureRow row{"recorded: " + std::string(peer.name), {}};
            for (const std::string& column : columns)
                row.figures.push_back(column == "echo"    ? peer.echo
                                      : column == "hard"  ? peer.hard
                                      : column == "small" ? peer.small
                                      : column == "ct"    ? peer.ct
                                                          : NAN);
            if (std::any_of(row.figures.begin(), row.figures.end(),
                            [](double figure) { return !std::isnan(figure); }))
                recorded.push_back(std::move(row));
        }
    print(fmt::format("mean endpoint error in the wall, smallest spacings; mean over seeds: {}, "
                      "other programs {}{}",
                      options.seeds, std::min(options.seeds, options.peerSeeds),
                      recorded.empty() ? ""
                                       : "; recorded: another machine, a phantom of the same "
                                         "description"),
          &CaseFigures::meanError, 3, {still}, recorded);
    if (options.seeds > 1)
        print("the same of the worst seed", &CaseFigures::worstError, 3, {}, {});
    print("seconds per pair", &CaseFigures::meanSeconds, 2, {}, {});
}

} // namespace

void benchMotion(const BenchOptions& options, const ExecContext& ctx, Json& record) {
    const std::vector<PhantomCase> cases = phantomCasesOf(options);
    const MotionMethod& method = motionMethod(options.method);
    fmt::print("motion: {3}, default preset, {0}×{0}×{0}, {1} threads, seeds from {2} on\n",
               options.size, ctx.threads->threads(), options.seed, method.name);
    record["method"] = method.name;
    const double bandwidth = triadBandwidth(ctx);
    fmt::print("  memory in this run: {:.1f} GB/s (triad, {} threads)\n", bandwidth / 1e9,
               ctx.threads->threads());
    record["bandwidth_bytes_per_second"] = bandwidth;
    record["size"] = options.size;
    record["threads"] = ctx.threads->threads();
    record["first_seed"] = options.seed;
    {
        const PhantomPair pair(cases.front(), ctx);
        VectorField field(pair.phantom.geometry(), *ctx.pool, "benchmark field");
        const Timed timed = timeEstimation(method, pair, field, options.repeats, ctx);
        record["stages_case"] = cases.front().name;
        printStages(timed, bandwidth, record);
        printBackends(method, pair, ctx, options.repeats, timed.seconds, record);
        const double peak = static_cast<double>(ctx.pool->usage().peakBytes);
        fmt::print("  peak memory, images and truth included: {:.0f} MiB\n", peak / 1048576);
        record["peak_bytes"] = peak;
    }
    const std::vector<MotionProgram> programs = motionPrograms(method.name, options.peers);
    const AllFigures figures = runAll(programs, options, cases, ctx);
    printTables(programs, options, cases, figures);
    record["programs"] = recordOf(programs, cases, figures);
}

} // namespace systole
