// The pointer on the slices while landmarks are edited by hand, and the mark of the selected one.
#include "app/live/landmark_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace systole {
namespace {

/// How near a click must be to a point, in the longest side of the volume: within the slice, and
/// across it, where the views show points that lie off the slice.
constexpr double reachWithin = 0.016, reachAcross = 0.032;
constexpr double leastMove = 0.25; ///< in smallest voxel spacings: less is a click
constexpr Color selectedColor{1.0f, 0.85f, 0.25f};

double longestSide(const Geometry& grid) {
    const Size3 size = grid.size();
    const Vec3 spacing = grid.spacing();
    return std::max({size.x * spacing.x, size.y * spacing.y, size.z * spacing.z});
}

std::optional<Vec3> positionOf(const LandmarkSession& landmarks, std::size_t track, int frame) {
    const auto& frames = landmarks.tracks.tracks[track].frames;
    const auto index = static_cast<std::size_t>(frame);
    if (frame < 0 || index >= frames.size() || !frames[index])
        return std::nullopt;
    return frames[index]->position;
}

/// The track nearest to the pointer, within reach; −1: none.
int trackAt(const Session& session, const SlicePointer& pointer) {
    const LandmarkSession& landmarks = session.landmarks;
    const double side = longestSide(session.opened->sequence.geometry);
    int nearest = -1;
    double least = 0;
    for (std::size_t i = 0; i < landmarks.tracks.tracks.size(); ++i) {
        const std::optional<Vec3> at = positionOf(landmarks, i, session.shownFrame);
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

bool named(const LandmarkSet& set, const std::string& name) {
    return std::ranges::any_of(set.points,
                               [&](const Landmark& point) { return point.name == name; });
}

/// A name that the set doesn't have.
std::string freshName(const LandmarkSet& set) {
    std::size_t number = set.points.size() + 1;
    while (named(set, fmt::format("L{}", number)))
        ++number;
    return fmt::format("L{}", number);
}

void replacePoints(LandmarkSession& landmarks, LandmarkSet set, std::string step) {
    landmarks.points = std::make_shared<const LandmarkSet>(std::move(set));
    landmarks.detected = false;
    landmarks.step = std::move(step);
}

} // namespace

void LandmarkClient::usePointer(Session& session) {
    using Event = SlicePointer::Event;
    LandmarkSession& landmarks = session.landmarks;
    if (session.segment.tool != SegmentTool::Landmarks) {
        dragging_ = false;
        landmarks.dragged.reset();
        return;
    }
    for (const SlicePointer& pointer : std::exchange(session.segment.pointer, {})) {
        if (pointer.event == Event::Press)
            press(session, pointer);
        else if (pointer.event == Event::Drag && dragging_)
            landmarks.dragged = grabbed_ + (pointer.position - pressed_);
        else if (pointer.event == Event::Release)
            release(session);
    }
}

void LandmarkClient::press(Session& session, const SlicePointer& pointer) {
    LandmarkSession& landmarks = session.landmarks;
    const int frame = session.shownFrame;
    if (frame < 0 || detecting_)
        return;
    // What is edited is what is seen.
    session.playback.pause();
    session.playback.seek(frame);
    landmarks.note.clear();
    landmarks.selected = trackAt(session, pointer);
    const bool fromFile = landmarks.points->points.empty() && !landmarks.tracks.tracks.empty();
    const bool editable =
        !fromFile && (landmarks.points->points.empty() || landmarks.points->frame == frame);
    if (landmarks.selected < 0 && editable) {
        LandmarkSet set{frame, landmarks.points->points};
        landmarks.selected = static_cast<int>(set.points.size());
        set.points.push_back({freshName(set), pointer.position});
        replacePoints(landmarks, std::move(set), "new landmark");
    } else if (landmarks.selected < 0) {
        landmarks.note = fromFile
                             ? "Tracks of a file can't be edited."
                             : fmt::format("Landmarks are placed in frame {}, where they begin.",
                                           landmarks.points->frame);
    }
    dragging_ = landmarks.selected >= 0 && editable;
    if (dragging_) {
        pressed_ = pointer.position;
        grabbed_ = landmarks.points->points[static_cast<std::size_t>(landmarks.selected)].position;
    }
}

void LandmarkClient::release(Session& session) {
    LandmarkSession& landmarks = session.landmarks;
    const std::optional<Vec3> to = std::exchange(landmarks.dragged, std::nullopt);
    const Vec3 spacing = session.opened->sequence.geometry.spacing();
    if (!std::exchange(dragging_, false) || !to ||
        length(*to - grabbed_) < leastMove * std::min({spacing.x, spacing.y, spacing.z}))
        return;
    LandmarkSet set = *landmarks.points;
    const auto index = static_cast<std::size_t>(landmarks.selected);
    if (index >= set.points.size())
        return;
    set.points[index].position = *to;
    replacePoints(landmarks, std::move(set), "move of a landmark");
}

void LandmarkClient::remove(Session& session) {
    LandmarkSession& landmarks = session.landmarks;
    const auto index = static_cast<std::size_t>(std::max(landmarks.selected, 0));
    if (landmarks.selected < 0 || index >= landmarks.points->points.size())
        return;
    LandmarkSet set = *landmarks.points;
    set.points.erase(set.points.begin() + static_cast<std::ptrdiff_t>(index));
    landmarks.selected = -1;
    dragging_ = false;
    replacePoints(landmarks, std::move(set), "deletion of a landmark");
}

std::vector<SceneMark> landmarkMarks(const Session& session) {
    const LandmarkSession& landmarks = session.landmarks;
    const auto index = static_cast<std::size_t>(std::max(landmarks.selected, 0));
    if (landmarks.selected < 0 || index >= landmarks.tracks.tracks.size())
        return {};
    const std::optional<Vec3> at =
        landmarks.dragged ? landmarks.dragged : positionOf(landmarks, index, session.shownFrame);
    if (!at)
        return {};
    return {{.position = *at, .text = landmarks.tracks.tracks[index].name, .color = selectedColor}};
}

} // namespace systole
