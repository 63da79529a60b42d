// Triangles that a cube of eight voxels contributes to the surface between negative and other
// values: marching cubes, with tables made from a rule instead of written down.
//
// On each face of the cube, segments join the crossings on its four edges so that corners inside
// are cut off one by one. The rule looks at the face's own signs alone: the cube beyond the face
// draws the same segments, so that there are no cracks. The segments of all faces close to loops,
// and each loop is a fan of triangles from a corner that is chosen so that none of its diagonals
// lies in a face, where the neighbor's might coincide with it: every edge of the surface belongs to
// two triangles. (Lorensen and Cline 1987; its ambiguous faces as Montani, Scateni and Scopigno
// 1994.)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace systole::iso {

/// Corner c of the cube has bit 0 of c as its x, bit 1 as y, bit 2 as z. Edge 4a + k runs along
/// axis a; k has the other two coordinates of its corners, the lower axis in bit 0.
inline constexpr int cubeEdges = 12, maxTriangles = 5;

struct CubeCase {
    std::int8_t triangles = 0;
    /// Edges of the cube, three per triangle, counterclockwise seen from outside (from the positive
    /// side) in a right-handed frame.
    std::array<std::int8_t, 3 * maxTriangles> edges{};
};

/// The corner of an edge that is lower along it.
constexpr int lowCorner(int edge) {
    const int axis = edge / 4, k = edge % 4;
    return axis == 0 ? k << 1 : axis == 1 ? (k & 1) | (k & 2) << 1 : k;
}

namespace detail {

constexpr int edgeBetween(int corner, int other) {
    const int axis = (corner ^ other) == 1 ? 0 : (corner ^ other) == 2 ? 1 : 2;
    const int low = corner & other;
    return 4 * axis + (axis == 0 ? low >> 1 : axis == 1 ? (low & 1) | (low & 4) >> 1 : low);
}

/// The two faces of an edge as a set: bit 2 · axis + side.
constexpr int facesOf(int edge) {
    int set = 0;
    for (int axis = 0; axis < 3; ++axis)
        if (axis != edge / 4)
            set |= 1 << (2 * axis + (lowCorner(edge) >> axis & 1));
    return set;
}

/// The next edge in the loop of each crossed edge; -1 for edges that aren't crossed.
constexpr std::array<int, cubeEdges> loopsOf(int inside) {
    std::array<int, cubeEdges> next{};
    next.fill(-1);
    for (int face = 0; face < 6; ++face) {
        const int axis = face / 2, side = face % 2;
        const int b = 1 << (axis + 1) % 3, c = 1 << (axis + 2) % 3;
        // Corners counterclockwise seen from outside the cube.
        std::array<int, 4> corner{0, b, b | c, c};
        if (side == 0)
            corner = {c, b | c, b, 0};
        const auto at = [&](int i) {
            return corner[static_cast<std::size_t>(i % 4)] | side << axis;
        };
        const auto isIn = [&](int i) { return (inside >> at(i) & 1) != 0; };
        for (int i = 0; i < 4; ++i) {
            if (isIn(i) || !isIn(i + 1))
                continue;
            int last = i + 1;
            while (isIn(last + 1))
                ++last;
            next[static_cast<std::size_t>(edgeBetween(at(i), at(i + 1)))] =
                edgeBetween(at(last), at(last + 1));
        }
    }
    return next;
}

struct Loop {
    std::array<int, cubeEdges> edge{};
    int count = 0;
    constexpr int at(int i) const { return edge[static_cast<std::size_t>(i % count)]; }
};

/// Whether no diagonal of the fan around `center` lies in a face.
constexpr bool fanLeavesFaces(const Loop& loop, int center) {
    for (int k = 2; k + 1 < loop.count; ++k)
        if ((facesOf(loop.at(center)) & facesOf(loop.at(center + k))) != 0)
            return false;
    return true;
}

constexpr CubeCase caseOf(int inside) {
    std::array<int, cubeEdges> next = loopsOf(inside);
    CubeCase result;
    for (std::size_t first = 0; first < cubeEdges; ++first) {
        Loop loop;
        for (int edge = static_cast<int>(first); next[static_cast<std::size_t>(edge)] >= 0;) {
            loop.edge[static_cast<std::size_t>(loop.count++)] = edge;
            int& following = next[static_cast<std::size_t>(edge)];
            edge = following;
            following = -1;
        }
        int center = 0;
        while (loop.count > 0 && !fanLeavesFaces(loop, center))
            ++center;
        for (int k = 1; k + 1 < loop.count; ++k) {
            const auto triangle = static_cast<std::size_t>(result.triangles++);
            const int corners[3] = {loop.at(center), loop.at(center + k), loop.at(center + k + 1)};
            for (std::size_t i = 0; i < 3; ++i)
                result.edges[3 * triangle + i] = static_cast<std::int8_t>(corners[i]);
        }
    }
    return result;
}

constexpr std::array<CubeCase, 256> makeCases() {
    std::array<CubeCase, 256> cases;
    for (std::size_t inside = 0; inside < cases.size(); ++inside)
        cases[inside] = caseOf(static_cast<int>(inside));
    return cases;
}

} // namespace detail

/// The cases of a cube, indexed by the set of corners that are inside.
inline constexpr std::array<CubeCase, 256> cubeCases = detail::makeCases();

} // namespace systole::iso
