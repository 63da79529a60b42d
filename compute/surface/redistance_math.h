// The closest point of a level to a voxel: the formulas that all implementations share. Positions
// are in voxels, distances in mm.
#pragma once

#include "compute/core/volume.h"
#include "compute/ops/sample.h"
#include "compute/surface/closest_points.h"
#include "compute/surface/redistance.h"

#include <cstddef>
#include <cstdint>
#include <limits>

namespace systole::level {

/// Newton steps of a voxel.
inline constexpr int maxSteps = 10;
/// Steps end when they move by less than this, in voxels.
inline constexpr float stillStep = 1e-3f;
/// How far, in its largest spacings, the closest points of a grid are sought to the end: beyond,
/// the distance to the point of a voxel beside the surface is too large by less than a tenth of a
/// voxel.
inline constexpr float levelBand = 6;
/// A point counts as on the surface if it is at most so far from it, in the smallest spacing.
inline constexpr float onSurface = 0.01f;
/// How far a voxel's closest point may lie from it along an axis, in voxels.
inline constexpr float farthestBeside = 1.5f;

/// Values whose negative part is inside.
struct Level {
    VolumeView<const float> values;
    float level, sign; ///< the function is sign · (value − level)
    float sx, sy, sz;  ///< spacing, mm
    /// Farther away, in mm, the point that was spread to a voxel is taken as it is.
    float wanted = std::numeric_limits<float>::infinity();

