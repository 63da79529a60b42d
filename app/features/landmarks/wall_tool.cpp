#include "app/features/landmarks/wall_tool.h"

#include "app/feature/tools.h"

#include <utility>

namespace systole {

WallTool::WallTool(Tools& tools)
    : Tool(tools)
    , course_(*this, {.changed = [this] { return !(sourceNow() == source_); },
                      .renew = [this] { begin(); },
                      .take = [this](const WallOutcome& outcome) { take(outcome); },
                      .fail =
                          [this](const CourseFailure& failure) {
                              status_.finished = 0;
                              status_.failure = failure.why;
                              points().leaveWall();
                          }}) {}

PointSource& WallTool::points() const { return tools().get<PointSource>(); }

WallTool::Source WallTool::sourceNow() const {
    const LandmarkState& landmarks = this->landmarks();
    Source source;
    source.generation = landmarks.generation;
    source.origin =
        landmarks.found.tracks.empty() ? WallOrigin::None : wallOrigin(landmarks.parameters);
    if (source.origin == WallOrigin::None)
        return source;
    const elasticity::WallTrackOptions options = wallOptions(landmarks.parameters);
    source.label = landmarks.parameters.integer("elastic-label");
    source.length = options.length;
    source.poisson = options.material.poissonRatio;
    if (source.origin == WallOrigin::File)
        source.file = landmarks.wall.file;
    else if (const auto* labels = tools().find<LabelSource>())
        source.labels = labels->revision(landmarks.found.reference);
    return source;
}

void WallTool::follow(ToolContext& context) {
    course_.follow(context);
    status_.running = course_.underWay();
    points().tellWall(status_);
}

void WallTool::begin() {
    source_ = sourceNow();
    status_ = {};
    const int reference = landmarks().found.reference;
    const bool wanted = source_.origin != WallOrigin::None;
    if (wanted)
        status_.waiting = points().whyNoWall(reference);
    course_.stop();
    // Positions moved by the earlier wall stay until they are moved again, or there is no wall.
    if (wanted && status_.waiting.empty())
        course_.begin(orderNow());
    else
        points().leaveWall();
}

std::shared_ptr<WallOrder> WallTool::orderNow() const {
    const LandmarkState& now = landmarks();
    const int reference = now.found.reference;
    return std::make_shared<WallOrder>(
        std::make_shared<const WallStart>(WallStart{points().wallOf(reference),
                                                    positionsIn(now.found, reference),
                                                    wallOptions(now.parameters)}),
        WallOrder::Tracks{
            .frames = static_cast<int>(now.frames.size()),
            .found =
                [this](int frame) {
                    return landmarks().frames[static_cast<std::size_t>(frame)].has_value();
                },
            .positions = [this](int frame) { return positionsIn(landmarks().found, frame); },
            .shown = [this] { return session().shownFrame; }});
}

void WallTool::take(const WallOutcome& outcome) {
    status_.label = outcome.label;
    status_.points = outcome.points;
    ++status_.finished;
    points().moveWithWall(outcome);
}

void WallTool::opened(const OpenedSequence&) {
    course_.close();
    source_ = {};
    status_ = {};
}

void WallTool::tell(std::vector<ToolMessage>& messages) const {
    messages.push_back({"Elastic wall: ", status_.failure});
}

} // namespace systole
