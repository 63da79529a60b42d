#include "render/overlays/track_mesh.h"

#include "render/view_plane.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>

namespace systole {
namespace {

constexpr double tailWidth = 0.45; ///< radius of a tail at its point, in that of the point
constexpr double rim = 0.7;        ///< inner radius of a disk's plain rim, in that of the disk
/// Quantile of displacements and errors at which the scale of colors ends.
constexpr double scaleQuantile = 0.98;
constexpr double carriedSize = 1.25; ///< radius of a carried point's corners, in that of the others
constexpr double lostSize = 0.6;     ///< radius of a lost point, in that of the others
constexpr std::uint32_t diskCorners = 12;
constexpr int tubeSides = 4;
constexpr float plainPart = -1;

/// A track's points from the oldest of the tail to the newest that is known, at most that of the
/// frame; empty if there is nothing to draw.
struct Path {
    std::vector<Vec3> points;
    std::vector<float> parts; ///< places in the color map, one per point
    bool lost = false;
    bool carried = false; ///< the newest
};

using Track = std::vector<std::optional<SceneTrackPoint>>;

/// Place in the color map of a point of a track; the point must exist.
float partOf(const Track& track, int reference, std::size_t index, const TrackLook& look) {
    const SceneTrackPoint& point = *track[index];
    const auto first = static_cast<std::size_t>(reference);
    double part = -1;
    if (look.colors == TrackColors::Certainty)
        part = point.certainty;
    else if (look.colors == TrackColors::Error && point.error)
        part = *point.error / look.maximum;
    else if (look.colors == TrackColors::Displacement && first < track.size() && track[first])
        part = length(point.position - track[first]->position) / look.maximum;
    return part < 0 ? plainPart : static_cast<float>(std::min(part, 1.0));
}

Path pathOf(const Track& track, int reference, int frame, const TrackLook& look) {
    Path path;
    const int frames = static_cast<int>(track.size());
    if (frame < 0 || frame >= frames)
        return path;
    const auto known = [&](int index) {
        return track[static_cast<std::size_t>(index)].has_value();
    };
    int newest = frame;
    while (look.lost && newest >= 0 && !known(newest))
        --newest;
    if (newest < 0 || !known(newest))
        return path;
    path.lost = newest != frame;
    path.carried = track[static_cast<std::size_t>(newest)]->carried;
    for (int at = std::min(newest, std::max(frame - look.tail, 0)); at <= newest; ++at)
        if (known(at)) {
            const auto index = static_cast<std::size_t>(at);
            path.points.push_back(track[index]->position);
            path.parts.push_back(path.lost ? plainPart : partOf(track, reference, index, look));
        }
    return path;
}

class Builder {
public:
    explicit Builder(const TrackLook& look) : look_(look) {}

    void add(const Path& path) {
        const std::size_t count = path.points.size();
        const auto width = [&](std::size_t i) {
            return tailWidth * look_.radius * static_cast<double>(i) /
                   static_cast<double>(count - 1);
        };
        for (std::size_t i = 1; i < count; ++i)
            segment({path.points[i - 1], width(i - 1), path.parts[i - 1]},
                    {path.points[i], width(i), path.parts[i]});
        part_ = path.parts.back();
        const double radius = look_.radius * (path.lost ? lostSize : 1);
        const Vec3 at = path.points.back();
        if (look_.axis >= 0)
            path.carried ? disk(at, carriedSize * radius, 4) : disk(at, radius, diskCorners);
        else
            path.carried ? octahedron(at, carriedSize * radius) : ball(at, radius);
    }
    TrackMesh take() { return std::move(made_); }

private:
    std::uint32_t point(Vec3 p, Vec3 normal) {
        const auto floats = [](Vec3 v) {
            return std::array{static_cast<float>(v.x), static_cast<float>(v.y),
                              static_cast<float>(v.z)};
        };
        made_.mesh.points.push_back(floats(p));
        made_.mesh.normals.push_back(floats(normal));
        made_.parts.push_back(part_);
        return static_cast<std::uint32_t>(made_.mesh.points.size() - 1);
    }
    void triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        made_.mesh.triangles.push_back({a, b, c});
    }

