#include "app/features/landmarks/landmark_tool.h"

#include "app/feature/tools.h"
#include "app/features/landmarks/landmark_figures.h"
#include "app/features/landmarks/wall_tool.h"
#include "compute/core/error.h"
#include "io/landmarks/landmark_file.h"

#include <fmt/format.h>

#include <utility>

namespace systole {
namespace {

constexpr const char* keptLandmarksName = "landmarks.csv";

struct PointState : ToolState {
    explicit PointState(const LandmarkState& now) : points(now.points), step(now.step) {}
    std::vector<Change> changesTo(const ToolState& other) const override {
        const auto& after = dynamic_cast<const PointState&>(other);
        if (points == after.points)
            return {};
        return {{after.points == noLandmarks() ? "removal of the landmarks" : after.step}};
    }

    std::shared_ptr<const LandmarkSet> points;
    std::string step;
};

} // namespace

LandmarkTool::LandmarkTool(Tools& tools)
    : Tool(tools)
    , find_(
          *this, [this] { return !awaitsLabels(); }, retrySeconds)
    , file_(*this)
    , reference_(*this)
    , waiting_(*this, [this] { return complete(); })
    , course_(*this,
              {.changed = [this] { return changed(); },
               .renew = [this] { renew(); },
               .take = [this](const LandmarkOutcome& outcome) { take(outcome); },
               .fail =
                   [this](const CourseFailure& failure) {
                       end(failure.unreadable
                               ? failure.why
                               : fmt::format("Frame {}: {}", failure.frame, failure.why));
                   }},
              {.frames = true}) {}

void LandmarkTool::stop() {
    if (!running())
        return;
    end({});
    used_ = parameters;
}

void LandmarkTool::follow(ToolContext& context) {
    if (const auto file = reference_.take())
        readReference(*file);
    if (const auto file = file_.take())
        readFile(*file);
    if (lacksWall_ && (!findsInWall(parameters) || whyNoWall(*lacksWall_).empty())) {
        failure.clear();
        lacksWall_.reset();
    }
    if (const auto frame = find_.take())
        detect(*frame >= 0 ? *frame : session().playback.frame());
    course_.follow(context);
    writeWhenComplete();
}

/// A segmentation under way may be about to say where the wall is, in which points are to be found.
bool LandmarkTool::awaitsLabels() const {
    const auto* labels = tools().find<LabelSource>();
    return findsInWall(parameters) && wallOrigin(parameters) != WallOrigin::File && labels &&
           labels->stillLabelling();
}

bool LandmarkTool::changed() const {
    return outdated(LandmarkPart::Detection) || outdated(LandmarkPart::Tracking) ||
           (points != tracked_ && !detecting_);
}

void LandmarkTool::renew() {
    if (outdated(LandmarkPart::Detection))
        detect(detecting_ ? detectedFrame_ : points->frame);
    else
        track();
}

/// True if the user has changed parameters from which the points or their tracks were made.
bool LandmarkTool::outdated(LandmarkPart part) const {
    const bool concerned = part == LandmarkPart::Detection ? detected || detecting_
                                                           : !points->points.empty() && !detecting_;
    return concerned && !sameParameters(parameters, used_, part);
}

void LandmarkTool::detect(int frame) {
    failure.clear();
    const Sequence& sequence = session().opened->sequence;
    if (frame >= sequence.frames)
        return end(fmt::format("{} has no frame {}; its frames are 0 to {}.", sequence.name, frame,
                               sequence.frames - 1));
    if (findsInWall(parameters))
        if (const std::string why = whyNoWall(frame); !why.empty()) {
            used_ = parameters;
            end(why);
            lacksWall_ = frame;
            return;
        }
    LandmarkTask task;
    task.frame = detectedFrame_ = frame;
    task.detect = cornerSettings(parameters);
    std::function<WallSource()> within;
    if (findsInWall(parameters))
        within = [this, frame] { return wallOf(frame); };
    detecting_ = true;
    search(std::make_shared<DetectionOrder>(std::move(task), std::move(within)), 1);
}

void LandmarkTool::track() {
    const Sequence& sequence = session().opened->sequence;
    const int first = points->frame;
    detecting_ = false;
    used_ = parameters;
    tracked_ = points;
    failure.clear();
    if (points->points.empty())
        return clear();
    if (selected >= static_cast<int>(points->points.size()))
        selected = -1;
    const auto refuse = [this](const std::string& why) { // tracks of other points go
        begin({});
        frames.clear();
        scene.reset();
        end(why);
    };
    if (first >= sequence.frames)
        return refuse(fmt::format("The points are of frame {}; the frames of {} are 0 to {}.",
                                  first, sequence.name, sequence.frames - 1));
    if (const std::string outside = outsideText(*points, sequence.geometry); !outside.empty())
        return refuse(fmt::format("Point {}.", outside));
    begin(tracksOf(*points, sequence.frames));
    frames.assign(static_cast<std::size_t>(sequence.frames), std::nullopt);
    compare();
    showTracks(*this);
    search(std::make_shared<TrackOrder>(
               LandmarkStart{nullptr, voxelsOf(*points, sequence.geometry),
                             trackerSettings(parameters, sequence.geometry.spacing()),
                             session().opened->scale},
               first, sequence.frames),
           sequence.frames - 1);
}

void LandmarkTool::search(std::shared_ptr<CourseOrder<LandmarkWork>> order, int frames) {
    used_ = parameters;
    finished = 0;
    total = frames;
    course_.begin(std::move(order));
}

void LandmarkTool::take(const LandmarkOutcome& outcome) {
    if (outcome.detected)
        takePoints(outcome);
    else
        takeFrame(outcome);
}

void LandmarkTool::takePoints(const LandmarkOutcome& outcome) {
    detecting_ = false;
    if (outcome.corners.empty()) {
        clear();
        return end(fmt::format("Frame {} has no corners.", outcome.frame));
    }
    points = std::make_shared<const LandmarkSet>(
        landmarksOf(outcome.corners, session().opened->sequence.geometry, outcome.frame));
    step = "landmarks found";
    detected = true;
    seconds = outcome.seconds;
    track();
}

void LandmarkTool::takeFrame(const LandmarkOutcome& outcome) {
    const Geometry& grid = session().opened->sequence.geometry;
    const auto index = static_cast<std::size_t>(outcome.frame);
    addFrame(found, grid, outcome);
    setPositions(tracks, outcome.frame, positionsIn(found, outcome.frame));
    LandmarkFrame figures = figuresOf(tracks, matched, outcome.frame);
    figures.counts = outcome.counts;
    for (const TrackedPoint& point : outcome.points)
        figures.fates.push_back(point.fate);
    figures.seconds = outcome.seconds;
    frames[index] = figures;
    showTracks(*this);
    ++finished;
}

/// The tracks of other points than before.
void LandmarkTool::begin(LandmarkTracks fresh) {
    tracks = fresh;
    found = std::move(fresh);
    ++generation;
}

void LandmarkTool::end(std::string why) {
    course_.stop();
    failure = std::move(why);
    lacksWall_.reset();
    detecting_ = false;
}

void LandmarkTool::clear() {
    end({});
    note.clear();
    points = tracked_ = noLandmarks();
    openedFile_.clear();
    detected = false;
    selected = -1;
    dragged.reset();
    dragging_ = false;
    begin({});
    frames.clear();
    scene.reset();
    finished = total = 0;
    matched.clear();
}

void LandmarkTool::opened(const OpenedSequence&) {
    course_.close();
    clear();
    saved_ = {};
    savedPoints_.reset();
    if (!session().opened)
        return; // the user may have chosen it before opening the first file
    expert.reset();
    expertFile.clear();
    file_.drop();
    reference_.drop();
    find_.drop();
    waiting_.drop();
    wall.file.clear();
}

void LandmarkTool::tell(std::vector<ToolMessage>& messages) const {
    messages.push_back({"Landmarks: ", failure});
    messages.push_back({"Landmarks: ", note, false});
    messages.push_back({"Landmarks: ",
                        waiting_.waits()
                            ? "The tracks are saved once all frames are searched, and moved "
                              "by the elastic wall where there is one."
                            : "",
                        false});
}

std::string LandmarkTool::notInOptions() const {
    return !points->points.empty() && !detected && openedFile().empty()
               ? "points that were set by hand aren't in the command; save them, and open the file"
               : "";
}

std::vector<UnsavedWork> LandmarkTool::unsaved() {
    if (points->points.empty() ||
        (points == savedPoints_ && points == tracked_ && tracks == saved_))
        return {};
    const bool one = points->points.size() == 1;
    return {{fmt::format("{} landmark{}{}", points->points.size(), one ? "" : "s",
                         tracks.tracks.empty() ? ""
                         : one                 ? " and its tracks"
                                               : " and their tracks"),
             [this](std::function<void()> then) { save(std::move(then)); },
             [this] {
                 return KeptWork{.state = fmt::format("{}", static_cast<const void*>(points.get())),
                                 .files = {keptLandmarksName},
                                 .write = [of = points](const std::string& path) {
                                     writeLandmarks(path, *of);
                                 }};
             }}};
}

void LandmarkTool::recover(const std::function<std::string(const char* name)>& found) {
    if (const std::string path = found(keptLandmarksName); !path.empty())
        openFile(path);
}

std::vector<ToolSetting> LandmarkTool::settings() {
    std::vector<ToolSetting> settings;
    addSettings(settings, "landmarks", parameters);
    return settings;
}

std::shared_ptr<const ToolState> LandmarkTool::state() const {
    return std::make_shared<PointState>(*this);
}

void LandmarkTool::restore(const ToolState& state) {
    const auto& wanted = dynamic_cast<const PointState&>(state);
    if (points == wanted.points)
        return;
    points = wanted.points;
    step = wanted.step;
    detected = false;
}

/// The user's choice; without one, the segmentation if there is one.
WallOrigin LandmarkTool::originOf(int frame) const {
    const auto* labels = tools().find<LabelSource>();
    const WallOrigin chosen = wallOrigin(parameters);
    return chosen == WallOrigin::None && labels && labels->has(frame) ? WallOrigin::Segmentation
                                                                      : chosen;
}

std::string LandmarkTool::whyNoWall(int frame) const {
    const auto* labels = tools().find<LabelSource>();
    switch (originOf(frame)) {
    case WallOrigin::None:
        return fmt::format("There is no wall to find points in: segment frame {} with its wall, or "
                           "choose a label map as the elastic wall.",
                           frame);
    case WallOrigin::File:
        return wall.file.empty() ? "Choose the label map of the wall." : "";
    default:
        if (labels && labels->has(frame))
            return "";
        return fmt::format(
            "Frame {}, in which the points begin, has no labels yet: segment it with "
            "its wall.",
            frame);
    }
}

WallSource LandmarkTool::wallOf(int frame) const {
    WallSource source;
    source.grid = session().opened->sequence.geometry;
    source.label = parameters.integer("elastic-label");
    if (originOf(frame) == WallOrigin::Segmentation)
        source.labels = tools().get<LabelSource>().labelHistory().labels(frame);
    else
        source.file = wall.file;
    return source;
}

void LandmarkTool::moveWithWall(const WallOutcome& moved) {
    setPositions(tracks, moved.frame, moved.positions);
    frames[static_cast<std::size_t>(moved.frame)]->wall = moved.made;
    renewFigures(*this, moved.frame);
    showTracks(*this);
}

void LandmarkTool::leaveWall() {
    bool any = false;
    for (std::size_t frame = 0; frame < frames.size(); ++frame) {
        auto& figures = frames[frame];
        if (!figures || !figures->wall)
            continue;
        figures->wall.reset();
        const int index = static_cast<int>(frame);
        setPositions(tracks, index, positionsIn(found, index));
        renewFigures(*this, index);
        any = true;
    }
    if (any)
        showTracks(*this);
}

std::unique_ptr<Tool> makeLandmarkTool(Tools& tools) {
    return std::make_unique<LandmarkTool>(tools);
}
std::unique_ptr<Tool> makeWallTool(Tools& tools) { return std::make_unique<WallTool>(tools); }

} // namespace systole
