#include "app/features/surface/surface_tool.h"

#include "app/feature/tools.h"
#include "render/overlays/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <utility>

namespace systole {
namespace {

std::size_t indexOf(int frame) { return static_cast<std::size_t>(frame); }

} // namespace

SurfaceTool::SurfaceTool(Tools& tools)
    : Tool(tools)
    , course_(*this, {.changed = [this] { return !(keyNow() == key_); },
                      .renew = [this] { renew(); },
                      .take = [this](const SurfaceOutcome& outcome) { take(outcome); },
                      .fail =
                          [this](const CourseFailure& failure) {
                              auto none = std::make_shared<LiveSurface>();
                              const bool carried = choice.isCarried(),
                                         lacked = !frames()[indexOf(failure.frame)];
                              none->frame = failure.frame;
                              // The other series, others(), lacks it
                              none->carried = lacked ? carried : !carried;
                              none->problem = failure.why;
                              Series& of = series(none->carried);
                              of.frames[indexOf(failure.frame)] = std::move(none);
                              begin();
                          }})
    , surroundings_(*this, [this] {
        const bool drawn = followsPictures() && session().paintedFrame != seenPainted_;
        return drawn || awaitsGiven_ ? 0 : never;
    }) {}

std::string SurfaceTool::problem() const {
    for (const auto& made : frames())
        if (made && !made->problem.empty())
            return made->problem;
    return "";
}

bool SurfaceTool::allMade() const {
    const bool segmented = choice.source == SurfaceOrigin::Segmentation;
    return !busy() && std::ranges::all_of(frames(), [&](const auto& made) {
        const auto frame = static_cast<int>(&made - frames().data());
        return made || (segmented && !(frame < labels().frames() && labels().has(frame)));
    });
}

/// While playing it is made anew with every frame, and never finished.
bool SurfaceTool::unfinished() const {
    // Nothing is carried along if there is no motion.
    const bool never = choice.isCarried() && session().shownFrame != 0 &&
                       (!session().motion.enabled || !session().estimation.message.empty() ||
                        !session().sinceFirst.message.empty());
    return choice.isOn() && !never && problem().empty() && !session().playback.playing() &&
           !(shown && shown->frame == session().shownFrame);
}

void SurfaceTool::tell(std::vector<ToolMessage>& messages) const {
    messages.push_back({"Surface: ", problem()});
}

/// The tool of the segmentation shows its labels: they are no settings of the surface.
std::vector<ToolSetting> SurfaceTool::settings() {
    const auto changed = [this] { ++choice.revision; };
    std::vector<ToolSetting> settings{settingOf("surface: from", choice.source, changed),
                                      settingOf("surface: label", choice.label, changed),
                                      settingOf("surface: frames", choice.carried),
                                      settingOf("surface: file", choice.file, changed),
                                      settingOf("surface: threshold", choice.threshold, changed),
                                      settingOf("surface: denoise", choice.denoise, changed)};
    for (std::size_t i = 0; i < 3; ++i)
        settings[i].follows = true;
    settings[1].number = false; // a choice, not a quantity
    addSettings(settings, "surface", choice.denoising, changed);
    return settings;
}

void SurfaceTool::reset() {
    const std::uint64_t revision = choice.revision + 1;
    choice = {};
    choice.revision = revision;
}

/// The surface of the frame is made; the panel's curves have every frame. The frame's own pair
/// comes after those of a cycle.
bool SurfaceTool::completeFor(int frame, bool panels) const {
    return !choice.isOn() ||
           (shown && shown->frame == frame && session().cycle.total == 0 && (!panels || allMade()));
}

std::string SurfaceTool::caption() const {
    if (!shown || !shown->scene || !displayRow("surface").isOn(session().display))
        return "";
    const std::string file = std::filesystem::path(choice.file).filename().string();
    std::string text = "surface of ";
    if (choice.source == SurfaceOrigin::Threshold)
        text += fmt::format("threshold {:g}", choice.threshold);
    else if (choice.source == SurfaceOrigin::Labels)
        text += fmt::format("label {} of {}", choice.label, file);
    else if (choice.source == SurfaceOrigin::Segmentation)
        text += fmt::format("label {} of a segmentation in the viewer", choice.label);
    else
        text += file;
    return text + (choice.denoise ? ", denoised" : "") +
           (choice.isCarried() ? ", carried by the motion" : "");
}

void SurfaceTool::showLabel(int label) {
    if (choice.source == SurfaceOrigin::Segmentation && choice.label == label)
        return;
    if (choice.source != SurfaceOrigin::Segmentation)
        choice.carried = false;
    choice.source = SurfaceOrigin::Segmentation;
    choice.label = label;
    ++choice.revision;
}

void SurfaceTool::followLabel(int label) {
    if (choice.source == SurfaceOrigin::Segmentation)
        showLabel(label);
}

std::shared_ptr<const LiveSurface> SurfaceTool::ofLabels() const {
    return choice.source == SurfaceOrigin::Segmentation && shown && shown->scene ? shown : nullptr;
}

std::shared_ptr<const LiveSurface> SurfaceTool::of(int frame) const {
    if (indexOf(frame) >= frames().size())
        return nullptr;
    const auto& made = frames()[indexOf(frame)];
    return made && made->scene ? made : nullptr;
}

const LabelHistory& SurfaceTool::labels() const {
    static const LabelHistory none;
    const auto* source = tools().find<LabelSource>();
    return source ? source->labelHistory() : none;
}

/// Motion on the host moves surfaces or colors them; carried ones need that since the first frame
/// until all are there.
ToolNeeds SurfaceTool::needs() const {
    const LiveSurfaces& carried = series(true).frames;
    const bool none = !carried.empty() && carried.front() && !carried.front()->scene;
    const std::string color = displayRow("surface-color").text(session().display);
    const bool byMotion = color != "plain" && color != "curvature" && color != "distance";
    return {.hostFields = choice.isOn() && (choice.isCarried() || comparesWays() || byMotion),
            .sinceFirst = choice.isOn() && (choice.isCarried() || comparesWays()) && !none &&
                          !complete(carried)};
}

void SurfaceTool::show(SceneContribution& scene) const {
    scene.surface = shown ? shown->scene : nullptr;
    scene.surfaceNote = noteOfShown();
}

/// While playing that of another frame stays. One that is about to be replaced needs no word.
std::string SurfaceTool::noteOfShown() const {
    const int frame = session().playback.frame();
    if (!shown || !shown->scene || shown->frame == frame || shown->still)
        return "";
    const bool comes = followsPictures() && isMissing(series(false), frame);
    return comes ? "" : fmt::format("surface of frame {}", shown->frame);
}

void SurfaceTool::opened(const OpenedSequence&) {
    course_.stop();
    key_.frames = 0;
    for (Series& of : series_)
        of.frames.clear();
    shown.reset();
    newest.reset();
    saved_.clear();
    if (!session().opened)
        return; // a choice from before the first file is for it
    reset();
}

/// All that is made is forgotten.
void SurfaceTool::forgetAll(Series& of) {
    of.frames.assign(indexOf(session().opened->sequence.frames), nullptr);
    of.labelsUsed.assign(of.frames.size(), 0);
    of.waiting.clear();
    if (of.carried == choice.isCarried())
        newest.reset();
    if (course_.underWay() && of.carried == carriedRuns_)
        begin();
}

void SurfaceTool::forget(int frame) { series(choice.isCarried()).frames[indexOf(frame)].reset(); }

void SurfaceTool::follow(ToolContext& context) {
    awaitsGiven_ = false;
    course_.renew();
    for (Series& of : series_)
        followLabels(of);
    followPicture();
    course_.follow(context);

    const auto& ofFrame = frames()[indexOf(session().playback.frame())];
    // While playing the last one stays until the frame has its own.
    if (ofFrame || !session().playback.playing())
        shown = ofFrame;
}

void SurfaceTool::take(const SurfaceOutcome& outcome) {
    const std::shared_ptr<const LiveSurface>& made = outcome.made;
    Series& of = series(made->carried);
    if (made->frame < 0 || indexOf(made->frame) >= of.frames.size() || isForgotten(of, made->frame))
        return;
    if (of.carried == choice.isCarried())
        newest = made;
    of.frames[indexOf(made->frame)] = made;
}

/// While playing, what is made anew waits for the frame's picture, which would wait for the device
/// otherwise; but no longer than for the next one, since drawing may take longer than frames do.
void SurfaceTool::followPicture() {
    const int painted = session().paintedFrame, before = std::exchange(seenPainted_, painted);
    awaitsPicture_ =
        followsPictures() && painted != session().playback.frame() && painted == before;
}

bool SurfaceTool::followsPictures() const {
    return choice.isOn() && !choice.isCarried() && session().playback.playing();
}

SurfaceTool::Key SurfaceTool::keyNow() const {
    const auto* source = tools().find<GivenMotion>();
    return {choice.revision,         indexOf(session().opened->sequence.frames),
            choice.isCarried(),      session().estimation.generation,
            session().motion.window, source ? source->givenMotion() : 0};
}

/// Forgets surfaces made with another choice, or carried by other motion.
void SurfaceTool::renew() {
    const Key before = std::exchange(key_, keyNow());
    Series& carried = series(true);
    const bool another = key_.revision != before.revision || frames().size() != key_.frames;
    awaitsGiven_ = key_.given != before.given;
    const bool byOtherMotion =
        key_.generation != before.generation || key_.window != before.window || awaitsGiven_;
    if (!course_.running())
        begin();
    if (!another && !byOtherMotion)
        return;
    if (another)
        forgetAll(series(false));
    const auto first = another ? nullptr : carried.frames.front();
    const std::uint64_t firstUsed = another ? 0 : carried.labelsUsed.front();
    forgetAll(carried);
    carried.frames.front() = first;
    carried.labelsUsed.front() = firstUsed;
    if (choice.isCarried())
        newest = first;
    if (another || choice.isCarried())
        shown.reset();
}

/// Surfaces of frames whose segmentation is gone are forgotten; those of frames whose labels have
/// changed stay until they are made again.
void SurfaceTool::followLabels(Series& of) {
    const auto* source = tools().find<LabelSource>();
    if (choice.source != SurfaceOrigin::Segmentation || !source)
        return;
    for (int frame = 0; frame < static_cast<int>(of.frames.size()); ++frame) {
        std::uint64_t& used = of.labelsUsed[indexOf(frame)];
        const std::uint64_t now = source->revision(frame);
        // A carried surface is made of the first frame's labels.
        if (of.carried && frame == 0 && used != 0 && used != now)
            return forgetAll(of);
        if (used != 0 && now == 0) {
            used = 0;
            of.frames[indexOf(frame)].reset();
        }
    }
}

/// The labels that the surface was made of are gone.
bool SurfaceTool::isForgotten(const Series& of, int frame) const {
    return choice.source == SurfaceOrigin::Segmentation && !of.carried &&
           of.labelsUsed[indexOf(frame)] == 0;
}

bool SurfaceTool::isMissing(const Series& of, int frame) const {
    if (choice.source != SurfaceOrigin::Segmentation)
        return !of.frames[indexOf(frame)];
    return frame < labels().frames() && labels().has(frame) &&
           of.labelsUsed[indexOf(frame)] != labels().revision(frame);
}

/// True if the frames can be followed both ways, and the ejection fraction found one way is worth a
/// second one.
bool SurfaceTool::comparesWays() const {
    return choice.source != SurfaceOrigin::Mesh && !session().playback.playing() &&
           frames().size() > 1 && complete(frames()) && problem().empty();
}

} // namespace systole