    /// 1 in the slice, 0 at the faces of the slab and beyond.
    double nearness(Vec3 p) const {
        if (look_.axis < 0)
            return 1;
        return std::max(0.0, 1 - std::abs(p[look_.axis] - look_.offset) / look_.slab);
    }
    Vec3 inSlice(Vec3 p) const {
        p[look_.axis] = look_.offset;
        return p;
    }
    Vec3 normalOfSlice() const {
        Vec3 normal;
        normal[look_.axis] = 1;
        return normal;
    }

    /// An icosahedron with the normals of the ball.
    void ball(Vec3 center, double radius) {
        constexpr double golden = std::numbers::phi;
        static const double scale = 1 / std::hypot(1.0, golden);
        std::array<std::uint32_t, 12> corner{};
        std::size_t next = 0;
        for (int axis = 0; axis < 3; ++axis)
            for (const double one : {-1.0, 1.0})
                for (const double other : {-golden, golden}) {
                    Vec3 direction;
                    direction[(axis + 1) % 3] = one * scale;
                    direction[(axis + 2) % 3] = other * scale;
                    corner[next++] = point(center + radius * direction, direction);
                }
        static constexpr std::array<std::array<std::uint8_t, 3>, 20> faces{
            {{0, 4, 2},  {0, 2, 5},  {0, 8, 4},  {0, 5, 10}, {0, 10, 8}, {1, 3, 6},  {1, 7, 3},
             {1, 6, 8},  {1, 10, 7}, {1, 8, 10}, {2, 4, 9},  {2, 11, 5}, {2, 9, 11}, {3, 9, 6},
             {3, 7, 11}, {3, 11, 9}, {4, 8, 6},  {4, 6, 9},  {5, 7, 10}, {5, 11, 7}}};
        for (const auto& face : faces)
            triangle(corner[face[0]], corner[face[1]], corner[face[2]]);
    }

    /// Adds a disk with a rim; with 4 corners it is a diamond.
    void disk(Vec3 center, double radius, std::uint32_t corners) {
        radius *= nearness(center);
        if (!(radius > 0))
            return;
        // A rim keeps dark colors in sight on dark voxels.
        const float colored = std::exchange(part_, plainPart);
        flatDisk(center, radius, corners);
        part_ = colored;
        if (part_ != plainPart)
            flatDisk(center, rim * radius, corners);
    }

    /// Adds an octahedron with a normal per face, so that its edges show.
    void octahedron(Vec3 center, double radius) {
        for (int face = 0; face < 8; ++face) {
            Vec3 signs;
            for (int axis = 0; axis < 3; ++axis)
                signs[axis] = (face >> axis & 1) != 0 ? -1 : 1;
            const Vec3 normal = (1 / std::sqrt(3.0)) * signs;
            std::array<std::uint32_t, 3> corner{};
            for (int axis = 0; axis < 3; ++axis) {
                Vec3 at = center;
                at[axis] += radius * signs[axis];
                corner[static_cast<std::size_t>(axis)] = point(at, normal);
            }
            if (signs.x * signs.y * signs.z < 0)
                std::swap(corner[1], corner[2]);
            triangle(corner[0], corner[1], corner[2]);
        }
    }

    void flatDisk(Vec3 center, double radius, std::uint32_t corners) {
        const Vec3 normal = normalOfSlice();
        const Vec3 middle = inSlice(center);
        const std::uint32_t first = point(middle, normal);
        for (std::uint32_t i = 0; i < corners; ++i) {
            const double angle = 2 * std::numbers::pi * i / corners;
            Vec3 p = middle;
            p[(look_.axis + 1) % 3] += radius * std::cos(angle);
            p[(look_.axis + 2) % 3] += radius * std::sin(angle);
            point(p, normal);
        }
        for (std::uint32_t i = 0; i < corners; ++i)
            triangle(first, first + 1 + i, first + 1 + (i + 1) % corners);
    }

