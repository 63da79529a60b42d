// The elastic wall of a phantom: conjugate gradients with and without multigrid at three sizes, and
// what carrying the surface's motion into the wall does to the motion that was estimated.
#include "bench/benchmarks.h"
#include "bench/timing.h"
#include "compute/core/motion_start.h"
#include "compute/elasticity/elastic_wall.h"
#include "compute/elasticity/wall_system.h"
#include "compute/motion/methods.h"
#include "compute/sparse/multigrid.h"
#include "io/phantom/phantom.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace systole {
namespace {

std::vector<std::uint8_t> wallOf(const Phantom& phantom, const ExecContext& ctx) {
    std::vector<std::uint8_t> labels = phantom.labels(0, ctx);
    constexpr std::uint8_t wall = 1;
    for (std::uint8_t& label : labels)
        label = label == wall ? 1 : 0;
    return labels;
}

/// A solve of the wall that is held at the surface of its cavity, so that its outside is free.
struct System {
    elasticity::WallMesh mesh;
    elasticity::WallSystem system;
};
System systemOf(const Phantom& phantom, ExecContext& ctx) {
    const std::vector<std::uint8_t> labels = phantom.labels(0, ctx), wall = wallOf(phantom, ctx);
    const Geometry& geometry = phantom.geometry();
    const Size3 size = geometry.size();
    const VolumeView<const std::uint8_t> all(labels.data(), size);
    System made{elasticity::meshOfWall({wall.data(), size}, geometry.spacing()), {}};
    std::vector<elasticity::KnownMotion> known;
    for (std::int32_t node = 0; node < made.mesh.nodes(); ++node) {
        const std::array<int, 3> at = made.mesh.place(node);
        bool atBlood = false;
        for (int corner = 0; corner < 8; ++corner) {
            const int i = at[0] - (corner & 1), j = at[1] - (corner >> 1 & 1),
                      k = at[2] - (corner >> 2);
            constexpr std::uint8_t blood = 2;
            atBlood = atBlood || (std::min({i, j, k}) >= 0 && i < size.x && j < size.y &&
                                  k < size.z && all(i, j, k) == blood);
        }
        if (!atBlood)
            continue;
        const Vec3 p = made.mesh.position(node);
        const Vec3 there = geometry.indexToPhysical(
            {p.x / geometry.spacing().x, p.y / geometry.spacing().y, p.z / geometry.spacing().z});
        known.push_back({node, phantom.forward(there, 1) - there});
    }
    made.system = elasticity::assembleWall(made.mesh, {}, known, ctx);
    return made;
}

void benchSolvers(int side, const ExecContext& base, Json& record) {
    ExecContext ctx = base;
    const Phantom phantom(phantomPair({side, side, side}));
    const System made = systemOf(phantom, ctx);
    const sparse::CsrMatrix<double>& a = made.system.stiffness;
    fmt::print("  {}³ voxels: {} unknowns, {} entries\n", side, a.rows, a.entries());
    record["unknowns"] = a.rows;
    record["entries"] = a.entries();
    constexpr sparse::ConjugateGradientOptions options{1e-8, 10000};
    const auto run = [&](const char* name, double setUp, const sparse::Preconditioner& m,
                         const std::string& more) {
        std::vector<double> x(made.system.load.size(), 0);
        const BenchClock::time_point begin = BenchClock::now();
        const sparse::ConjugateGradientReport report =
            sparse::solveByConjugateGradients(a, made.system.load, x, m, options, ctx);
        const double seconds = secondsSince(begin);
        fmt::print("    {:<12} {:>6} iterations, set-up {:>7.2f} s, solve {:>7.2f} s{}\n", name,
                   report.iterations, setUp, seconds, more);
        std::fflush(stdout);
        record[name] = {{"iterations", report.iterations},
                        {"set_up_seconds", setUp},
                        {"solve_seconds", seconds},
                        {"relative_residual", report.relativeResidual}};
    };
    run("none", 0, {}, "");
    run("jacobi", 0, sparse::jacobiPreconditioner(a), "");
    sparse::Multigrid grid(a, elasticity::rigidMotions(made.mesh, made.system), {.blockSize = 3},
                           ctx);
    std::string levels;
    for (const sparse::MultigridLevel& level : grid.levels())
        levels += fmt::format("{}{}", levels.empty() ? "" : ", ", level.unknowns);
    run("multigrid", grid.setUpSeconds(), grid.preconditioner(ctx),
        fmt::format("; R A P {:.2f} s, operator complexity {:.2f}, levels {}",
                    grid.productSeconds(), grid.operatorComplexity(), levels));
    record["multigrid"]["product_seconds"] = grid.productSeconds();
    record["multigrid"]["operator_complexity"] = grid.operatorComplexity();
}

struct Errors {
    double mean = 0, p95 = 0;
};
Errors errorsIn(const std::vector<std::uint8_t>& wall, const VectorField& found,
                const VectorField& truth) {
    std::vector<double> errors;
    for (std::size_t i = 0; i < wall.size(); ++i) {
        if (wall[i] == 0)
            continue;
        double squared = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const double difference = static_cast<double>(found.view().component(axis)[i]) -
                                      static_cast<double>(truth.view().component(axis)[i]);
            squared += difference * difference;
        }
        errors.push_back(std::sqrt(squared));
    }
    Errors all;
    for (const double error : errors)
        all.mean += error / static_cast<double>(errors.size());
    std::ranges::sort(errors);
    all.p95 = errors[errors.size() * 95 / 100];
    return all;
}

