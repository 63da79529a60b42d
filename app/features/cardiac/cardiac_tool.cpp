#include "app/features/cardiac/cardiac_tool.h"

#include "app/base/plural.h"
#include "app/feature/panel.h"
#include "app/feature/tools.h"
#include "app/features/cardiac/strain_doubts.h"
#include "render/overlays/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace systole {
namespace {

/// NaN equals NaN: unknown.
bool sameTimes(const std::vector<double>& a, const std::vector<double>& b) {
    return std::ranges::equal(
        a, b, [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

} // namespace

CardiacTool::CardiacTool(Tools& tools)
    : Tool(tools)
    , course_(*this, {.take = [this](StrainOutcome made) { take(std::move(made)); },
                      .fail = [this](const auto& failed) { fail(failed); }})
    , choice_(*this, [this] { return isFollowed() ? never : 0; }) {}

void CardiacTool::choose(HeartLabels other) {
    if (other != HeartLabels::File) {
        from = other;
        return;
    }
    host().chooseOpen({.title = "Label map of the first frame: cavity, wall, right ventricle",
                       .types = "Label maps (*.nii *.nii.gz *.nrrd *.mha *.mhd);;All files (*)"},
                      [this](const std::string& path) { openFile(path); });
}

void CardiacTool::segmentFirst() {
    choose(HeartLabels::Segmentation);
    host().openPanel(segmentTitle);
}

void CardiacTool::openFile(const std::string& path) {
    if (file != path) {
        fileLabels_.clear();
        roles_ = {};
    }
    file = path;
    ++chosenFiles_;
    from = HeartLabels::File;
}

void CardiacTool::markEndSystole(std::optional<int> frame) {
    session().marks.endSystole = frame;
    followMarks();
}

CardiacTool::Source CardiacTool::sourceNow() const {
    Source source;
    source.from = from;
    if (from == HeartLabels::None)
        return source;
    if (from == HeartLabels::File) {
        source.file = file;
        source.chosen = chosenFiles_;
        source.roles = labelRoles(parameters);
    }
    if (const auto placed = pointsAtReference(); placed.size() == pointsNeeded)
        source.points = placed;
    if (const auto* labels = tools().find<LabelSource>();
        labels && from == HeartLabels::Segmentation)
        source.labels = labels->revision(0);
    return source;
}

CardiacTool::Motion CardiacTool::motionNow() const {
    const auto* given = tools().find<GivenMotion>();
    return {session().estimation.generation, given ? given->givenMotion() : 0,
            session().motion.window};
}

std::vector<double> CardiacTool::secondsNow() const {
    const Sequence& sequence = session().opened->sequence;
    std::vector<double> seconds(static_cast<std::size_t>(sequence.frames),
                                std::numeric_limits<double>::quiet_NaN());
    for (int frame = 0; frame < sequence.frames && sequence.timeKnown(); ++frame)
        seconds[static_cast<std::size_t>(frame)] = sequence.timeOf(frame) - sequence.timeOf(0);
    return seconds;
}

bool CardiacTool::hasLabels() const {
    return from == HeartLabels::Segmentation ? source_.labels != 0
           : from == HeartLabels::Points     ? !source_.points.empty()
                                             : from == HeartLabels::File && !file.empty();
}

bool CardiacTool::showsStrain() const {
    return outcome_ && displayRow("strain").isOn(session().display);
}

bool CardiacTool::lacksMotion() const {
    return hasLabels() && failure.empty() && std::ranges::count(has_, false) > 1; // the first
}

std::string CardiacTool::waiting() const {
    if (from == HeartLabels::None || !failure.empty())
        return "";
    const std::optional<int> point = pointWaitsFor();
    if (!point && !hasLabels())
        return from == HeartLabels::Points
                   ? "Waits for the three points: place them."
                   : "Waits for labels of chamber and wall in frame 0 (Segment panel, with the "
                     "wall).";
    if (!session().motion.enabled)
        return "The motion isn't estimated: it is switched off.";
    if (point)
        return waitingPoint(*point);
    const auto missing = std::ranges::count(has_, false) - 1;
    return missing < 1
               ? ""
               : fmt::format("{} of {} measured; the motion of the others is being estimated.",
                             plural(static_cast<int>(has_.size()) - missing, "frame"), has_.size());
}

std::size_t CardiacTool::placeOf(int frame) const {
    const std::vector<int>& frames = outcome_->motion.frame; // the next beat's frames come last
    std::size_t place = 0;
    for (std::size_t t = 0; t < frames.size(); ++t)
        if (frames[t] <= frame && (frames[place] > frame || frames[t] > frames[place]))
            place = t;
    return place;
}

void CardiacTool::follow(ToolContext& context) {
    const auto frames = static_cast<std::size_t>(session().opened->sequence.frames);
    if (const Motion motion = motionNow(); !(motion == motion_)) {
        motion_ = motion;
        ++motions_;
        carriedPoints_.clear();
        deviceFailed_ = false;
        forget();
    }
    followPoints(context);
    if (const Source source = sourceNow(); !(source == source_) || has_.size() != frames) {
        source_ = source;
        ++ventricles_;
        deviceFailed_ = false;
        forget();
    }
    if (!failure.empty() && isOutdated())
        forget();
    course_.follow(context);
    followMarks();
    followFound();
    followSegment();
    followStrain(context);
}

void CardiacTool::forget() {
    const auto frames = static_cast<std::size_t>(session().opened->sequence.frames);
    begin();
    outcome_.reset();
    failure.clear();
    passed_.assign(frames, {});
    has_.assign(frames, false);
    stepsPassed_ = false;
}

/// True if options, times or the end diastole have changed since the last task.
bool CardiacTool::isOutdated() const {
    return (outcome_ || !failure.empty()) &&
           (options_ != measureOptions(parameters) || certainty_ != parameters.isOn("certainty") ||
            closeCycle_ != parameters.isOn("close-cycle") ||
            errorBound_ != parameters.real("error-bound") || !sameTimes(seconds_, secondsNow()) ||
            diastole_ != session().marks.endDiastole);
}

void CardiacTool::fail(const Course<LiveStrainWork>::Failure& failed) {
    begin();         // other labels or options may do
    if (onDevice_) { // it may be the device's: once more on the host
        deviceFailed_ = true;
        return;
    }
    failure = failed.why + ".";
    if (failed.outcome) {
        fileLabels_ = failed.outcome->fileLabels;
        roles_ = failed.outcome->roles;
    }
    ++outcomes_;
    outcome_.reset();
}

void CardiacTool::take(StrainOutcome made) {
    failure.clear();
    fileLabels_ = made.fileLabels;
    roles_ = made.roles;
    ++outcomes_;
    measured_ = options_;
    outcome_ = std::move(made);
    segment_ = std::min(segment_, cardiac::ahaSegments(measured_.model));
}

void CardiacTool::followMarks() {
    const CardiacMarks& marks = session().marks;
    parameters.set("end-diastole", marks.endDiastole.value_or(-1));
    parameters.set("end-systole", marks.endSystole.value_or(-1));
    if (outcome_)
        outcome_->summary =
            cardiac::summaryOf(outcome_->measures, outcome_->motion,
                               systole::placeOf(outcome_->motion, marks.endSystole));
}

void CardiacTool::show(SceneContribution& scene) const {
    // The labels of a file are seen at once, as the motion carries them; a surface that the user
    // has chosen stays until a segment is.
    if (scene_ && (segment_ > 0 || from == HeartLabels::Points || !scene.surface)) {
        scene.surface = scene_;
        scene.surfaceNote = noteOfShown();
    }
    scene.strain = strain_;
    static constexpr const char* names[] = {"apex", "mitral ring", "right ventricle"};
    if (from == HeartLabels::None && !placing)
        return;
    const auto frame = static_cast<std::size_t>(session().playback.frame());
    for (std::size_t i = 0; i < std::min(carriedPoints_.size(), std::size(names)); ++i)
        if (const auto& at = carriedPoints_[i].at[frame])
            scene.marks.push_back({.position = *at, .text = names[i], .color = {1, 0.8f, 0.3f}});
}

void CardiacTool::markAsNamed() {
    CardiacMarks& marks = session().marks;
    if (const auto frame = namedFrame(parameters, "end-diastole"))
        marks.endDiastole = frame;
    if (const auto frame = namedFrame(parameters, "end-systole"))
        marks.endSystole = frame;
}

void CardiacTool::opened(const OpenedSequence&) {
    course_.close();
    placing = onDevice_ = deviceFailed_ = false;
    outcome_.reset();
    scene_.reset();
    strain_.reset();
    has_.clear();
    passed_.clear();
    failure.clear();
    if (!session().opened) // a choice from before the first file is for it
        return markAsNamed();
    source_ = {};
    points.clear();
    carriedPoints_.clear();
    read.clear();
    segment_ = 0;
    from = HeartLabels::None;
    file.clear();
    fileLabels_.clear();
    roles_ = {};
}

bool CardiacTool::isFollowed() const {
    return sourceNow() == source_ && motionNow() == motion_ &&
           std::ranges::equal(points, carriedPoints_, {}, {}, &CarriedPoint::of) &&
           (busy() || !isOutdated());
}

ToolNeeds CardiacTool::needs() const {
    const bool carries =
        std::ranges::any_of(points, [](const HeartPoint& p) { return p.frame > 0; });
    return {.hostFields = (hasLabels() && measuredOnHost()) || carries,
            .sinceFirst = lacksMotion() || showsStrain() || pointWaitsFor()};
}

bool CardiacTool::unfinished() const {
    const bool never = !session().motion.enabled || !session().estimation.message.empty() ||
                       !session().sinceFirst.message.empty();
    return busy() || (lacksMotion() && !never);
}

void CardiacTool::tell(std::vector<ToolMessage>& messages) const {
    messages.push_back({"Cardiac: ", failure});
}

std::string CardiacTool::caption() const {
    return scene_ && segment_ > 0
               ? fmt::format("segment {} of the left ventricle, {}", segment_,
                             cardiac::ahaNames(model())[static_cast<std::size_t>(segment_ - 1)])
               : "";
}

std::string CardiacTool::notShown(int frame) const {
    return outcome() && showsStrain() ? whyNoStrainMap(*outcome(), frame) : "";
}

std::vector<ToolSetting> CardiacTool::settings() {
    std::vector<ToolSetting> settings{settingOf("cardiac: labels", from),
                                      settingOf("cardiac: label map", file),
                                      settingOf("bull's-eye: quantity", quantity)};
    for (ToolSetting& choice : settings)
        choice.number = false;
    addSettings(settings, "cardiac", parameters);
    // Undone as marks.
    for (const char* id : {"end-diastole", "end-systole"})
        std::erase_if(settings, [mark = "cardiac: " + strainTable().row(id).label()](
                                    const ToolSetting& setting) { return setting.name == mark; });
    return settings;
}

void CardiacTool::reset() {
    parameters = ParamSet(strainTable());
    quantity = 0;
    points.clear();
    segment_ = 0;
}

} // namespace systole