    struct TailEnd {
        Vec3 at;
        double radius;
        float part;
    };

    /// Part of a tail: a tube, or in a slice a ribbon.
    void segment(TailEnd from, TailEnd to) {
        from.radius *= nearness(from.at);
        to.radius *= nearness(to.at);
        if (!(from.radius > 0 || to.radius > 0))
            return;
        const bool flat = look_.axis >= 0;
        if (flat) {
            from.at = inSlice(from.at);
            to.at = inSlice(to.at);
        }
        const Vec3 along = to.at - from.at;
        const double far = length(along);
        if (!(far > 0))
            return;
        const Vec3 direction = (1 / far) * along;
        if (flat) {
            const Vec3 side = cross(normalOfSlice(), direction);
            const Vec3 normal = normalOfSlice();
            part_ = from.part;
            const std::uint32_t a = point(from.at - from.radius * side, normal),
                                b = point(from.at + from.radius * side, normal);
            part_ = to.part;
            const std::uint32_t c = point(to.at + to.radius * side, normal),
                                d = point(to.at - to.radius * side, normal);
            triangle(a, d, c);
            triangle(a, c, b);
            return;
        }
        int smallest = 0; // axis of the direction's smallest component
        for (int axis = 1; axis < 3; ++axis)
            if (std::abs(direction[axis]) < std::abs(direction[smallest]))
                smallest = axis;
        Vec3 other;
        other[smallest] = 1;
        Vec3 u = cross(direction, other);
        u = (1 / length(u)) * u;
        const Vec3 v = cross(direction, u);
        const auto ring = [&](const TailEnd& end) {
            part_ = end.part;
            std::uint32_t first = 0;
            for (int i = 0; i < tubeSides; ++i) {
                const double angle = 2 * std::numbers::pi * i / tubeSides;
                const Vec3 outward = std::cos(angle) * u + std::sin(angle) * v;
                const std::uint32_t made = point(end.at + end.radius * outward, outward);
                first = i == 0 ? made : first;
            }
            return first;
        };
        const std::uint32_t low = ring(from), high = ring(to);
        for (std::uint32_t i = 0; i < tubeSides; ++i) {
            const std::uint32_t next = (i + 1) % tubeSides;
            triangle(low + i, low + next, high + next);
            triangle(low + i, high + next, high + i);
        }
    }

    const TrackLook& look_;
    TrackMesh made_;
    float part_ = plainPart;
};

/// 0 of none.
double exceededByFew(std::vector<double> values) {
    if (values.empty())
        return 0;
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(
                                            scaleQuantile * static_cast<double>(values.size() - 1));
    std::ranges::nth_element(values, place);
    return *place;
}

} // namespace

TrackMesh trackMesh(const SceneTracks& tracks, int frame, const TrackLook& look) {
    Builder builder(look);
    const auto index = static_cast<std::size_t>(frame);
    if (index < tracks.searched.size() && !tracks.searched[index])
        return builder.take();
    for (const auto& track : tracks.tracks)
        if (const Path path = pathOf(track, tracks.reference, frame, look); !path.points.empty())
            builder.add(path);
    return builder.take();
}

double largeDisplacement(const SceneTracks& tracks) {
    std::vector<double> lengths;
    const auto reference = static_cast<std::size_t>(std::max(tracks.reference, 0));
    for (const auto& track : tracks.tracks) {
        if (reference >= track.size() || !track[reference])
            continue;
        for (std::size_t frame = 0; frame < track.size(); ++frame)
            if (frame != reference && track[frame])
                lengths.push_back(length(track[frame]->position - track[reference]->position));
    }
    return exceededByFew(std::move(lengths));
}

double largeError(const SceneTracks& tracks) {
    std::vector<double> errors;
    for (const auto& track : tracks.tracks)
        for (const auto& at : track)
            if (at && at->error)
                errors.push_back(*at->error);
    return exceededByFew(std::move(errors));
}

} // namespace systole
