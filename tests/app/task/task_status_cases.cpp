#include "app/estimation/pipeline.h"
#include "app/estimation/registration_methods.h"
#include "app/features/bias/bias_run.h"
#include "app/features/registration/registration_run.h"
#include "app/features/surface/frame_distance.h"
#include "app/features/surface/surface_run.h"
#include "compute/motion/methods.h"
#include "compute/motion/pair_estimator.h"
#include "compute/surface/surface.h"
#include "tests/app/task/task_case_parts.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace systole::test {
namespace {

BiasTask biasTask() {
    BiasTask task;
    ParamSet parameters(biasTable());
    parameters.set("repetitions", 2);
    task.set(parameters);
    task.methods = {"clg", "unbiased"}; // the others take longer
    task.image = frame(0);
    task.scale = scale();
    return task;
}
TaskResult resultOf(const BiasStatus& status) {
    TaskResult result;
    for (const BiasColumn& column : status.columns) {
        const TTest test = column.series.volume();
        result.numbers.insert(result.numbers.end(), {test.mean, test.deviation, test.p});
        for (const auto& map : {column.last, column.mean})
            if (map)
                add(result, map->view().span());
    }
    result.fallback = status.note;
    result.failure = status.failure;
    return result;
}
RegistrationPlan registerPlan(Backend backend) {
    const MotionMethod& method = motionMethod("clg");
    return planOf(method, ParamSet(*method.parameters, "default"), backend, true);
}
SurfaceChoice surfaceChoice() {
    SurfaceChoice choice;
    choice.source = SurfaceOrigin::Threshold;
    choice.threshold = 140;
    choice.denoise = true;
    return choice;
}
const SurfaceMethod& nonlocalMeans() {
    return *std::ranges::find(surfaceMethods(), &nonlocalMeansTable(), &SurfaceMethod::parameters);
}
void add(TaskResult& result, const TriangleMesh& mesh) {
    for (const auto& point : mesh.points)
        add(result, std::span<const float>(point));
    for (const auto& triangle : mesh.triangles)
        for (const auto corner : triangle)
            result.numbers.push_back(static_cast<double>(corner));
}
FramePair motionPair() { return {frame(0), frame(1), 0, 1}; }
MakeEstimator motionMaker() {
    const MotionMethod& method = motionMethod("clg");
    return estimatorMaker(method, ParamSet(*method.parameters, "default"));
}

} // namespace

TaskCase biasCase() {
    return {.name = "bias",
            .onDevice = true,
            .windowUsesDevice = true,
            .command =
                [](const BackendChoice& choice, const DeviceAccess& access) {
                    DevicePolicy device(choice, {}, access);
                    BiasStatus last;
                    repeatBias(biasTask(), device, resources().context(),
                               [&](const BiasStatus& now) { last = now; });
                    return resultOf(last);
                },
            .window =
                [](Backend backend, const DeviceAccess& access) {
                    BiasRun run({.threads = 2, .devices = access});
                    BiasTask task = biasTask();
                    task.backend = backend;
                    run.start(std::move(task));
                    waitFor([&] { return !run.status().running; });
                    return resultOf(run.status());
                }};
}

TaskCase registerCase() {
    return {.name = "register",
            .onDevice = true,
            .windowUsesDevice = true,
            .command =
                [](const BackendChoice& choice, const DeviceAccess& access) {
                    DevicePolicy device(choice, {}, access);
                    const auto fixed = frame(0), moving = frame(1);
                    const RegistrationResult found =
                        device.run(resources().context(), [&](const ExecContext& where) {
                            return registerImages(
                                {fixed.get(), moving.get()}, {},
                                planOn(where.backend, registerPlan(choice.backend)), where);
                        });
                    TaskResult result;
                    add(result, {found.displacement.view().u, 3 * fixed->geometry.voxels()});
                    result.fallback = device.fallback();
                    return result;
                },
            .window =
                [](Backend backend, const DeviceAccess& access) {
                    RegistrationRun run({.threads = 2, .devices = access});
                    run.start({.name = "case",
                               .open =
                                   [](const ExecContext&) {
                                       return RegistrationPair{frame(0), frame(1)};
                                   },
                               .plan = registerPlan(backend)});
                    waitFor([&] { return !run.status().running; });
                    const RegistrationStatus status = run.status();
                    TaskResult result;
                    if (const auto best = run.iterate(status.best))
                        add(result, {best->values.data(), best->values.size()});
                    for (std::size_t i = 0; i < status.points.size(); ++i)
                        if (status.points[i].number != static_cast<int>(i) + 1)
                            result.failure = "iterations of two runs are mixed";
                    result.fallback = status.note;
                    result.failure += status.failure;
                    return result;
                }};
}

TaskCase denoiseCase() {
    return {.name = "denoise",
            .onDevice = true,
            .windowUsesDevice = true,
            .windowOnDevice = 1e-3, // mm: distances and triangles are the device's, too
            .command =
                [](const BackendChoice& choice, const DeviceAccess& access) {
                    DevicePolicy device(choice, {}, access);
                    const auto image = frame(0);
                    const ExecContext ctx = resources().context();
                    Volume phi(image->geometry, *ctx.pool, "distance");
                    distanceOfThreshold(image->view(), 140, image->geometry, phi.view(), ctx);
                    const SurfaceChoice chosen = surfaceChoice();
                    denoiseUnder(device, nonlocalMeans(), phi, chosen.denoising, ctx);
                    TaskResult result;
                    add(result, surfaceOf(phi.view(), phi.geometry, SurfaceEdge::Closed, ctx).mesh);
                    result.fallback = device.fallback();
                    return result;
                },
            .window =
                [](Backend backend, const DeviceAccess& access) {
                    SurfaceRun run({.threads = 2}, access);
                    SurfaceTask task;
                    task.choice = surfaceChoice();
                    task.backend = backend;
                    task.gray = frame(0);
                    run.start(std::move(task));
                    std::optional<SurfaceOutcome> outcome;
                    waitFor([&] { return (outcome = run.take()).has_value(); });
                    const LiveSurface& made = *outcome->made;
                    TaskResult result;
                    if (made.scene)
                        add(result, *made.scene->mesh);
                    result.fallback = made.note;
                    result.failure = made.problem;
                    return result;
                }};
}

/// Its fallback is PairEstimator's, which tests/compute/motion/device_fallback_test.cpp tests.
TaskCase motionCase() {
    return {.name = "motion",
            .command =
                [](const BackendChoice&, const DeviceAccess&) {
                    PairEstimator pairs({});
                    pairs.begin({.make = motionMaker(), .scale = scale()});
                    const FrameResult found = pairs.estimate(motionPair(), resources().context());
                    TaskResult result;
                    add(result, found.field->components.span());
                    return result;
                },
            .window =
                [](Backend, const DeviceAccess&) {
                    PipelineOptions options;
                    options.threads = 2;
                    Pipeline pipeline(options);
                    pipeline.open(scale());
                    EstimationSettings settings;
                    settings.make = motionMaker();
                    pipeline.setSettings(settings);
                    pipeline.request(motionPair(), true);
                    waitFor([&] { return pipeline.status().estimated > 0; });
                    TaskResult result;
                    add(result, pipeline.newest()->field->components.span());
                    return result;
                }};
}

} // namespace systole::test
