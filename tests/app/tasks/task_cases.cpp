#include "tests/app/tasks/task_cases.h"

#include "app/bias/bias_run.h"
#include "app/estimation/pipeline.h"
#include "app/landmarks/landmark_parameters.h"
#include "app/landmarks/landmark_run.h"
#include "app/landmarks/wall_run.h"
#include "app/registration/methods.h"
#include "app/registration/registration_run.h"
#include "app/segmentation/segment_run.h"
#include "app/surface/frame_distance.h"
#include "app/surface/surface_run.h"
#include "compute/motion/gray_range.h"
#include "compute/motion/methods.h"
#include "compute/motion/pair_estimator.h"
#include "compute/surface/surface.h"
#include "tests/support/volume_of.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ostream>
#include <span>
#include <stdexcept>
#include <thread>

namespace systole::test {
namespace {

using namespace std::chrono_literals;

constexpr int side = 32;

ExecResources& resources() {
    static ExecResources made{2};
    return made;
}

} // namespace

std::shared_ptr<const Volume> taskFrame(int shift) {
    const Geometry grid({side, side, side}, {2, 2, 2});
    return std::make_shared<const Volume>(
        volumeOf(grid, resources().pool(), [&](int i, int y, int z) {
            const double x = i - shift, middle = 0.5 * (side - 1);
            const double away = std::hypot(x - middle, y - middle, z - middle);
            return 100 + 80 / (1 + std::exp(2 * (away - 8))) +
                   6 * std::sin(0.9 * x) * std::cos(0.8 * y + 0.5 * z) + 4 * std::sin(1.7 * z + x);
        }));
}

std::vector<Vec3> taskPoints() {
    std::vector<Vec3> points;
    for (int i = 0; i < 8; ++i)
        points.push_back(taskFrame(0)->geometry.indexToPhysical(
            {10.0 + (i % 2) * 11, 10.0 + (i / 2 % 2) * 11, 10.0 + (i / 4) * 11}));
    return points;
}

Vec3 taskSeed() {
    constexpr double middle = 0.5 * (side - 1);
    return taskFrame(0)->geometry.indexToPhysical({middle, middle, middle});
}

std::vector<std::uint8_t> taskWall() {
    const std::shared_ptr<const Volume> image = taskFrame(0);
    std::vector<std::uint8_t> labels(image->geometry.voxels(), 0);
    for (int z = 6; z < 26; ++z)
        for (int y = 6; y < 26; ++y)
            for (int x = 8; x < 14; ++x)
                labels[image->view().offset(x, y, z)] = wallLabel;
    return labels;
}

namespace {

constexpr auto frame = taskFrame;

/// As the program finds it in a file of the frames.
IntensityScale scale() {
    GrayRange range(taskFrames);
    for (int t = 0; t < taskFrames; ++t)
        range.add(frame(t)->view());
    return range.scale();
}

void add(TaskResult& result, std::span<const float> values) {
    for (const float value : values)
        result.numbers.push_back(static_cast<double>(value));
}
void add(TaskResult& result, Vec3 p) {
    result.numbers.insert(result.numbers.end(), {p.x, p.y, p.z});
}

template <typename Condition>
void waitFor(const Condition& condition) {
    const auto end = std::chrono::steady_clock::now() + 200s;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end)
            throw std::runtime_error("the task doesn't end");
        std::this_thread::sleep_for(1ms);
    }
}

/// The outcomes of a TaskRun, one after the other.
template <typename Run>
std::vector<typename Run::Outcome> inTheWindow(std::vector<typename Run::Task> tasks) {
    Run run({.threads = 2});
    std::vector<typename Run::Outcome> outcomes;
    for (auto& task : tasks) {
        run.start(std::move(task));
        std::optional<typename Run::Outcome> outcome;
        waitFor([&] { return (outcome = run.take()).has_value(); });
        outcomes.push_back(std::move(*outcome));
    }
    return outcomes;
}
template <typename Work>
std::vector<typename Work::Outcome> byTheCommand(std::vector<typename Work::Task> tasks,
                                                 const ExecContext& given) {
    ExecContext ctx = given;
    Work work;
    std::vector<typename Work::Outcome> outcomes;
    for (auto& task : tasks) {
        typename Work::Outcome made;
        made.frame = task.frame;
        work.run(task, made, ctx);
        outcomes.push_back(std::move(made));
    }
    return outcomes;
}

/// A task that is a Work class. The window runs it on the CPU.
template <typename Work>
TaskCase caseOf(const std::string& name, std::vector<typename Work::Task> (*tasks)(),
                void (*addTo)(TaskResult&, const typename Work::Outcome&)) {
    const auto resultOf = [addTo](const std::vector<typename Work::Outcome>& outcomes) {
        TaskResult result;
        for (const auto& outcome : outcomes) {
            result.failure += outcome.failure;
            addTo(result, outcome);
        }
        return result;
    };
    return {.name = name,
            .command =
                [=](const BackendChoice& choice, const DeviceAccess& access) {
                    DevicePolicy device(choice, {}, access);
                    TaskResult result =
                        resultOf(device.run(resources().context(), [&](const ExecContext& where) {
                            return byTheCommand<Work>(tasks(), where);
                        }));
                    result.fallback = device.fallback();
                    return result;
                },
            .window =
                [=](Backend, const DeviceAccess&) {
                    return resultOf(inTheWindow<TaskRun<Work>>(tasks()));
                }};
}

