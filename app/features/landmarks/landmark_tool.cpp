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

std::vector<Vec3> voxelsOf(const LandmarkSet& points, const Geometry& grid) {
    const Size3 size = grid.size();
    std::vector<Vec3> voxels;
    for (const Landmark& point : points.points) {
        const Vec3 p = point.position, v = grid.physicalToIndex(p);
        for (int axis = 0; axis < 3; ++axis)
            if (!(v[axis] >= -0.5 && v[axis] <= size[axis] - 0.5))
                throw ComputeError(fmt::format(
                    "Point {} at {:.2f}, {:.2f}, {:.2f} mm (LPS) lies outside the image.",
                    point.name.empty() ? std::to_string(voxels.size() + 1) : point.name, p.x, p.y,
                    p.z));
        voxels.push_back(v);
    }
    return voxels;
}

void LandmarkTool::find(int frame) { find_ = frame; }

void LandmarkTool::stop() {
    if (!running)
        return;
    end({});
    used_ = parameters;
}

void LandmarkTool::follow(ToolContext& context) {
    if (!reference_.empty())
        readReference();
    if (!file_.empty())
        readFile();
    if (lacksWall_ && (!findsInWall(parameters) || whyNoWall(*lacksWall_).empty())) {
        failure.clear();
        lacksWall_.reset();
    }
    // A segmentation under way may be about to say where the wall is.
    const auto* labels = tools().find<LabelSource>();
    awaitsWall_ = find_ && findsInWall(parameters) && wallOrigin(parameters) != WallOrigin::File &&
                  labels && labels->stillLabelling();
    if (find_ && !awaitsWall_) {
        const int frame = *std::exchange(find_, std::nullopt);
        detect(frame >= 0 ? frame : session().playback.frame());
    } else if (outdated(LandmarkPart::Detection)) {
        detect(detecting_ ? order_.front() : points->frame);
    } else if (outdated(LandmarkPart::Tracking) || (points != tracked_ && !detecting_)) {
        track();
    }
    if (run_ && running)
        if (std::optional<LandmarkOutcome> outcome = run_->take())
            take(std::move(*outcome));
    if (running && !asked_)
        startNext(context);
    writeWhenComplete();
}

/// Whether the user has changed what the points or their tracks were made with.
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
    detecting_ = true;
    search({frame});
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
    try {
        voxels_ = voxelsOf(*points, sequence.geometry);
    } catch (const ComputeError& error) {
        return refuse(error.what());
    }
    begin(tracksOf(*points, sequence.frames));
    frames.assign(static_cast<std::size_t>(sequence.frames), std::nullopt);
    compare();
    showTracks(*this);
    search(framesAround(first, sequence.frames));
}

void LandmarkTool::search(std::vector<int> order) {
    if (run_)
        run_->cancel();
    order_ = std::move(order);
    next_ = 0;
    asked_ = false;
    firstImage_.reset();
    used_ = parameters;
    running = !order_.empty();
    finished = 0;
    total = static_cast<int>(order_.size());
    if (!run_)
        run_ = std::make_unique<LandmarkRun>(
            LandmarkRun::Options{.threads = session().estimationThreads, .notify = notify()});
}

void LandmarkTool::startNext(ToolContext& context) {
    const int wanted = order_[next_];
    // Either direction begins with the frame of the points.
    const int first = points->frame;
    const bool anew = !detecting_ && (next_ == 0 || wanted == first - 1);
    if (anew && !firstImage_)
        firstImage_ = context.frame(first);
    LandmarkTask task;
    task.frame = wanted;
    if (!anew || firstImage_)
        task.image = context.frame(wanted);
    awaitsFrame_ = !task.image;
    if (awaitsFrame_) {
        const int missing = anew && !firstImage_ ? first : wanted;
        if (!context.readable(missing))
            end(fmt::format("Frame {} can't be read.", missing));
        return;
    }
    if (detecting_) {
        task.detect = cornerSettings(used_);
        if (findsInWall(used_))
            task.within = wallOf(wanted);
    } else if (anew)
        task.start = std::make_shared<const LandmarkStart>(
            LandmarkStart{firstImage_, voxels_,
                          trackerSettings(used_, session().opened->sequence.geometry.spacing()),
                          session().opened->scale});
    asked_ = true;
    run_->start(std::move(task));
}

void LandmarkTool::take(LandmarkOutcome outcome) {
    asked_ = false;
    if (!outcome.failure.empty())
        end(fmt::format("Frame {}: {}", outcome.frame, outcome.failure));
    else if (outcome.detected)
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
    for (std::size_t i = 0; i < outcome.points.size(); ++i)
        if (const TrackedPoint& point = outcome.points[i]; point.fate == TrackFate::Tracked)
            found.tracks[i].frames[index] =
                TrackedPosition{grid.indexToPhysical(point.position), double{point.certainty}};
    setPositions(tracks, outcome.frame, positionsIn(found, outcome.frame));
    LandmarkFrame figures = figuresOf(tracks, matched, outcome.frame);
    figures.counts = outcome.counts;
    for (const TrackedPoint& point : outcome.points)
        figures.fates.push_back(point.fate);
    figures.seconds = outcome.seconds;
    frames[index] = figures;
    showTracks(*this);
    ++finished;
    if (++next_ == order_.size())
        end({});
}

/// The tracks of other points than before.
void LandmarkTool::begin(LandmarkTracks fresh) {
    tracks = fresh;
    found = std::move(fresh);
    ++generation;
}

void LandmarkTool::end(std::string why) {
    if (run_)
        run_->cancel();
    running = false;
    failure = std::move(why);
    lacksWall_.reset();
    asked_ = awaitsFrame_ = detecting_ = false;
    firstImage_.reset();
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
    run_.reset();
    clear();
    saved_ = {};
    savedPoints_.reset();
    if (!session().opened)
        return; // what was chosen before the first file is for it
    expert.reset();
    expertFile.clear();
    file_.clear();
    reference_.clear();
    find_.reset();
    waiting_.reset();
    wall.file.clear();
}

double LandmarkTool::secondsToNextTick() const {
    const bool due = (find_ && !awaitsWall_) || !file_.empty() || !reference_.empty() ||
                     (points != tracked_ && !detecting_) || (waiting_ && complete());
    if (due || outdated(LandmarkPart::Detection) || outdated(LandmarkPart::Tracking))
        return 0;
    return awaitsFrame_ || awaitsWall_ ? retrySeconds : never;
}

void LandmarkTool::tell(std::vector<ToolMessage>& messages) const {
    messages.push_back({"Landmarks: ", failure});
    messages.push_back({"Landmarks: ", note, false});
    messages.push_back({"Landmarks: ",
                        waiting_ ? "The tracks are saved once all frames are searched, and moved "
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

/// Without a choice it is the segmentation's, where there is one.
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

std::vector<std::unique_ptr<Tool>> landmarksTools(Tools& tools) {
    std::vector<std::unique_ptr<Tool>> list;
    list.push_back(std::make_unique<LandmarkTool>(tools));
    list.push_back(std::make_unique<WallTool>(tools));
    return list;
}

} // namespace systole
