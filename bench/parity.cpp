#include "app/base/assets.h"
#include "bench/benchmarks.h"
#include "bench/device_bench.h"
#include "bench/phantom_case.h"
#include "compute/core/error.h"
#include "compute/cuda/context.h"
#include "compute/motion/methods.h"
#include "compute/motion/sequence_driver.h"
#include "compute/ops/field_difference.h"
#include "io/source.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>

namespace systole {
namespace {

struct ParityCase {
    std::string name;
    HostPair pair;
};

std::string textOf(const MethodVariation& run, bool withStorage) {
    std::string line = run.preset;
    for (const auto& [id, value] : run.parameters)
        line += fmt::format(" {}={}", id, value);
    if (withStorage)
        for (const auto& [id, value] : run.storage)
            line += fmt::format(" {}={}", id, value);
    return line;
}

/// Every preset, and what the method has besides.
std::vector<MethodVariation> parityRuns(const MotionMethod& method) {
    std::vector<MethodVariation> runs;
    for (const std::string& preset : method.parameters->presets())
        runs.push_back({preset, {}});
    runs.insert(runs.end(), method.variations.begin(), method.variations.end());
    return runs;
}

Volume readFrame(const Sequence& sequence, int index, const ExecContext& ctx) {
    Volume frame(sequence.geometry, *ctx.pool, "parity, frame");
    sequence.source->read(index, frame.view());
    return frame;
}

void addSequence(const std::string& path, const ExecContext& ctx, std::vector<ParityCase>& cases) {
    const Sequence sequence = openSequence({path});
    const IntensityScale scale = intensityScale(sequence, ctx);
    std::vector<int> starts{0};
    if (sequence.frames > 3)
        starts.push_back(sequence.frames / 3);
    for (const int first : starts)
        if (first + 1 < sequence.frames)
            cases.push_back(
                {fmt::format("{}, frames {} and {}", sequence.name, first, first + 1),
                 {readFrame(sequence, first, ctx), readFrame(sequence, first + 1, ctx), scale}});
}

void addPhantom(Size3 size, std::size_t which, std::uint64_t seed, const ExecContext& ctx,
                std::vector<ParityCase>& cases) {
    const PhantomCase phantom = phantomCases(size, seed)[which];
    PhantomPair pair(phantom, ctx);
    const Size3 grid = pair.phantom.geometry().size();
    cases.push_back({fmt::format("phantom {}, {}×{}×{}", phantom.name, grid.x, grid.y, grid.z),
                     {std::move(pair.fixed), std::move(pair.moving), pair.scale}});
}

VectorField estimate(const MotionMethod& method, const ParityCase& which,
                     const MethodVariation& run, const ExecContext& ctx) {
    ParamSet values(*method.parameters, run.preset);
    for (const auto& [id, value] : run.parameters)
        values.setText(id, value);
    if (ctx.backend == Backend::Cuda)
        for (const auto& [id, value] : run.storage)
            values.setText(id, value);
    VectorField field = fieldAtRest(which.pair.fixed.geometry, *ctx.pool, "parity, field");
    method.make(values, ctx.backend)->estimate(which.pair.input(), field.view(), ctx);
    return field;
}

/// The reason why the method can't take the pair; empty: it can.
std::string refusal(const MotionMethod& method, const ParityCase& which, const MethodVariation& run,
                    const ExecContext& ctx) {
    try {
        estimate(method, which, run, ctx);
    } catch (const Cancelled&) {
        throw;
    } catch (const ComputeError& error) {
        return error.what();
    }
    return {};
}

} // namespace

void benchParity(const BenchOptions& options, const ExecContext& ctx, Json& record) {
    const CudaStatus status = cudaStatus();
    if (!status.usable()) {
        fmt::print("parity: nothing to compare, since {}\n", status.reason);
        record["skipped"] = status.reason;
        return;
    }
    const MotionMethod& method = motionMethod(options.method);
    record["method"] = method.name;
    CudaContext cuda;
    ExecContext onCpu = ctx, onDevice = ctx;
    onCpu.backend = Backend::Cpu;
    onDevice.backend = Backend::Cuda;
    onDevice.cuda = &cuda;

    std::vector<ParityCase> cases;
    addSequence(assetPath(demoSequenceName).string(), ctx, cases);
    for (const std::string& file : options.files)
        addSequence(file, ctx, cases);
    addPhantom({61, 53, 47}, 0, options.seed, ctx, cases);
    addPhantom({37, 70, 33}, 1, options.seed, ctx, cases);
    // Thinner than the motion is long, and slices.
    addPhantom({16, 120, 20}, 1, options.seed, ctx, cases);
    addPhantom({48, 44, 72}, 4, options.seed, ctx, cases);

    fmt::print("parity: {} with CUDA on {} against the CPU; bounds: mean {}, largest {} voxel\n",
               method.name, cuda.device().name, equalMeanVoxels, equalMaximumVoxels);
    int beyond = 0, held = 0, reported = 0;
    for (const ParityCase& which : cases) {
        fmt::print("\n  {}\n  {:<52} {:>10} {:>10}\n", which.name, "", "mean", "largest");
        std::map<std::string, VectorField> cpu;
        Volume map(which.pair.fixed.geometry, *ctx.pool, "parity, difference");
        for (const MethodVariation& run : parityRuns(method)) {
            ctx.throwIfCancelled();
            const std::string numerics = textOf(run, false);
            try {
                if (!cpu.contains(numerics))
                    cpu.emplace(numerics, estimate(method, which, run, onCpu));
            } catch (const Cancelled&) {
                throw;
            } catch (const ComputeError& error) {
                // A pair that the method can't take; the device's implementation must say the same.
                const std::string onDeviceToo = refusal(method, which, run, onDevice);
                const bool same = onDeviceToo == error.what();
                (same ? held : beyond) += 1;
                fmt::print("  {:<52} {}: {}\n", textOf(run, true),
                           same ? "refused by both" : "BEYOND: refused by the CPU", error.what());
                record["cases"][which.name][textOf(run, true)] = {{"refused", error.what()},
                                                                  {"by_both", same}};
                continue;
            }
            const FieldDifference d = fieldDifference(
                cpu.at(numerics), estimate(method, which, run, onDevice), map.view(), ctx);
            const bool within = countAsEqual(d);
            const char* verdict = !run.exact ? "reported only" : within ? "within" : "BEYOND";
            (!run.exact ? reported : within ? held : beyond) += 1;
            fmt::print("  {:<52} {:>10.2e} {:>10.2e}  {}\n", textOf(run, true), d.meanVoxels,
                       d.maximumVoxels, verdict);
            record["cases"][which.name][textOf(run, true)] = {{"mean_voxel", d.meanVoxels},
                                                              {"largest_voxel", d.maximumVoxels},
                                                              {"verdict", verdict}};
        }
    }
    record["beyond"] = beyond;
    if (beyond > 0)
        throw ComputeError(fmt::format("parity: {} of {} runs differ by more than the bounds",
                                       beyond, beyond + held));
    fmt::print("\n  {} runs are within the bounds; {} are only reported: they round "
               "differently by design\n",
               held, reported);
}

} // namespace systole
