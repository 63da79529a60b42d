// The bias of a registration, shown: the same image twice with fresh noise has no motion, so that
// tissue which seems to have grown or shrunk on average is the method's doing.
#include "app/bench/benchmarks.h"
#include "app/bench/chosen_cases.h"
#include "app/bench/phantom_case.h"
#include "compute/core/random.h"
#include "compute/measures/t_test.h"
#include "compute/motion/methods.h"
#include "compute/ops/jacobian.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

using Json = nlohmann::ordered_json;

/// Standard deviation of the noise, as a share of the image's gray range.
constexpr double noiseShare = 0.04;

/// Two copies of a phantom's first frame, the same but for their noise.
struct NoisyPair {
    NoisyPair(const PhantomPair& phantom, std::uint64_t seed, const ExecContext& ctx)
        : pair(phantom)
        , fixed(phantom.fixed.geometry, *ctx.pool, "bias, fixed")
        , moving(phantom.fixed.geometry, *ctx.pool, "bias, moving") {
        const double sigma =
            noiseShare * static_cast<double>(phantom.scale.high - phantom.scale.low);
        for (std::size_t i = 0; i < fixed.geometry.voxels(); ++i) {
            const auto [one, other] = normalPair(randomBits(seed, 11, i));
            const double clean = static_cast<double>(phantom.fixed.voxels.data()[i]);
            fixed.voxels.data()[i] = static_cast<float>(clean + sigma * static_cast<double>(one));
            moving.voxels.data()[i] =
                static_cast<float>(clean + sigma * static_cast<double>(other));
        }
    }
    MotionInput input() const {
        MotionInput in = pair.input();
        in.fixed = fixed.view();
        in.moving = moving.view();
        return in;
    }

    const PhantomPair& pair;
    Volume fixed, moving;
};

/// log |J| of each repetition: its mean over the volume and over the wall, its spread, and what
/// the motion that isn't there amounts to.
struct Repetitions {
    std::vector<double> volume, wall;
    double spread = 0, displacement = 0; ///< means over the repetitions; voxels
};

double meanLength(FieldView<const float> field) {
    double sum = 0;
    for (std::size_t i = 0; i < field.size.voxels(); ++i)
        sum += std::hypot(static_cast<double>(field.u[i]), static_cast<double>(field.v[i]),
                          static_cast<double>(field.w[i]));
    return sum / static_cast<double>(field.size.voxels());
}

Repetitions repeat(const MotionMethod& method, const PhantomPair& phantom,
                   const BenchOptions& options, const ExecContext& ctx) {
    const Geometry& grid = phantom.fixed.geometry;
    const auto estimator = method.make(ParamSet(*method.parameters, "default"), Backend::Cpu);
    VectorField field(grid, *ctx.pool, "benchmark field");
    Volume wall(grid, *ctx.pool, "wall");
    std::transform(phantom.measured.begin(), phantom.measured.end(), wall.voxels.data(),
                   [](std::uint8_t in) { return in ? 1.0f : 0.0f; });
    Repetitions all;
    for (int n = 0; n < options.repeats; ++n) {
        ctx.throwIfCancelled();
        const NoisyPair pair(phantom, options.seed + static_cast<std::uint64_t>(n), ctx);
        std::fill_n(field.components.data(), field.components.size(), 0.0f);
        estimator->estimate(pair.input(), field.view(), ctx);
        const VolumeChange volume = volumeChange(field.view(), {}, ctx);
        all.volume.push_back(volume.meanLogarithm);
        all.wall.push_back(volumeChange(field.view(), wall.view(), ctx).meanLogarithm);
        all.spread += volume.spreadLogarithm / options.repeats;
        all.displacement += meanLength(field.view()) / options.repeats;
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
    constexpr double leastShown = 1e-12; // of a difference from 1 in double precision
    return fmt::format("{:>+9.5f} ± {:<8.5f} {:>7} {:>8}", test.mean, test.deviation,
                       std::isnan(test.t) ? "–" : fmt::format("{:.1f}", test.t),
                       std::isnan(test.p)    ? "–"
                       : test.p < leastShown ? "< 1e-12"
                                             : fmt::format("{:.2g}", test.p));
}

} // namespace

void benchBias(const BenchOptions& options, const ExecContext& base, Json& record) {
    ExecContext ctx = base;
    ctx.backend = Backend::Cpu;
    const Size3 size{options.size, options.size, options.size};
    std::vector<std::string> wanted = options.cases;
    if (wanted.empty())
        wanted = {"echo", "ct"};
    fmt::print("bias: the first frame of a phantom twice, {0}×{0}×{0}, each with fresh noise of "
               "{1:.0f} % of the gray range, {2} times, CPU, presets default. Mean of log |J| over "
               "the volume and over the wall: mean and standard deviation of the repetitions, t "
               "and p of Student's test against 0; mean spread of log |J|, mean displacement in "
               "voxels\n",
               options.size, 100 * noiseShare, options.repeats);
    for (const PhantomCase& which : chosenCases(phantomCases(size, options.seed), wanted)) {
        const PhantomPair phantom(which, ctx);
        fmt::print("  {}\n  {:<10} {:^38}   {:^38} {:>8} {:>8}\n", which.title, "method", "volume",
                   "wall", "spread", "voxels");
        for (const MotionMethod& method : motionMethods()) {
            const Repetitions all = repeat(method, phantom, options, ctx);
            const TTest volume = tTestAgainstZero(all.volume), wall = tTestAgainstZero(all.wall);
            fmt::print("  {:<10} {}   {} {:>8.4f} {:>8.3f}\n", method.name, textOf(volume),
                       textOf(wall), all.spread, all.displacement);
            std::fflush(stdout);
            record[which.name][method.name] = {{"repetitions", options.repeats},
                                               {"volume", recordOf(volume)},
                                               {"wall", recordOf(wall)},
                                               {"spread_log", all.spread},
                                               {"displacement_voxel", all.displacement}};
        }
    }
}

} // namespace systole
