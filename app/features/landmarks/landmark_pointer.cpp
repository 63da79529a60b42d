// The pointer on the slices while landmarks are edited by hand, and the mark of the selected one.
#include "app/features/landmarks/landmark_tool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace systole {
namespace {

/// Largest distance of a click from the point that it selects, as a fraction of the volume's
/// longest side: within the slice, and across it, since the views show points that lie off the
/// slice.
constexpr double reachWithin = 0.016, reachAcross = 0.032;
constexpr double minMove = 0.25; ///< smallest voxel spacings; a shorter drag is a click
constexpr Color selectedColor{1.0f, 0.85f, 0.25f};

double longestSide(const Geometry& grid) {
    const Size3 size = grid.size();
    const Vec3 spacing = grid.spacing();
    return std::max({size.x * spacing.x, size.y * spacing.y, size.z * spacing.z});
}

/// A name that the set doesn't have.
std::string freshName(const LandmarkSet& set) {
    for (std::size_t number = set.points.size() + 1;; ++number)
        if (const std::string name = fmt::format("L{}", number);
            std::ranges::find(set.points, name, &Landmark::name) == set.points.end())
            return name;
}

} // namespace

std::optional<Vec3> LandmarkTool::positionOf(std::size_t track) const {
    const int frame = session().shownFrame;
    const auto& positions = tracks.tracks[track].frames;
    const auto index = static_cast<std::size_t>(frame);
    if (frame < 0 || index >= positions.size() || !positions[index])
        return std::nullopt;
    return positions[index]->position;
}

/// The track nearest to the pointer, within reach; −1: none.
int LandmarkTool::trackAt(const SlicePointer& pointer) const {
    const double side = longestSide(session().opened->sequence.geometry);
    int nearest = -1;
    double least = 0;
    for (std::size_t i = 0; i < tracks.tracks.size(); ++i) {
        const std::optional<Vec3> at = positionOf(i);
        if (!at)
            continue;
        Vec3 away = *at - pointer.position;
        const double distance = length(away);
        const double across = std::abs(std::exchange(away[pointer.axis], 0.0));
        if (across > reachAcross * side || length(away) > reachWithin * side)
            continue;
        if (nearest < 0 || distance < least) {
            nearest = static_cast<int>(i);
            least = distance;
        }
    }
    return nearest;
}

void LandmarkTool::replacePoints(LandmarkSet set, const std::string& change) {
    points = std::make_shared<const LandmarkSet>(std::move(set));
    detected = false;
    step = change;
}

void LandmarkTool::edit() {
    editing = !editing;
    takePointer();
}

void LandmarkTool::dropPointer() {
    editing = dragging_ = false;
    dragged.reset();
}

void LandmarkTool::pointer(const SlicePointer& pointer) {
    using Event = SlicePointer::Event;
    if (pointer.event == Event::Press)
        press(pointer);
    else if (pointer.event == Event::Drag && dragging_)
        dragged = grabbed_ + (pointer.position - pressed_);
    else if (pointer.event == Event::Release)
        release();
}

void LandmarkTool::press(const SlicePointer& pointer) {
    const int frame = session().shownFrame;
    if (frame < 0 || detecting_)
        return;
    // The user sees the frame that is edited.
    session().playback.pause();
    session().playback.seek(frame);
    note.clear();
    selected = trackAt(pointer);
    const bool fromFile = points->points.empty() && !tracks.tracks.empty();
    const bool editable = !fromFile && (points->points.empty() || points->frame == frame);
    if (selected < 0 && editable) {
        LandmarkSet set{frame, points->points};
        selected = static_cast<int>(set.points.size());
        set.points.push_back({freshName(set), pointer.position});
        replacePoints(std::move(set), "new landmark");
    } else if (selected < 0) {
        note = fromFile ? "Tracks of a file can't be edited."
                        : fmt::format("Landmarks are placed in frame {}, where they begin.",
                                      points->frame);
    }
    dragging_ = selected >= 0 && editable;
    if (dragging_) {
        pressed_ = pointer.position;
        grabbed_ = points->points[static_cast<std::size_t>(selected)].position;
    }
}

void LandmarkTool::release() {
    const std::optional<Vec3> to = std::exchange(dragged, std::nullopt);
    const Vec3 spacing = session().opened->sequence.geometry.spacing();
    if (!std::exchange(dragging_, false) || !to ||
        length(*to - grabbed_) < minMove * std::min({spacing.x, spacing.y, spacing.z}))
        return;
    LandmarkSet set = *points;
    const auto index = static_cast<std::size_t>(selected);
    if (index >= set.points.size())
        return;
    set.points[index].position = *to;
    replacePoints(std::move(set), "move of a landmark");
}

void LandmarkTool::removeSelected() {
    const auto index = static_cast<std::size_t>(std::max(selected, 0));
    if (selected < 0 || index >= points->points.size())
        return;
    LandmarkSet set = *points;
    set.points.erase(set.points.begin() + static_cast<std::ptrdiff_t>(index));
    selected = -1;
    dragging_ = false;
    replacePoints(std::move(set), "deletion of a landmark");
}

void LandmarkTool::show(SceneContribution& contribution) const {
    contribution.tracks = scene;
    const auto index = static_cast<std::size_t>(std::max(selected, 0));
    if (selected < 0 || index >= tracks.tracks.size())
        return;
    if (const std::optional<Vec3> at = dragged ? dragged : positionOf(index))
        contribution.marks.push_back(
            {.position = *at, .text = tracks.tracks[index].name, .color = selectedColor});
}

} // namespace systole
