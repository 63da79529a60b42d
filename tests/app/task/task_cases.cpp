#include "tests/app/task/task_cases.h"

#include "app/features/cardiac/strain_run.h"
#include "app/features/landmarks/landmark_parameters.h"
#include "app/features/landmarks/landmark_run.h"
#include "app/features/landmarks/wall_run.h"
#include "app/features/segmentation/segment_run.h"
#include "compute/cardiac/label_roles.h"
#include "tests/app/task/task_case_parts.h"

#include <ostream>
#include <utility>

namespace systole::test {
namespace {

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

std::vector<StrainTask> strainTasks() {
    const Geometry grid = taskHeartGrid();
    const std::vector<std::uint8_t> labels = taskHeart();
    StrainTask task;
    task.tissue = std::make_shared<const cardiac::TissueMap>(
        cardiac::tissueOf(labels, grid, cardiac::rolesOf(labels, grid.size(), {})));
    task.fields.push_back({1, 0.25, taskBeat});
    task.options = measureOptions(ParamSet(strainTable()));
    return {task};
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
            caseOf<StrainWork>("strain", strainTasks,
                               [](TaskResult& result, const StrainOutcome& made) {
                                   for (const cardiac::FrameMeasures& frame : made.measures.frames)
                                       for (const cardiac::SegmentFrame& segment : frame.segments)
                                           for (int k = 0; k < 3; ++k)
                                               result.numbers.push_back(100 * segment.strain[k]);
                               }),
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
