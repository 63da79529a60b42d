#include "app/features/segmentation/segmentation_tool.h"

#include "app/anatomy/label_record.h"
#include "app/feature/panel.h"
#include "app/feature/tools.h"
#include "compute/core/elapsed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace systole {
namespace {

constexpr const char* keptLabelsName = "labels.nii.gz";

constexpr const char* stepName = "segmentation";

/// The labels: what can be undone is their history's.
struct LabelState : ToolState {
    LabelState(int position, std::string step, std::vector<int> numbers)
        : position(position), step(std::move(step)), numbers(std::move(numbers)) {}
    std::vector<Change> changesTo(const ToolState& other) const override {
        const auto& after = dynamic_cast<const LabelState&>(other);
        if (position == after.position)
            return {};
        return {{after.position > position ? after.step : step}};
    }

    int position = 0;         ///< LabelHistory::position()
    std::string step;         ///< LabelHistory::lastName()
    std::vector<int> numbers; ///< SegmentationTool::numbers(), with the labels that they are of
};

} // namespace

const char* SegmentationTool::seedName(std::size_t seed) const {
    static constexpr const char* names[] = {"apex", "mitral ring", "right ventricle"};
    return byPoints && seed < std::size(names) ? names[seed] : "click";
}

std::optional<VentriclePoints> SegmentationTool::pointsOf(int frame) const {
    if (!byPoints || seedsInVoxels || seeds.size() < seedsNeeded() || frame != seedFrame)
        return std::nullopt;
    return VentriclePoints{seeds[0], seeds[1], seeds[2]};
}

std::string SegmentationTool::whyNot() const {
    if (!session().opened)
        return "no file is open";
    return session().inPlace.empty() ? "" : "the views show the " + session().inPlace;
}

void SegmentationTool::showLabels() {
    if (auto* surface = tools().find<LabelSurface>())
        surface->showLabel(label);
}

void SegmentationTool::showCurve() {
    showLabels();
    host().openPanel(surfaceTitle);
}

void SegmentationTool::stop() {
    if (!running)
        return;
    end({});
    note = fmt::format("Stopped: {} of {} frames are segmented.", finished, total);
}

void SegmentationTool::follow(ToolContext& context) {
    const Sequence& sequence = session().opened->sequence;
    if (labels.frames() != sequence.frames) {
        labels.reset(sequence.geometry, sequence.frames);
        savedRevision_ = labels.revision();
    }
    if (std::exchange(starting_, false))
        begin();
    // A stroke or a pull isn't interrupted by a result.
    if (run_ && running && !dragging_)
        if (std::optional<SegmentOutcome> outcome = run_->take())
            take(std::move(*outcome));
    if (running && !asked_)
        startNext(context);
    followFiles();
    doubts_.follow(labels);
    if (!dragging_)
        comparison.follow(labels);
    if (running) {
        const SegmentRun::Progress progress = run_->progress();
        phase = progress.phase;
        fraction = (finished + progress.fraction) / total;
    }
}

void SegmentationTool::startChosen(bool) {
    if (!seeds.empty())
        start();
    if (const std::string path = std::exchange(chosenLabels, {}); !path.empty())
        openLabels(path);
}

void SegmentationTool::showSurface() {
    if (auto* const surface = tools().find<LabelSurface>())
        surface->showLabel(chamberLabel);
}

void SegmentationTool::begin() {
    end({});
    note.clear();
    if (const std::string why = whyNot(); !why.empty())
        return end("No segmentation now: " + why + ".");
    if (seeds.size() != seedsNeeded())
        return end("A segmentation starts from one click or from three points.");
    const Geometry& grid = session().opened->sequence.geometry;
    if (std::exchange(seedsInVoxels, false))
        std::ranges::transform(seeds, seeds.begin(),
                               [&](Vec3 voxel) { return grid.indexToPhysical(voxel); });
    seeds_ = {};
    if (byPoints)
        seeds_.points = VentriclePoints{seeds[0], seeds[1], seeds[2]};
    else
        seeds_.click = seeds.front();
    session().playback.pause();
    seedFrame = std::exchange(startFrame, std::nullopt).value_or(session().playback.frame());
    order_ =
        allFrames ? framesAround(seedFrame, session().opened->sequence.frames) : std::vector<int>{};
    order_.insert(order_.begin(), seedFrame);
    next_ = 0;
    step_ = -1;
    started_ = Clock::now();
    running = true;
    finished = 0;
    total = static_cast<int>(order_.size());
    doubts_.begin(seedFrame);
    if (!run_)
        run_ = std::make_unique<SegmentRun>(
            SegmentRun::Options{.threads = session().estimationThreads, .notify = notify()});
}

void SegmentationTool::startNext(ToolContext& context) {
    const int wanted = order_[next_];
    SegmentTask task;
    task.frame = wanted;
    task.image = context.frame(wanted);
    awaitsFrame_ = !task.image;
    if (awaitsFrame_ && !context.readable(wanted))
        end(fmt::format("Frame {} can't be read.", wanted));
    if (!task.image)
        return;
    task.seeds = seeds_;
    task.options = segmentOptions(parameters);
    task.options.clickInWall = task.options.clickInWall && seeds_.click.has_value();
    if (next_ == 0)
        firstImage_ = task.image;
    task.goesOn = next_ > 0;
    if (task.goesOn && wanted + 1 == order_.front())
        task.from = firstImage_;
    asked_ = true;
    run_->start(std::move(task));
}

