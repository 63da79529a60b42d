#include "bench/programs.h"

#include "bench/other_program.h"
#include "bench/peers.h"
#include "bench/timing.h"
#include "compute/core/error.h"
#include "compute/core/motion_start.h"
#include "compute/motion/methods.h"
#include "io/base/error.h"
#include "io/formats/writer.h"

#include <fmt/format.h>

namespace systole {
namespace {

MotionProgram ours(const MotionMethod& method, const std::string& preset = "default") {
    return methodProgram(preset == "default"
                             ? fmt::format("Systole {}", method.name)
                             : fmt::format("Systole {}, preset {}", method.name, preset),
                         method, ParamSet(*method.parameters, preset));
}

MotionProgram other(const Peer& peer) {
    return {peer.name, true, onPath(peer.program),
            [&peer](const ImagePair& pair, const ExecContext& ctx) {
                const ScratchFolder folder;
                const Geometry& grid = pair.fixed.geometry;
                writeVolume(folder.path() + "/fixed.mha", grid, pair.fixed.view());
                writeVolume(folder.path() + "/moving.mha", grid, pair.moving.view());
                const auto begin = BenchClock::now();
                const auto path = peer.run({folder.path(), ctx.threads->threads(), grid});
                ProgramRun run{secondsSince(begin), std::nullopt};
                try {
                    if (path)
                        run.field = toVoxels(readField(*path, *ctx.pool), *ctx.pool);
                } catch (const FileError&) {
                    // A program that ends well without leaving a field has failed all the same.
                }
                return run;
            }};
}

} // namespace

ProgramRun ownRun(const std::string& name, const std::function<VectorField()>& estimate) {
    const auto begin = BenchClock::now();
    try {
        VectorField field = estimate();
        return {secondsSince(begin), std::move(field)};
    } catch (const Cancelled&) {
        throw;
    } catch (const ComputeError& error) {
        fmt::print("  {}: {}\n", name, error.what());
        return {secondsSince(begin), std::nullopt};
    }
}

MotionProgram methodProgram(std::string name, const MotionMethod& method, ParamSet parameters) {
    return {std::move(name), false, true,
            [&method, parameters = std::move(parameters)](const ImagePair& pair,
                                                          const ExecContext& ctx) {
                VectorField field = fieldAtRest(pair.fixed.geometry, *ctx.pool, "benchmark field");
                return ownRun(method.name, [&] {
                    const auto estimator = method.make(parameters, ctx.backend);
                    MotionInput input = motionInput(pair.fixed, pair.moving, pair.scale);
                    if (pair.fixedMask) {
                        input.fixedMask = pair.fixedMask->view();
                        input.movingMask = pair.movingMask->view();
                    }
                    estimator->estimate(input, field.view(), ctx);
                    return std::move(field);
                });
            }};
}

std::vector<MotionProgram> motionPrograms(const std::string& firstMethod, bool withPeers) {
    std::vector<MotionProgram> programs{ours(motionMethod(firstMethod))};
    for (const MotionMethod& method : motionMethods())
        if (method.name != firstMethod)
            programs.push_back(ours(method));
    programs.push_back(ours(motionMethod("landmarks"), "clg")); // large motion
    if (withPeers)
        for (const Peer& peer : peers())
            programs.push_back(other(peer));
    return programs;
}

} // namespace systole