    constexpr float at(std::size_t offset) const { return sign * (values.data[offset] - level); }
    constexpr bool inside(std::size_t offset) const { return at(offset) < 0; }
    constexpr float smallest() const {
        const float xy = sx < sy ? sx : sy;
        return xy < sz ? xy : sz;
    }
    constexpr float largest() const {
        const float xy = sx > sy ? sx : sy;
        return xy > sz ? xy : sz;
    }
};

inline Level levelOf(VolumeView<const float> values, float level, Inside inside, Vec3 spacing) {
    return {values,
            level,
            inside == Inside::Above ? -1.0f : 1.0f,
            static_cast<float>(spacing.x),
            static_cast<float>(spacing.y),
            static_cast<float>(spacing.z)};
}

using Point = Position;

constexpr float squaredDistance(const Level& f, Point a, Point b) {
    const float dx = (a.x - b.x) * f.sx, dy = (a.y - b.y) * f.sy, dz = (a.z - b.z) * f.sz;
    return dx * dx + dy * dy + dz * dz;
}

/// Value and gradient (per mm) of the trilinear interpolant.
struct Sampled {
    float value, gx, gy, gz;
    constexpr float squaredSlope() const { return gx * gx + gy * gy + gz * gz; }
};

constexpr Sampled sampleAt(const Level& f, Point p) {
    const TrilinearSample s(f.values.size, p);
    const auto mix = [](float a, float b, float t) { return a + t * (b - a); };
    const std::size_t o = s.offset;
    const float a = f.at(o), b = f.at(o + s.alongX), c = f.at(o + s.alongY),
                d = f.at(o + s.alongX + s.alongY), e = f.at(o + s.alongZ),
                g = f.at(o + s.alongX + s.alongZ), h = f.at(o + s.alongY + s.alongZ),
                i = f.at(o + s.alongX + s.alongY + s.alongZ);
    const float low = mix(mix(a, b, s.partX), mix(c, d, s.partX), s.partY);
    const float high = mix(mix(e, g, s.partX), mix(h, i, s.partX), s.partY);
    return {mix(low, high, s.partZ),
            mix(mix(b - a, d - c, s.partY), mix(g - e, i - h, s.partY), s.partZ) / f.sx,
            mix(mix(c - a, d - b, s.partX), mix(h - e, i - g, s.partX), s.partZ) / f.sy,
            (high - low) / f.sz};
}

constexpr float clamped(float value, float low, float high) {
    return value < low ? low : value > high ? high : value;
}

/// One step of the search: the point of the tangent plane of the level at x that is closest to p,
/// clamped to the grid and to at most `reach` voxels from p along each axis.
constexpr Point stepTo(const Level& f, Point p, Point x, const Sampled& at, float reach) {
    const float squared = at.squaredSlope();
    const float ahead = at.value + at.gx * (p.x - x.x) * f.sx + at.gy * (p.y - x.y) * f.sy +
                        at.gz * (p.z - x.z) * f.sz;
    const float by = ahead / squared;
    const Size3 n = f.values.size;
    const auto along = [&](float from, float step, int count) {
        return clamped(clamped(from - step, from - reach, from + reach), 0.0f,
                       static_cast<float>(count - 1));
    };
    return {along(p.x, by * at.gx / f.sx, n.x), along(p.y, by * at.gy / f.sy, n.y),
            along(p.z, by * at.gz / f.sz, n.z)};
}

/// Whether the sampled point is near enough to the surface to stand for one of it.
constexpr bool isOnSurface(const Level& f, const Sampled& at) {
    const float limit = onSurface * f.smallest();
    return at.value * at.value <= limit * limit * at.squaredSlope();
}

/// Moves x, a point of the surface near p or p itself, towards the point closest to p. Returns
/// whether it ended on the surface.
constexpr bool approach(const Level& f, Point p, Point& x, float reach) {
    Sampled at = sampleAt(f, x);
    for (int step = 0; step < maxSteps && at.squaredSlope() > 0; ++step) {
        const Point before = x;
        x = stepTo(f, p, x, at, reach);
        at = sampleAt(f, x);
        const float dx = x.x - before.x, dy = x.y - before.y, dz = x.z - before.z;
        if (dx * dx + dy * dy + dz * dz < stillStep * stillStep)
            break;
    }
    return at.squaredSlope() > 0 && isOnSurface(f, at);
}

/// The nearest crossing of the level on the six edges of a voxel; false if there is none.
constexpr bool nearestCrossing(const Level& f, int x, int y, int z, Point& crossing) {
    const std::size_t here = f.values.offset(x, y, z);
    const float value = f.at(here);
    const bool in = value < 0;
    float nearest = -1;
    const auto look = [&](int dx, int dy, int dz, float spacing) {
        const float other = f.at(f.values.offset(x + dx, y + dy, z + dz));
        if ((other < 0) == in)
            return;
        const float part = value / (value - other);
        if (nearest >= 0 && part * spacing >= nearest)
            return;
        nearest = part * spacing;
        crossing = {static_cast<float>(x) + part * static_cast<float>(dx),
                    static_cast<float>(y) + part * static_cast<float>(dy),
                    static_cast<float>(z) + part * static_cast<float>(dz)};
    };
    const Size3 n = f.values.size;
    if (x > 0)
        look(-1, 0, 0, f.sx);
    if (x + 1 < n.x)
        look(1, 0, 0, f.sx);
    if (y > 0)
        look(0, -1, 0, f.sy);
    if (y + 1 < n.y)
        look(0, 1, 0, f.sy);
    if (z > 0)
        look(0, 0, -1, f.sz);
    if (z + 1 < n.z)
        look(0, 0, 1, f.sz);
    return nearest >= 0;
}

/// The closest point of the surface to a voxel with a neighbor on the other side, or the nearest
/// crossing on its edges where the steps find none that is nearer. False for other voxels.
constexpr bool closestBeside(const Level& f, int x, int y, int z, Point& closest) {
    if (!nearestCrossing(f, x, y, z, closest))
        return false;
    const Point p{static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)};
    Point found = p;
    if (approach(f, p, found, farthestBeside) &&
        squaredDistance(f, p, found) < squaredDistance(f, p, closest))
        closest = found;
    return true;
}

/// The squared distance of a voxel, given the voxel whose point was spread to it.
constexpr float squaredToSurface(const Level& f, const FieldView<const float>& points,
                                 std::int32_t source, int x, int y, int z) {
    const ClosestPoints closest(points, f.sx, f.sy, f.sz);
    const float spread = closest.squaredDistance(source, x, y, z);
    if (spread > f.wanted * f.wanted)
        return spread;
    source = closest.nearestAround(source, x, y, z);
    const Point p{static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)};
    const Point nearest{points.u[source], points.v[source], points.w[source]};
    const float squared = squaredDistance(f, p, nearest);
    const float band = levelBand * f.largest();
    if (squared > band * band)
        return squared;
    Point found = nearest;
    constexpr float anywhere = 1e6f;
    if (!approach(f, p, found, anywhere))
        return squared;
    const float own = squaredDistance(f, p, found);
    return own < squared ? own : squared;
}

} // namespace systole::level