void SegmentationTool::take(SegmentOutcome outcome) {
    asked_ = false;
    if (!outcome.found)
        return end(fmt::format("Frame {}: {}.", outcome.frame, outcome.failure));
    keep(outcome);
    ++finished;
    if (++next_ < order_.size())
        return;
    seconds = secondsSince(started_);
    end({});
    if (places(mode))
        mode = SegmentMode::None; // it has done its work
}

/// All results of a run are one step back, unless the user edits in between. With the first one the
/// labels that an earlier run has left in its frames go: those of two runs aren't one series.
void SegmentationTool::keep(const SegmentOutcome& outcome) {
    if (step_ < 0 || labels.position() != step_)
        labels.begin(stepName);
    if (step_ < 0)
        for (const int frame : order_)
            labels.remove(frame);
    labels.replace(outcome.frame, outcome.found->labels);
    step_ = labels.position();
    doubts_.found(outcome.frame, labels.milliliters(outcome.frame, chamberLabel), outcome.doubt);
    showLabels();
}

void SegmentationTool::end(std::string why) {
    if (run_)
        run_->cancel();
    running = false;
    phase.clear();
    fraction = 0;
    failure = std::move(why);
    asked_ = awaitsFrame_ = false;
    firstImage_.reset();
    labels.end();
}

void SegmentationTool::clear() {
    end({});
    note.clear();
    seeds.clear();
    numbers_.clear();
    labels.begin("removal of the labels");
    for (int frame = 0; frame < labels.frames(); ++frame)
        labels.remove(frame);
    labels.end();
}

void SegmentationTool::opened(const OpenedSequence&) {
    run_.reset();
    dragging_ = starting_ = false;
    end({});
    if (session().opened) // points from before the first file are for it
        seeds.clear();
    labels.reset(Geometry(), 0);
    forgetFiles();
    doubts_ = {};
    note.clear();
    finished = total = 0;
    over_.reset();
}

double SegmentationTool::secondsToNextTick() const {
    const bool reads = !readsNow_ && !filesToRead_.empty();
    const bool opens = !toOpen_.empty() && !running && !dragging_;
    const bool begins = starting_ || reads || opens;
    return begins ? 0 : awaitsFrame_ ? retrySeconds : never;
}

void SegmentationTool::tell(std::vector<ToolMessage>& messages) const {
    messages.push_back({"Segmentation: ", failure});
    messages.push_back({"Segmentation: ", note, false});
    messages.push_back({"Segmentation: ", openedAfterRun(), false});
    messages.push_back({"Segmentation: ", running ? "" : doubts_.ofFinding(), false});
}

/// Strokes and pulls are no options; labels of a file are, once they are saved.
std::string SegmentationTool::notInOptions() const {
    const std::string last = labels.lastName();
    return (last == "brush" || last == "eraser" || last == "pull") && !isSaved()
               ? "labels that were edited by hand aren't in the command; save them, and open the "
                 "file"
               : "";
}

std::vector<UnsavedWork> SegmentationTool::unsaved() {
    if (isSaved())
        return {};
    return {{fmt::format("labels of the segmentation, {} frame{}", labels.labelled(),
                         labels.labelled() == 1 ? "" : "s"),
             [this](std::function<void()> then) { save(std::move(then)); },
             [this] {
                 return KeptWork{.state = fmt::format("{}", labels.revision()),
                                 .files = {keptLabelsName, labelRecordPath(keptLabelsName)},
                                 .write = writer()};
             }}};
}

void SegmentationTool::recover(const std::function<std::string(const char* name)>& found) {
    if (const std::string path = found(keptLabelsName); !path.empty())
        openLabels(path);
}

std::vector<ToolSetting> SegmentationTool::settings() {
    std::vector<ToolSetting> settings{
        settingOf("segmentation: frames", allFrames), settingOf("segmentation: label", label),
        settingOf("brush: radius", brushMillimeters), settingOf("brush: slice only", disk),
        settingOf("pull: width", pullMillimeters)};
    settings[1].number = false; // a choice of two
    addSettings(settings, "segmentation", parameters);
    return settings;
}

std::shared_ptr<const ToolState> SegmentationTool::state() const {
    return std::make_shared<LabelState>(labels.position(), labels.lastName(), numbers_);
}

void SegmentationTool::restore(const ToolState& state) {
    const auto& of = dynamic_cast<const LabelState&>(state);
    numbers_ = of.numbers;
    const auto frame = labels.moveTo(of.position);
    if (frame && !session().playback.playing())
        session().playback.seek(*frame); // what is undone is seen
}

std::vector<std::unique_ptr<Tool>> segmentationTools(Tools& tools) {
    std::vector<std::unique_ptr<Tool>> list;
    list.push_back(std::make_unique<SegmentationTool>(tools));
    return list;
}

} // namespace systole