std::vector<SegmentTask> segmentTasks() {
    std::vector<SegmentTask> tasks;
    for (int t = 0; t < taskFrames; ++t) {
        SegmentTask task;
        task.frame = t;
        task.image = frame(t);
        task.seeds.click = taskSeed();
        task.options = segmentOptions(ParamSet(segmentTable()));
        task.goesOn = t > 0;
        tasks.push_back(std::move(task));
    }
    return tasks;
}

std::vector<LandmarkTask> detectTasks() {
    LandmarkTask task;
    task.image = frame(0);
    ParamSet parameters(detectionTable());
    parameters.set("number", 40);
    parameters.set("spacing", 8.0);
    task.detect = cornerSettings(parameters);
    return {task};
}

std::vector<LandmarkTask> trackTasks() {
    LandmarkStart start;
    start.image = frame(0);
    for (const Vec3 point : taskPoints())
        start.voxels.push_back(start.image->geometry.physicalToIndex(point));
    ParamSet parameters(trackingTable());
    parameters.set("reach", 8.0);
    start.settings = trackerSettings(parameters, start.image->geometry.spacing());
    start.scale = scale();
    std::vector<LandmarkTask> tasks;
    for (const int t : {1, 2}) {
        LandmarkTask task;
        task.frame = t;
        task.image = frame(t);
        if (t == 1)
            task.start = std::make_shared<const LandmarkStart>(start);
        tasks.push_back(std::move(task));
    }
    return tasks;
}

std::vector<WallTask> wallTasks() {
    auto start = std::make_shared<WallStart>();
    const std::shared_ptr<const Volume> image = frame(0);
    start->source = {image->geometry, std::make_shared<const LabelMap>(taskWall()), "", 0};
    for (const Vec3 point : taskPoints())
        start->points.push_back(TrackedPosition{point});
    start->options = wallOptions(ParamSet(wallTable()));
    std::vector<WallTask> tasks;
    for (const LandmarkOutcome& tracked :
         byTheCommand<LandmarkWork>(trackTasks(), resources().context())) {
        WallTask task{.start = start, .frame = tracked.frame, .positions = {}};
        for (const TrackedPoint& point : tracked.points)
            task.positions.push_back(
                point.fate == TrackFate::Tracked
                    ? std::optional(TrackedPosition{image->geometry.indexToPhysical(point.position),
                                                    double{point.certainty}})
                    : std::nullopt);
        tasks.push_back(std::move(task));
    }
    return tasks;
}

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

RegistrationPlan registerPlan(Backend backend) {
    const MotionMethod& method = motionMethod("clg");
    return planOf(method, ParamSet(*method.parameters, "default"), backend, true);
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
                    SurfaceRun run({.threads = 2, .notify = {}, .devices = access});
                    SurfaceTask task;
                    task.choice = surfaceChoice();
                    task.backend = backend;
                    task.gray = frame(0);
                    run.start(std::move(task));
                    waitFor([&] { return !run.busy(); });
                    const LiveSurfaces made = run.take();
                    TaskResult result;
                    if (made.empty())
                        return result;
                    if (made.front()->scene)
                        add(result, *made.front()->scene->mesh);
                    result.fallback = made.front()->note;
                    result.failure = made.front()->problem;
                    return result;
                }};
}

FramePair motionPair() { return {frame(0), frame(1), 0, 1}; }
MakeEstimator motionMaker() {
    const MotionMethod& method = motionMethod("clg");
    return estimatorMaker(method, ParamSet(*method.parameters, "default"));
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

} // namespace

const std::vector<TaskCase>& taskCases() {
    static const std::vector<TaskCase> cases = [] {
        TaskCase detect = caseOf<LandmarkWork>(
            "landmarks detect", detectTasks, [](TaskResult& result, const LandmarkOutcome& made) {
                for (const Corner& corner : made.corners) {
                    const Voxel v = corner.voxel;
                    add(result, Vec3{double(v.x), double(v.y), double(v.z)});
                    result.numbers.push_back(double{corner.response});
                }
            });
        TaskCase track = caseOf<LandmarkWork>(
            "landmarks track", trackTasks, [](TaskResult& result, const LandmarkOutcome& made) {
                for (const TrackedPoint& point : made.points) {
                    add(result, point.position);
                    result.numbers.push_back(double{point.certainty});
                }
            });
        detect.onDevice = track.onDevice = true;
        return std::vector<TaskCase>{
            motionCase(),
            registerCase(),
            biasCase(),
            denoiseCase(),
            caseOf<SegmentWork>("segment", segmentTasks,
                                [](TaskResult& result, const SegmentOutcome& made) {
                                    if (!made.found)
                                        return;
                                    add(result, made.found->signedDistance.view().span());
                                    for (const std::uint8_t label : made.found->labels)
                                        result.numbers.push_back(label);
                                }),
            detect,
            track,
            caseOf<WallWork>("wall", wallTasks, [](TaskResult& result, const WallOutcome& made) {
                for (const auto& position : made.positions)
                    add(result, position ? position->position : Vec3{});
            })};
    }();
    return cases;
}

std::vector<TaskCase> casesOnDevice() {
    std::vector<TaskCase> cases = taskCases();
    std::erase_if(cases, [](const TaskCase& one) { return !one.onDevice; });
    return cases;
}

std::string testName(const TaskCase& one) {
    std::string name = one.name;
    std::erase(name, ' ');
    return name;
}

void PrintTo(const TaskCase& one, std::ostream* out) { *out << one.name; }

} // namespace systole::test
