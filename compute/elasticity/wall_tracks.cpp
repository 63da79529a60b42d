#include "compute/elasticity/wall_tracks.h"

#include "compute/core/elapsed.h"
#include "compute/core/error.h"
#include "compute/core/voxel.h"
#include "compute/sparse/multigrid.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

namespace systole::elasticity {
namespace {

constexpr int fewestOfPart = 4;

/// The number of the part that each voxel belongs to, from 1; 0 outside the wall.
std::vector<int> partsOf(VolumeView<const std::uint8_t> wall) {
    const Size3 size = wall.size;
    std::vector<int> part(wall.voxels(), 0);
    std::vector<Voxel> open;
    int parts = 0;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const auto enter = [&](Voxel v) {
                    if (v.x < 0 || v.y < 0 || v.z < 0 || v.x >= size.x || v.y >= size.y ||
                        v.z >= size.z)
                        return;
                    const std::size_t i = wall.offset(v.x, v.y, v.z);
                    if (wall.data[i] == 0 || part[i] != 0)
                        return;
                    part[i] = parts;
                    open.push_back(v);
                };
                if (wall(x, y, z) == 0 || part[wall.offset(x, y, z)] != 0)
                    continue;
                ++parts;
                enter({x, y, z});
                while (!open.empty()) {
                    const Voxel v = open.back();
                    open.pop_back();
                    for (int axis = 0; axis < 3; ++axis)
                        for (const int by : {-1, 1})
                            enter(v.moved(axis, by));
                }
            }
    return part;
}

/// The voxel of a point in mm along the axes; none outside the grid, and for a point that isn't
/// finite.
std::optional<Voxel> voxelAt(Vec3 point, Vec3 spacing, Size3 size) {
    std::array<int, 3> at{};
    for (int axis = 0; axis < 3; ++axis) {
        const double place = std::round(point[axis] / spacing[axis]);
        if (!(place >= 0 && place < size[axis]))
            return {};
        at[static_cast<std::size_t>(axis)] = static_cast<int>(place);
    }
    return Voxel{at[0], at[1], at[2]};
}

/// The displacement u = G (p − center) + t that fits best; without slope
/// where the points don't determine G.
struct AffinePart {
    Eigen::Matrix3d gradient = Eigen::Matrix3d::Zero();
    Eigen::Vector3d center = Eigen::Vector3d::Zero(), translation = Eigen::Vector3d::Zero();

    Vec3 at(Vec3 p) const {
        const Eigen::Vector3d u =
            gradient * (Eigen::Vector3d(p.x, p.y, p.z) - center) + translation;
        return {u.x(), u.y(), u.z()};
    }
};

Eigen::Vector3d eigen(Vec3 v) { return {v.x, v.y, v.z}; }

AffinePart fitted(const std::vector<Vec3>& points, const std::vector<Vec3>& displacements,
                  const std::vector<double>& weights) {
    AffinePart affine;
    double sum = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        affine.center += weights[i] * eigen(points[i]);
        affine.translation += weights[i] * eigen(displacements[i]);
        sum += weights[i];
    }
    affine.center /= sum;
    affine.translation /= sum;
    Eigen::Matrix3d spread = Eigen::Matrix3d::Zero(), mixed = Eigen::Matrix3d::Zero();
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Eigen::Vector3d p = eigen(points[i]) - affine.center,
                              u = eigen(displacements[i]) - affine.translation;
        spread += weights[i] * p * p.transpose();
        mixed += weights[i] * u * p.transpose();
    }
    const Eigen::LLT<Eigen::Matrix3d> solver(spread);
    if (solver.info() == Eigen::Success && solver.rcond() > 1e-4)
        affine.gradient = solver.solve(mixed.transpose()).transpose();
    return affine;
}

} // namespace

/// The system and its multigrid hierarchy, which serve all frames.
struct WallTracks::Body {
    Body(const WallMesh& mesh, WallSystem assembled, ExecContext& ctx)
        : system(std::move(assembled))
        , multigrid(system.stiffness, rigidMotions(mesh, system), {.blockSize = 3}, ctx) {}
    WallSystem system;
    sparse::Multigrid multigrid;
};

WallTracks::~WallTracks() = default;

WallTracks::WallTracks(VolumeView<const std::uint8_t> wall, Vec3 spacing,
                       std::span<const Vec3> points, const WallTrackOptions& options)
    : options_(options), points_(points.begin(), points.end()), voxelOf_(points.size(), -1) {
    if (!(options.length > 0 && std::isfinite(options.length)))
        throw ComputeError("the length over which an elastic wall smooths tracks must be above 0");
    const std::vector<int> part = partsOf(wall);
    const Size3 size = wall.size;
    std::vector<int> pointsOf(part.size() + 1, 0);
    for (std::size_t i = 0; i < points_.size(); ++i) {
        const std::optional<Voxel> v = voxelAt(points_[i], spacing, size);
        if (!v)
            continue;
        const std::size_t voxel = wall.offset(v->x, v->y, v->z);
        if (part[voxel] == 0)
            continue;
        voxelOf_[i] = static_cast<std::int64_t>(voxel);
        ++pointsOf[static_cast<std::size_t>(part[voxel])];
    }
    const auto counts = [&](int which) {
        return which > 0 && pointsOf[static_cast<std::size_t>(which)] >= fewestOfPart;
    };
    std::vector<std::uint8_t> kept(part.size());
    std::ranges::transform(part, kept.begin(), [&](int which) { return counts(which) ? 1 : 0; });
    for (std::int64_t& voxel : voxelOf_)
        if (voxel >= 0 && kept[static_cast<std::size_t>(voxel)] == 0)
            voxel = -1;
    if (std::ranges::find(kept, 1) == kept.end())
        throw ComputeError(fmt::format("no part of the elastic wall has the {} points in it that "
                                       "its motion needs",
                                       fewestOfPart));
    mesh_ = meshOfWall({kept.data(), size}, spacing);
}

