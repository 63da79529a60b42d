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

SegmentationTool::SegmentationTool(Tools& tools)
    : Tool(tools)
    , start_(*this)
    , course_(*this, {.take = [this](const SegmentOutcome& outcome) { take(outcome); },
                      .fail =
                          [this](const CourseFailure& failure) {
                              end(failure.unreadable
                                      ? failure.why
                                      : fmt::format("Frame {}: {}.", failure.frame, failure.why));
                          },
                      .done = [this] { finish(); }})
    , reading_(*this,
               {.take = [this](const LabelReadOutcome& outcome) { takeRead(outcome); },
                .fail =
                    [this](const CourseFailure& failure) {
                        filesToRead_.pop_front();
                        this->failure = failure.why + ".";
                        readFiles();
                    }},
               {}, 1)
    , opening_(*this, [this] { return canOpen() ? 0 : never; }) {}

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
    if (!running())
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
    if (start_.take())
        begin();
    // A stroke or a pull isn't interrupted by a result.
    if (!dragging_)
        course_.follow(context);
    followFiles(context);
    doubts_.follow(labels);
    if (!dragging_)
        comparison.follow(labels);
    if (running()) {
        const SegmentRun::Progress progress = course_.progress();
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
    SegmentSeeds placed;
    if (byPoints)
        placed.points = VentriclePoints{seeds[0], seeds[1], seeds[2]};
    else
        placed.click = seeds.front();
    session().playback.pause();
    seedFrame = std::exchange(startFrame, std::nullopt).value_or(session().playback.frame());
    order_ = segmentedFrames(seedFrame, allFrames, session().opened->sequence.frames);
    step_ = -1;
    started_ = Clock::now();
    finished = 0;
    total = static_cast<int>(order_.size());
    doubts_.begin(seedFrame);
    course_.begin(std::make_shared<SegmentOrder>(placed, segmentOptions(parameters), order_));
}

void SegmentationTool::take(const SegmentOutcome& outcome) {
    keep(outcome);
    ++finished;
}

void SegmentationTool::finish() {
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
    course_.stop();
    phase.clear();
    fraction = 0;
    failure = std::move(why);
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
    course_.close();
    start_.drop();
    dragging_ = false;
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

void SegmentationTool::tell(std::vector<ToolMessage>& messages) const {
    messages.push_back({"Segmentation: ", failure});
    messages.push_back({"Segmentation: ", note, false});
    messages.push_back({"Segmentation: ", openedAfterRun(), false});
    messages.push_back({"Segmentation: ", running() ? "" : doubts_.ofFinding(), false});
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
        session().playback.seek(*frame); // the user sees what changes
}

std::unique_ptr<Tool> makeSegmentationTool(Tools& tools) {
    return std::make_unique<SegmentationTool>(tools);
}

} // namespace systole
