// The order in which the surfaces of the frames are made.
#include "app/features/surface/surface_tool.h"

#include <cstddef>
#include <memory>
#include <optional>

namespace systole {
namespace {

std::size_t indexOf(int frame) { return static_cast<std::size_t>(frame); }

} // namespace

/// The next surface that the tool wants, as long as it wants one.
class SurfaceTool::Order final : public CourseOrder<SurfaceWork> {
public:
    explicit Order(SurfaceTool& tool) : tool_(tool) {}
    std::optional<SurfaceTask> next(AwaitedInputs& inputs) override { return tool_.next(inputs); }
    void advance(const SurfaceOutcome&) override {}
    bool done() const override { return false; }

private:
    SurfaceTool& tool_;
};

void SurfaceTool::begin() { course_.begin(std::make_shared<Order>(*this)); }

std::optional<SurfaceTask> SurfaceTool::next(AwaitedInputs& inputs) {
    if (!choice.isOn() || awaitsGiven_)
        return std::nullopt;
    std::optional<SurfaceTask> task = next(series(choice.isCarried()), inputs);
    if (!task && comparesWays() && !inputs.missing())
        task = next(series(!choice.isCarried()), inputs);
    if (task)
        carriedRuns_ = task->choice.isCarried();
    return task;
}

std::optional<SurfaceTask> SurfaceTool::next(Series& of, AwaitedInputs& inputs) {
    of.waiting.clear();
    if (!of.carried)
        return nextAnew(of, inputs);
    return nextCarried(of, inputs);
}

/// The shown frame first, then those that follow it; while playing only what is shown.
std::optional<SurfaceTask> SurfaceTool::nextAnew(Series& of, AwaitedInputs& inputs) {
    const int count = static_cast<int>(of.frames.size()), now = session().playback.frame();
    if (awaitsPicture_)
        return std::nullopt;
    for (int i = 0; i < count; ++i) {
        const int wanted = (now + i) % count;
        if (isMissing(of, wanted))
            return fromSource(of, wanted, inputs);
        if (session().playback.playing())
            break;
    }
    return std::nullopt;
}

SurfaceTask SurfaceTool::taskOf(const Series& of) const {
    SurfaceTask task;
    task.choice = choice;
    task.choice.carried = of.carried;
    task.frames = static_cast<int>(of.frames.size());
    return task;
}

/// Each frame's from the first one's alone, by the motion since the first frame: what an estimation
/// gets wrong isn't carried on into the frames after it.
std::optional<SurfaceTask> SurfaceTool::nextCarried(Series& of, AwaitedInputs& inputs) {
    const bool segmented = choice.source == SurfaceOrigin::Segmentation;
    if (!of.frames.front() && segmented && !isMissing(of, 0)) {
        of.waiting = "waits for a segmentation of frame 0, which is carried along";
        return std::nullopt;
    }
    if (!of.frames.front())
        return fromSource(of, 0, inputs);
    if (!of.frames.front()->scene)
        return std::nullopt; // nothing to carry
    SurfaceTask task = taskOf(of);
    task.from = of.frames.front();
    const int now = session().playback.frame();
    for (int i = 0; i < task.frames; ++i) {
        const int wanted = (now + i) % task.frames;
        if (of.frames[indexOf(wanted)])
            continue;
        task.frame = wanted;
        task.motion = inputs.motionSinceFirst(wanted);
        if (task.motion && task.motion->field)
            return task;
        of.waiting = "waits for the motion since the first frame";
    }
    return std::nullopt;
}

std::optional<SurfaceTask> SurfaceTool::fromSource(Series& of, int frame, AwaitedInputs& inputs) {
    SurfaceTask task = taskOf(of);
    task.frame = frame;
    task.backend = session().motion.backend;
    if (choice.source == SurfaceOrigin::Threshold) {
        task.gray = inputs.frame(frame);
        if (!task.gray)
            return std::nullopt;
    }
    if (choice.source == SurfaceOrigin::Segmentation) {
        task.labels = labels().labels(frame);
        task.grid = labels().grid();
        of.labelsUsed[indexOf(frame)] = labels().revision(frame);
    }
    return task;
}

std::unique_ptr<Tool> makeSurfaceTool(Tools& tools) { return std::make_unique<SurfaceTool>(tools); }

} // namespace systole