int WallTracks::held() const {
    return static_cast<int>(
        std::ranges::count_if(voxelOf_, [](std::int64_t voxel) { return voxel >= 0; }));
}

std::array<WallTracks::Share, 8> WallTracks::shares(std::size_t point) const {
    const Size3 size = mesh_.voxels, corners = mesh_.corners();
    const std::int64_t voxel = voxelOf_[point], plane = std::int64_t{size.x} * size.y;
    const std::int64_t place[3] = {voxel % size.x, voxel % plane / size.x, voxel / plane};
    double fraction[3];
    for (int axis = 0; axis < 3; ++axis)
        fraction[axis] = std::clamp(points_[point][axis] / mesh_.spacing[axis] -
                                        static_cast<double>(place[axis]) + 0.5,
                                    0.0, 1.0);
    std::array<Share, 8> shares{};
    for (int corner = 0; corner < 8; ++corner) {
        double weight = 1;
        std::int64_t at[3];
        for (int axis = 0; axis < 3; ++axis) {
            const bool upper = (corner >> axis & 1) != 0;
            at[axis] = place[axis] + (upper ? 1 : 0);
            weight *= upper ? fraction[axis] : 1 - fraction[axis];
        }
        shares[static_cast<std::size_t>(corner)] = {
            mesh_.nodeAt[static_cast<std::size_t>((at[2] * corners.y + at[1]) * corners.x + at[0])],
            weight};
    }
    return shares;
}

std::vector<KnownMotion> WallTracks::springs(std::span<const std::size_t> points,
                                             std::span<const Vec3> displacements,
                                             std::span<const double> weights) const {
    const Vec3 s = mesh_.spacing;
    const double face = std::cbrt(s.x * s.y * s.z) * std::cbrt(s.x * s.y * s.z),
                 stiffness = options_.material.youngsModulus * face / options_.length;
    std::vector<double> ofNode(static_cast<std::size_t>(mesh_.nodes()), 0);
    std::vector<Vec3> pulled(ofNode.size());
    for (std::size_t k = 0; k < points.size(); ++k)
        for (const Share& share : shares(points[k])) {
            const double part = share.weight * weights[k];
            const auto node = static_cast<std::size_t>(share.node);
            ofNode[node] += part;
            pulled[node] = pulled[node] + part * displacements[k];
        }
    std::vector<KnownMotion> known;
    for (std::size_t node = 0; node < ofNode.size(); ++node)
        if (ofNode[node] > 0)
            known.push_back({static_cast<std::int32_t>(node), (1 / ofNode[node]) * pulled[node],
                             stiffness * ofNode[node]});
    return known;
}

WallTrackReport WallTracks::carry(std::span<Vec3> displacements, std::span<const double> weights,
                                  ExecContext& ctx) {
    const auto begin = std::chrono::steady_clock::now();
    WallTrackReport report;
    std::vector<std::size_t> inWall, pulling;
    for (std::size_t i = 0; i < points_.size(); ++i)
        if (holds(i)) {
            inWall.push_back(i);
            if (weights[i] > 0)
                pulling.push_back(i);
        }
    report.springs = static_cast<int>(pulling.size());
    report.carried = static_cast<int>(inWall.size() - pulling.size());
    std::vector<Vec3> from, by;
    std::vector<double> sure;
    for (const std::size_t i : pulling) {
        from.push_back(points_[i]);
        by.push_back(displacements[i]);
        sure.push_back(weights[i]);
    }
    if (pulling.empty())
        throw ComputeError("no point in the elastic wall was found");
    const AffinePart affine = fitted(from, by, sure);

    for (std::size_t k = 0; k < pulling.size(); ++k)
        by[k] = by[k] - affine.at(from[k]);
    const WallSystem system =
        assembleWall(mesh_, options_.material, springs(pulling, by, sure), ctx);
    report.bodySetUp = !body_;
    if (!body_) {
        const std::vector<Vec3> still(inWall.size());
        const std::vector<double> all(inWall.size(), 1);
        body_ = std::make_unique<Body>(
            mesh_, assembleWall(mesh_, options_.material, springs(inWall, still, all), ctx), ctx);
    }
    report.unknowns = system.stiffness.rows;
    report.setUpSeconds = secondsSince(begin);

    const auto solving = std::chrono::steady_clock::now();
    std::vector<double> unknowns(system.load.size(), 0);
    constexpr int maxIterations = 5000;
    const sparse::ConjugateGradientReport solved = sparse::solveByConjugateGradients(
        system.stiffness, system.load, unknowns, body_->multigrid.preconditioner(ctx),
        {options_.tolerance, maxIterations}, ctx);
    if (!solved.converged)
        throw ComputeError(fmt::format("the elastic wall's motion wasn't found in {} iterations",
                                       solved.iterations));
    report.iterations = solved.iterations;
    const std::vector<Vec3> nodes = displacementOfNodes(system, unknowns);
    for (const std::size_t i : inWall) {
        Vec3 u = affine.at(points_[i]);
        for (const Share& share : shares(i))
            u = u + share.weight * nodes[static_cast<std::size_t>(share.node)];
        displacements[i] = u;
    }
    report.solveSeconds = secondsSince(solving);
    return report;
}

} // namespace systole::elasticity
