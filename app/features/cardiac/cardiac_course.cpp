// The order in which the motion is measured, as it is estimated.
#include "app/feature/tools.h"
#include "app/features/cardiac/cardiac_tool.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace systole {
namespace {

bool isOnDevice(const FrameResult& motion) { return motion.device && motion.device->field; }

} // namespace

/// The next measurement that the tool wants, as fields arrive.
class CardiacTool::Order final : public CourseOrder<LiveStrainWork> {
public:
    explicit Order(CardiacTool& tool) : tool_(tool) {}
    std::optional<LiveStrainTask> next(AwaitedInputs& inputs) override {
        return tool_.next(inputs);
    }
    void advance(const StrainOutcome&) override {}
    bool done() const override { return false; }

private:
    CardiacTool& tool_;
};

void CardiacTool::begin() { course_.begin(std::make_shared<Order>(*this)); }

/// The motion from frame to frame, once all of it and of that since the first frame is there.
std::vector<std::shared_ptr<const FrameResult>> CardiacTool::newSteps(const AwaitedInputs& inputs) {
    const auto frames = static_cast<int>(has_.size());
    if (stepsPassed_ || std::ranges::count(has_, false) > 1)
        return {};
    auto steps = inputs.motions();
    for (int frame = 0; frame < frames; ++frame) {
        const auto i = static_cast<std::size_t>(frame);
        if (i >= steps.size() || steps[i]->sinceFirst || !isThere(*steps[i]) ||
            steps[i]->fixedFrame != frame || steps[i]->movingFrame != (frame + 1) % frames)
            return {};
    }
    stepsPassed_ = true;
    return steps;
}

bool CardiacTool::measuredOnHost() const { return deviceFailed_ || parameters.isOn("certainty"); }

/// True if all motion so far is on the device. Once every frame is measured no motion is estimated
/// any more, nor on the device.
bool CardiacTool::measuresOnDevice(const AwaitedInputs& inputs) {
    int there = 0, here = 0;
    for (int frame = 1; frame < static_cast<int>(has_.size()); ++frame)
        if (const auto motion = inputs.motionSinceFirst(frame))
            ++(isOnDevice(*motion) ? there : here);
    deviceFailed_ = deviceFailed_ || (there > 0 && here > 0);
    return !measuredOnHost() && (there + here > 0 ? there > 0 : onDevice_);
}

/// True if the motion is where the last task measures: on the device, or on the host.
bool CardiacTool::isThere(const FrameResult& motion) const {
    return onDevice_ ? isOnDevice(motion) : motion.field != nullptr;
}

/// Passes on motion that came since the last task.
bool CardiacTool::addFresh(LiveStrainTask& task, AwaitedInputs& inputs) {
    for (int frame = 1; frame < static_cast<int>(has_.size()); ++frame) {
        const auto i = static_cast<std::size_t>(frame);
        auto motion = inputs.motionSinceFirst(frame);
        if (!motion || motion == passed_[i].lock() || !isThere(*motion) ||
            (motion->field && !carriesInto(i))) // it came since followPoints()
            continue;
        passed_[i] = motion;
        has_[i] = true;
        task.fresh.push_back(std::move(motion));
    }
    task.steps = newSteps(inputs);
    return !task.fresh.empty() || !task.steps.empty();
}

std::optional<LiveStrainTask> CardiacTool::next(AwaitedInputs& inputs) {
    if (!hasLabels() || !failure.empty())
        return std::nullopt;
    LiveStrainTask task;
    task.onDevice = measuresOnDevice(inputs);
    const cardiac::MeasureOptions options = measureOptions(parameters);
    if (task.onDevice != onDevice_ || options.order != options_.order) { // all fields once more
        onDevice_ = task.onDevice;
        ++motions_;
        passed_.assign(passed_.size(), {});
        has_.assign(has_.size(), false);
        stepsPassed_ = false;
    }
    // The first task may have no fields: labels that can't be measured are told of at once.
    if (!addFresh(task, inputs) && outcome_ && !isOutdated())
        return std::nullopt;
    task.ventricle = ventricles_;
    task.motion = motions_;
    task.grid = session().opened->sequence.geometry;
    if (from == HeartLabels::Segmentation) {
        const LabelHistory& labels = tools().get<LabelSource>().labelHistory();
        task.labels = labels.labels(0);
        task.grid = labels.grid();
    }
    if (from == HeartLabels::File)
        task.file = file;
    task.roles = source_.roles;
    task.points = given();
    task.closeCycle = closeCycle_ = parameters.isOn("close-cycle");
    task.options = options_ = options;
    task.standardErrors = certainty_ = parameters.isOn("certainty");
    task.errorBound = errorBound_ = parameters.real("error-bound");
    task.seconds = seconds_ = secondsNow();
    task.endDiastole = diastole_ = session().marks.endDiastole;
    return task;
}

} // namespace systole
