#include "compute/cardiac/placement.h"

#include "compute/core/error.h"
#include "compute/core/neighbors.h"
#include "compute/core/points.h"

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace systole::cardiac {
namespace {

constexpr std::size_t minFaces = 12; ///< that make a plane
constexpr double steepest = 0.7;     ///< cosine between the plane's normal and the long axis

/// A face between the cavity and what isn't heart.
struct OpenFace {
    Vec3 center, outwards; ///< LPS mm; unit vector
    double area;           ///< area in volumes of a voxel, per mm
};

Tissue tissueAt(const TissueMap& map, int x, int y, int z) {
    const Size3 size = map.grid.size();
    return map.at[static_cast<std::size_t>(x) +
                  static_cast<std::size_t>(size.x) *
                      (static_cast<std::size_t>(y) +
                       static_cast<std::size_t>(size.y) * static_cast<std::size_t>(z))];
}

template <class Visit> ///< visit(voxel, neighbor) for faces from `voxels` to a tissue
void overFacesTo(const TissueMap& map, const TissueVoxels& voxels, Tissue tissue,
                 const Visit& visit) {
    for (std::size_t i = 0; i < voxels.count(); ++i) {
        const auto [x, y, z] = voxels.index[i];
        overFaces(map.grid.size(), x, y, z, [&](int a, int b, int c) {
            if (tissueAt(map, a, b, c) == tissue)
                visit(i, voxelPoint(a, b, c));
        });
    }
}

/// Middle and principal directions of points, the direction of least spread first.
struct Spread {
    Vec3 middle;
    std::array<Vec3, 3> direction;
};
template <class Count, class Point, class Weight>
Spread spreadOf(Count count, const Point& point, const Weight& weight) {
    double sum = 0;
    Spread spread;
    for (Count i = 0; i < count; ++i) {
        sum += weight(i);
        spread.middle = spread.middle + weight(i) * point(i);
    }
    spread.middle = (1 / sum) * spread.middle;
    Eigen::Matrix3d moments = Eigen::Matrix3d::Zero();
    for (Count i = 0; i < count; ++i) {
        const Vec3 d = point(i) - spread.middle;
        const Eigen::Vector3d e(d.x, d.y, d.z);
        moments += weight(i) * e * e.transpose();
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(moments);
    for (int k = 0; k < 3; ++k) {
        const Eigen::Vector3d v = solver.eigenvectors().col(k);
        spread.direction[static_cast<std::size_t>(k)] = {v.x(), v.y(), v.z()};
    }
    return spread;
}

/// The end of the grid is one, too.
std::vector<OpenFace> openFaces(const TissueMap& map, const TissueVoxels& cavity) {
    const Size3 size = map.grid.size();
    std::vector<OpenFace> faces;
    for (std::size_t i = 0; i < cavity.count(); ++i)
        for (int k = 0; k < 6; ++k) {
            std::array<int, 3> to = cavity.index[i];
            to[static_cast<std::size_t>(k / 2)] += 2 * (k % 2) - 1;
            const int at = to[static_cast<std::size_t>(k / 2)];
            if (at >= 0 && at < size[k / 2] && tissueAt(map, to[0], to[1], to[2]) != Tissue::Other)
                continue;
            const Vec3 own = cavity.indexPoint(i), beyond = voxelPoint(to[0], to[1], to[2]);
            const Vec3 step = map.grid.voxelVectorToPhysical(beyond - own);
            faces.push_back({map.grid.indexToPhysical(0.5 * (own + beyond)),
                             (1 / length(step)) * step, 1 / length(step)});
        }
    return faces;
}

/// The plane of the base by the open faces on the side of `towards`; empty if they make none.
std::optional<Plane> planeOf(std::vector<OpenFace> faces, Vec3 middle, Vec3 towards,
                             double tolerance) {
    std::erase_if(faces, [&](const OpenFace& f) { return dot(f.center - middle, towards) <= 0; });
    std::optional<Plane> plane;
    for (int round = 0; round < 3; ++round) { // each round leaves out faces that lie elsewhere
        if (faces.size() < minFaces)
            return plane;
        const Spread spread = spreadOf(
            faces.size(), [&](std::size_t i) { return faces[i].center; },
            [&](std::size_t i) { return faces[i].area; });
        Vec3 normal = spread.direction[0];
        if (dot(normal, towards) < 0)
            normal = -1.0 * normal;
        if (dot(normal, towards) < steepest)
            return plane;
        plane = Plane{spread.middle, normal};
        std::erase_if(
            faces, [&](const OpenFace& f) { return std::abs(plane->above(f.center)) > tolerance; });
    }
    return plane;
}

/// Direction from the middle of the cavity to its base.
Vec3 towardsBaseOf(const TissueVoxels& cavity, const std::vector<OpenFace>& faces,
                   const GivenPoints& given, Vec3& middle) {
    const Spread spread = spreadOf(
        cavity.count(), [&](std::size_t i) { return cavity.position(i); },
        [](std::size_t) { return 1.0; });
    middle = spread.middle;
    Vec3 axis = spread.direction[2];
    if (given.mitral && given.apex)
        axis = *given.mitral - *given.apex;
    else if (given.mitral)
        axis = *given.mitral - middle;
    else if (given.apex)
        axis = middle - *given.apex;
    else {
        double balance = 0;
        for (const OpenFace& face : faces) // the wider opening, as seen along the axis
            balance += face.area * dot(face.outwards, axis);
        if (faces.empty())
            throw ComputeError("the cavity's label is closed all around, so that only the middle "
                               "of the mitral ring says where its base is");
        if (balance < 0)
            axis = -1.0 * axis;
    }
    const double size = length(axis);
    if (!(size > 1e-6))
        throw ComputeError("the apex and the middle of the mitral ring are the same point: the "
                           "left ventricle has no long axis");
    return (1 / size) * axis;
}

/// The end of the cavity that is farthest from the base.
Vec3 apexOf(const TissueVoxels& cavity, Vec3 mitral, double step) {
    double farthest = 0;
    for (std::size_t i = 0; i < cavity.count(); ++i)
        farthest = std::max(farthest, length(cavity.position(i) - mitral));
    Vec3 sum;
    double count = 0;
    for (std::size_t i = 0; i < cavity.count(); ++i)
        if (const Vec3 p = cavity.position(i); length(p - mitral) > farthest - step) {
            sum = sum + p;
            ++count;
        }
    const Vec3 middle = (1 / count) * sum;
    return mitral + (farthest + step / 2) / length(middle - mitral) * (middle - mitral);
}

/// Where the septum begins, counter-clockwise; empty without a right ventricle beside the wall.
std::optional<Vec3> insertionOf(const TissueMap& map, const TissueVoxels& wall,
                                const LongAxis& axis) {
    std::array<bool, 360> touches{};
    overFacesTo(map, wall, Tissue::RightVentricle, [&](std::size_t i, Vec3) {
        if (const Vec3 p = wall.position(i); axis.share(p) > 0.3)
            touches[static_cast<std::size_t>(axis.angle(p)) % 360] = true;
    });
    if (std::ranges::none_of(touches, [](bool t) { return t; }))
        return std::nullopt;
    std::size_t longest = 0, begins = 0, free = 0;
    for (std::size_t degree = 0; degree < 720; ++degree) {
        if (!touches[degree % 360]) {
            ++free;
            continue;
        }
        if (free > longest) {
            longest = free;
            begins = degree % 360;
        }
        free = 0;
    }
    return axis.apex() + axis.outwards(static_cast<double>(begins));
}

/// Where the wall ends, along the index axis nearest to the long one, if no voxel of it lies on the
/// axis below the cavity.
std::optional<Plane> apicalCutOf(const TissueVoxels& wall, const LongAxis& axis, double step) {
    const Vec3 h = wall.grid.spacing();
    Plane cut;
    double best = 0, thickness = 0;
    for (int k = 0; k < 3; ++k) {
        Vec3 index;
        index[k] = 1 / h[k];
        const Vec3 unit = wall.grid.voxelVectorToPhysical(index);
        if (const double along = dot(unit, axis.towardsBase()); std::abs(along) > best) {
            best = std::abs(along);
            cut.normal = (along > 0 ? -1.0 : 1.0) * unit;
            thickness = h[k];
        }
    }
    double lowest = 0;
    for (std::size_t i = 0; i < wall.count(); ++i) {
        const Vec3 p = wall.position(i);
        const double height = axis.height(p);
        if (height < 0 && length(p - axis.at(height)) < onAxis * step)
            return std::nullopt;
        if (const double below = dot(p - axis.apex(), cut.normal); i == 0 || below > lowest)
            lowest = below;
    }
    cut.point = axis.apex() + (lowest + thickness / 2) * cut.normal;
    return cut;
}

} // namespace

Placement placementOf(const TissueMap& map, const TissueVoxels& cavity, const TissueVoxels& wall,
                      const GivenPoints& given) {
    const Vec3 spacing = map.grid.spacing();
    const double step = std::max({spacing.x, spacing.y, spacing.z});
    const std::vector<OpenFace> faces = openFaces(map, cavity);
    Vec3 middle;
    const Vec3 towards = towardsBaseOf(cavity, faces, given, middle);
    std::vector<std::string> notes;
    std::optional<Plane> base = planeOf(faces, middle, towards, 2 * step);
    if (!base && !given.mitral)
        throw ComputeError("the cavity's label has no flat base: name the middle of the mitral "
                           "ring");
    if (!base)
        base = Plane{*given.mitral, towards};
    if (!given.mitral)
        notes.emplace_back("the middle of the mitral ring was found from the labels");
    Vec3 mitral = given.mitral.value_or(base->point);
    if (!given.apex)
        notes.emplace_back("the apex was found from the labels");
    const Vec3 apex = given.apex.value_or(apexOf(cavity, mitral, step));
    // The axis ends in the plane of the base.
    if (const double along = dot(mitral - apex, base->normal); std::abs(along) > 1e-6) {
        const Vec3 end = apex + dot(base->point - apex, base->normal) / along * (mitral - apex);
        if (const double apart = length(end - mitral); apart > 2 * step)
            notes.push_back(fmt::format(
                "the middle of the mitral ring lies {:.1f} mm from the base of the labels; the "
                "long axis ends at the latter",
                apart));
        mitral = end;
    }
    // Any direction across the axis, until the septum's is known.
    const Vec3 unit = (1 / length(mitral - apex)) * (mitral - apex);
    Vec3 right{-1, 0, 0};
    if (std::abs(unit.x) > 0.9)
        right = {0, -1, 0};
    const LongAxis any(apex, mitral, apex + right);
    std::optional<Vec3> insertion = given.insertion;
    if (!insertion) {
        insertion = insertionOf(map, wall, any);
        notes.emplace_back(insertion ? "the insertion of the right ventricle was found from the "
                                       "labels"
                                     : "no insertion of the right ventricle is known: the middle "
                                       "of the septum is taken to lie towards the patient's "
                                       "right, so segments may be turned");
    }
    const bool known = insertion.has_value();
    const Vec3 zero = known ? *insertion : apex + any.outwards(-60);
    const LongAxis axis(apex, mitral, zero);
    const std::optional<Plane> cut = apicalCutOf(wall, axis, step);
    if (!cut)
        return {axis, *base, cut, known, notes};
    notes.emplace_back("the labels end before the wall closes around the apex: nothing is measured "
                       "beyond");
    const double rise = dot(cut->point - apex, cut->normal) / dot(mitral - apex, cut->normal);
    return {LongAxis(apex + rise * (mitral - apex), mitral, zero), *base, cut, known, notes};
}

} // namespace systole::cardiac
