// The bias of a registration, shown: the same image twice with fresh noise has no motion, so that
// tissue which seems to have grown or shrunk on average is the method's doing.
#include "app/features/bias/null_registration.h"
#include "bench/benchmarks.h"
#include "bench/phantom_case.h"
#include "compute/core/error.h"
#include "compute/motion/methods.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

NullSeries repeat(const MotionMethod& method, const PhantomPair& phantom,
                  const BenchOptions& options, const ExecContext& ctx) {
    const Geometry& grid = phantom.fixed.geometry;
    NullRegistration registration(method, Backend::Cpu, grid, *ctx.pool);
    Volume wall(grid, *ctx.pool, "wall");
    std::transform(phantom.measured.begin(), phantom.measured.end(), wall.voxels.data(),
                   [](std::uint8_t in) { return in ? 1.0f : 0.0f; });
    NullSeries all;
    for (int n = 0; n < options.repeats; ++n) {
        ctx.throwIfCancelled();
        const NoisyCopies copies(phantom.fixed, noiseDeviation(usualNoiseShare, phantom.scale),
                                 options.seed + static_cast<std::uint64_t>(n), ctx);
        all.add(registration.run(copies, phantom.scale, wall.view(), ctx));
    }
    return all;
}

Json numberOf(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json recordOf(const TTest& test) {
    return {{"mean_log", test.mean},
            {"deviation", test.deviation},
            {"t", numberOf(test.t)},
            {"p", numberOf(test.p)}};
}

std::string textOf(const TTest& test) {
    constexpr double minShown = 1e-12; // resolution of 1 − p in double precision
    return fmt::format("{:>+9.5f} ± {:<8.5f} {:>7} {:>8}", test.mean, test.deviation,
                       std::isnan(test.t) ? "–" : fmt::format("{:.1f}", test.t),
                       std::isnan(test.p)  ? "–"
                       : test.p < minShown ? "< 1e-12"
                                           : fmt::format("{:.2g}", test.p));
}

} // namespace

void benchBias(const BenchOptions& options, const ExecContext& base, Json& record) {
    ExecContext ctx = base;
    ctx.backend = Backend::Cpu;
    fmt::print("bias: the first frame of a phantom twice, {0}×{0}×{0}, each with fresh noise of "
               "{1:.0f} % of the gray range, {2} times, CPU, presets default. Mean of log |J| over "
               "the volume and over the wall: mean and standard deviation of the repetitions, t "
               "and p of Student's test against 0; mean spread of log |J|, mean displacement in "
               "voxels\n",
               options.size, 100 * usualNoiseShare, options.repeats);
    for (const PhantomCase& which : phantomCasesOf(options, {"echo", "ct"})) {
        const PhantomPair phantom(which, ctx);
        fmt::print("  {}\n  {:<10} {:^38}   {:^38} {:>8} {:>8}\n", which.title, "method", "volume",
                   "wall", "spread", "voxels");
        for (const MotionMethod& method : motionMethods()) {
            NullSeries all;
            try {
                all = repeat(method, phantom, options, ctx);
            } catch (const Cancelled&) {
                throw;
            } catch (const ComputeError& error) { // too few landmarks in a small phantom
                fmt::print("  {:<10} {}\n", method.name, error.what());
                record[which.name][method.name] = {{"failure", error.what()}};
                continue;
            }
            const TTest volume = all.volume(), wall = all.region();
            fmt::print("  {:<10} {}   {} {:>8.4f} {:>8.3f}\n", method.name, textOf(volume),
                       textOf(wall), all.spread(), all.displacement());
            std::fflush(stdout);
            record[which.name][method.name] = {{"repetitions", options.repeats},
                                               {"volume", recordOf(volume)},
                                               {"wall", recordOf(wall)},
                                               {"spread_log", all.spread()},
                                               {"displacement_voxel", all.displacement()}};
        }
    }
}

} // namespace systole