/// Motion by clg, and carried into the wall with springs of several lengths.
void benchMotion(PhantomLook look, const char* name, int side, const BenchOptions& options,
                 const ExecContext& base, Json& record) {
    ExecContext ctx = base;
    constexpr double lengths[] = {0, 1, 3, 10};
    std::vector<Errors> sums(1 + std::size(lengths));
    for (int s = 0; s < options.seeds; ++s) {
        PhantomOptions pair = phantomPair({side, side, side});
        pair.look = look;
        pair.seed = options.seed + static_cast<std::uint64_t>(s);
        const Phantom phantom(pair);
        Volume fixed(phantom.geometry(), *ctx.pool, "fixed"),
            moving(phantom.geometry(), *ctx.pool, "moving");
        phantom.image(0, fixed.view(), ctx);
        phantom.image(1, moving.view(), ctx);
        const VectorField truth = phantom.truth(0, 1, ctx);
        const std::vector<std::uint8_t> wall = wallOf(phantom, ctx);
        const MotionMethod& method = motionMethod("clg");
        VectorField field = fieldAtRest(phantom.geometry(), *ctx.pool, "motion");
        method.make(ParamSet(*method.parameters, "default"), Backend::Cpu)
            ->estimate(motionInput(fixed, moving, {0, 255}), field.view(), ctx);
        const auto add = [&](std::size_t row, const VectorField& found) {
            const Errors errors = errorsIn(wall, found, truth);
            sums[row].mean += errors.mean / options.seeds;
            sums[row].p95 += errors.p95 / options.seeds;
        };
        add(0, field);
        for (std::size_t i = 0; i < std::size(lengths); ++i) {
            VectorField carried(phantom.geometry(), *ctx.pool, "carried motion");
            std::copy_n(field.components.data(), field.components.size(),
                        carried.components.data());
            elasticity::ElasticWallOptions elastic;
            elastic.surfaceLength = lengths[i];
            elasticity::carryIntoWall({wall.data(), phantom.geometry().size()},
                                      phantom.geometry().spacing(), carried.view(), elastic, ctx);
            add(1 + i, carried);
        }
    }
    fmt::print("    {:<5} {}³  clg {:.3f} / {:.2f}", name, side, sums[0].mean, sums[0].p95);
    record["clg"] = {{"mean", sums[0].mean}, {"p95", sums[0].p95}};
    for (std::size_t i = 0; i < std::size(lengths); ++i) {
        const std::string title =
            lengths[i] == 0 ? std::string("held") : fmt::format("springs of {:g} mm", lengths[i]);
        fmt::print("; {} {:.3f} / {:.2f}", title, sums[i + 1].mean, sums[i + 1].p95);
        record[title] = {{"mean", sums[i + 1].mean}, {"p95", sums[i + 1].p95}};
    }
    fmt::print("\n");
    std::fflush(stdout);
}

} // namespace

void benchWall(const BenchOptions& options, const ExecContext& ctx, Json& record) {
    record["threads"] = ctx.threads->threads();
    fmt::print("wall: the phantom's wall as elastic voxels, held at the surface of the cavity; "
               "conjugate gradients to 1e-8, {} threads\n",
               ctx.threads->threads());
    const std::vector<int> sides = options.sides.empty() ? std::vector{32, 48, 64} : options.sides;
    for (const int side : sides) {
        ctx.throwIfCancelled();
        benchSolvers(side, ctx, record["solvers"][std::to_string(side)]);
    }
    fmt::print("  motion in the wall, mean and 95 % error in voxels, {} seeds: estimated, and "
               "carried in from the surface\n",
               options.seeds);
    for (const int side : sides) {
        ctx.throwIfCancelled();
        Json& entry = record["motion"][std::to_string(side)];
        benchMotion(PhantomLook::Echo, "echo", side, options, ctx, entry["echo"]);
        benchMotion(PhantomLook::Ct, "ct", side, options, ctx, entry["ct"]);
    }
}

} // namespace systole
