// The three points that a user places in any frame: where the motion carries them.
#include "app/feature/tools.h"
#include "app/features/cardiac/cardiac_tool.h"
#include "compute/core/points.h"
#include "compute/ops/carried_map.h"
#include "compute/ops/sample_at.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace systole {
namespace {

struct PointState : ToolState {
    explicit PointState(std::vector<HeartPoint> points) : points(std::move(points)) {}
    std::vector<Change> changesTo(const ToolState& other) const override {
        if (points == dynamic_cast<const PointState&>(other).points)
            return {};
        return {{"points of the heart"}};
    }
    std::vector<HeartPoint> points;
};

Vec3 carried(Vec3 reference, const VectorField& motion) {
    const Geometry& grid = motion.geometry;
    const Vec3 at = grid.physicalToIndex(reference);
    return grid.indexToPhysical(at + vectorAt(motion.view(), at));
}

Vec3 carriedBack(Vec3 position, const VectorField& motion) {
    const Vec3 at = motion.geometry.physicalToIndex(position);
    const Position from =
        originOf(motion.view(),
                 {static_cast<float>(at.x), static_cast<float>(at.y), static_cast<float>(at.z)});
    return motion.geometry.indexToPhysical({from.x, from.y, from.z});
}

} // namespace

std::string waitingPoint(int frame) {
    return fmt::format("The point in frame {} waits for the motion that carries it to frame 0.",
                       frame);
}

void CardiacTool::place() {
    const bool begins = !placing;
    takePointer();
    placing = begins;
    if (!begins)
        return;
    if (points.size() >= pointsNeeded)
        points.clear();
    session().playback.pause();
}

void CardiacTool::pointer(const SlicePointer& pointer) {
    if (pointer.event != SlicePointer::Event::Press || !session().opened ||
        session().shownFrame < 0)
        return;
    const Geometry& grid = session().opened->sequence.geometry;
    if (!isInside(grid.physicalToIndex(pointer.position), grid.size()))
        return;
    points.push_back({pointer.position, session().shownFrame});
    placing = points.size() < pointsNeeded;
}

/// Each is known in the frame where it was placed.
void CardiacTool::enterPoints() {
    carriedPoints_.resize(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        CarriedPoint& point = carriedPoints_[i];
        if (!(point.of == points[i]))
            point = {points[i], {}};
        point.at.resize(static_cast<std::size_t>(session().opened->sequence.frames));
        point.at[static_cast<std::size_t>(point.of.frame)] = point.of.position;
    }
}

/// Stores positions that were found: the motion is forgotten once nobody needs it.
void CardiacTool::followPoints(ToolContext& context) {
    enterPoints();
    for (CarriedPoint& point : carriedPoints_) {
        std::optional<Vec3>& first = point.at.front();
        for (std::size_t frame = 1; frame < point.at.size(); ++frame) {
            const bool isOwn = static_cast<int>(frame) == point.of.frame;
            if (isOwn ? first.has_value() : !first || point.at[frame])
                continue;
            const auto motion = context.motionSinceFirst(static_cast<int>(frame));
            if (!motion || !motion->field)
                continue;
            if (isOwn)
                first = carriedBack(point.of.position, *motion->field);
            else
                point.at[frame] = carried(*first, *motion->field);
        }
    }
}

bool CardiacTool::carriesInto(std::size_t frame) const {
    return std::ranges::all_of(carriedPoints_, [&](const CarriedPoint& point) {
        return !point.reference() || point.at[frame];
    });
}

std::vector<Vec3> CardiacTool::pointsAtReference() const {
    std::vector<Vec3> all;
    for (const CarriedPoint& point : carriedPoints_)
        if (point.reference())
            all.push_back(*point.reference());
    return all;
}

std::optional<int> CardiacTool::pointWaitsFor() const {
    const auto waits = std::ranges::find_if(
        carriedPoints_, [](const CarriedPoint& point) { return !point.reference(); });
    return waits == carriedPoints_.end() ? std::nullopt : std::optional(waits->of.frame);
}

/// The user's own, or those that the segmentation was made from.
cardiac::GivenPoints CardiacTool::given() const {
    if (!source_.points.empty())
        return {source_.points[0], source_.points[1], source_.points[2]};
    const auto* labels = tools().find<LabelSource>();
    if (const auto found =
            labels && from == HeartLabels::Segmentation ? labels->pointsOf(0) : std::nullopt)
        return {found->apex, found->mitral, found->rightVentricle};
    return {};
}

std::shared_ptr<const ToolState> CardiacTool::state() const {
    return std::make_shared<PointState>(points);
}
void CardiacTool::restore(const ToolState& state) {
    points = dynamic_cast<const PointState&>(state).points;
}

} // namespace systole
