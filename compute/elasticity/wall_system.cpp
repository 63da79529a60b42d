#include "compute/elasticity/wall_system.h"

#include "compute/core/error.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

namespace systole::elasticity {
namespace {

using Place = std::array<std::int64_t, 3>;

/// Places of nodes, until three of them are off a line. Exact: they are whole numbers.
class OffLine {
public:
    void add(const Place& place) {
        if (!first_) {
            first_ = place;
            return;
        }
        const Place to = {place[0] - (*first_)[0], place[1] - (*first_)[1],
                          place[2] - (*first_)[2]};
        if (to == Place{})
            return;
        if (!along_) {
            along_ = to;
            return;
        }
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::size_t a = (axis + 1) % 3, b = (axis + 2) % 3;
            found_ = found_ || (*along_)[a] * to[b] != (*along_)[b] * to[a];
        }
    }
    bool found() const { return found_; }

private:
    std::optional<Place> first_, along_;
    bool found_ = false;
};

/// Throws ComputeError if a part of the wall (voxels connected by faces) has no three nodes of
/// known motion off a line: its rigid motions would cost no energy. `motionOf` has an element per
/// node, null where nothing is known. Parts that share an edge alone could turn about it and count
/// as two.
void requireEveryPartKnown(const WallMesh& mesh, std::span<const KnownMotion* const> motionOf) {
    std::vector<std::uint8_t> left = mesh.inWall;
    const VolumeView<std::uint8_t> wall(left.data(), mesh.voxels);
    const VolumeView<const std::int32_t> nodeAt(mesh.nodeAt.data(), mesh.corners());
    std::vector<std::array<int, 3>> front;
    const auto visit = [&](int x, int y, int z) {
        if (x < 0 || y < 0 || z < 0 || x >= mesh.voxels.x || y >= mesh.voxels.y ||
            z >= mesh.voxels.z || wall(x, y, z) == 0)
            return;
        wall(x, y, z) = 0;
        front.push_back({x, y, z});
    };
    for (int startZ = 0; startZ < mesh.voxels.z; ++startZ)
        for (int startY = 0; startY < mesh.voxels.y; ++startY)
            for (int startX = 0; startX < mesh.voxels.x; ++startX) {
                if (wall(startX, startY, startZ) == 0)
                    continue;
                OffLine known;
                std::int64_t voxels = 0;
                for (visit(startX, startY, startZ); !front.empty(); ++voxels) {
                    const auto [x, y, z] = front.back();
                    front.pop_back();
                    for (int corner = 0; corner < 8; ++corner) {
                        const int cx = x + (corner & 1), cy = y + (corner >> 1 & 1),
                                  cz = z + (corner >> 2);
                        if (motionOf[std::size_t(nodeAt(cx, cy, cz))] != nullptr)
                            known.add({cx, cy, cz});
                    }
                    for (const int step : {-1, 1}) {
                        visit(x + step, y, z);
                        visit(x, y + step, z);
                        visit(x, y, z + step);
                    }
                }
                if (!known.found())
                    throw ComputeError(fmt::format(
                        "the part of the wall at voxel ({}, {}, {}), of {} voxels, has fewer than "
                        "three points of known motion that aren't on one line, so its motion is "
                        "undetermined",
                        startX, startY, startZ, voxels));
            }
}

constexpr int nodesPerChunk = 512;

/// The 3 × 3 blocks of a node with itself and its 26 neighbors in scan order; the middle is its
/// own.
struct NodeBlocks {
    std::array<std::array<double, 9>, 27> value{};
    std::array<std::int32_t, 27> node{}; ///< -1: no voxel of the wall has both
};
constexpr std::size_t middle = 13;

NodeBlocks blocksOf(const WallMesh& mesh, const HexahedronMatrix& element, std::int32_t node) {
    NodeBlocks blocks;
    blocks.node.fill(-1);
    const auto [x, y, z] = mesh.place(node);
    const VolumeView<const std::uint8_t> wall(mesh.inWall.data(), mesh.voxels);
    const VolumeView<const std::int32_t> nodeAt(mesh.nodeAt.data(), mesh.corners());
    for (int around = 0; around < 8; ++around) {
        // The voxel that has the node as its corner `own`.
        const int own = 7 - around;
        const int vx = x - (own & 1), vy = y - (own >> 1 & 1), vz = z - (own >> 2);
        if (vx < 0 || vy < 0 || vz < 0 || vx >= mesh.voxels.x || vy >= mesh.voxels.y ||
            vz >= mesh.voxels.z || wall(vx, vy, vz) == 0)
            continue;
        for (int corner = 0; corner < 8; ++corner) {
            const int cx = vx + (corner & 1), cy = vy + (corner >> 1 & 1), cz = vz + (corner >> 2);
            const auto at = std::size_t((cx - x + 1) + 3 * (cy - y + 1) + 9 * (cz - z + 1));
            blocks.node[at] = nodeAt(cx, cy, cz);
            for (std::size_t entry = 0; entry < 9; ++entry)
                blocks.value[at][entry] +=
                    element[3 * std::size_t(own) + entry / 3][3 * std::size_t(corner) + entry % 3];
        }
    }
    return blocks;
}

/// Per node: its known motion, or null.
std::vector<const KnownMotion*> byNode(const WallMesh& mesh, std::span<const KnownMotion> known) {
    std::vector<const KnownMotion*> motionOf(std::size_t(mesh.nodes()), nullptr);
    for (const KnownMotion& motion : known) {
        if (motion.node < 0 || motion.node >= mesh.nodes())
            throw ComputeError(fmt::format("a known motion names node {} of a wall with {} nodes",
                                           motion.node, mesh.nodes()));
        const Vec3 d = motion.displacement;
        if (!std::isfinite(d.x) || !std::isfinite(d.y) || !std::isfinite(d.z) ||
            !std::isfinite(motion.springStiffness) || motion.springStiffness < 0)
            throw ComputeError(fmt::format("the known motion of node {} isn't finite, or its "
                                           "spring's stiffness is negative",
                                           motion.node));
        auto& place = motionOf[std::size_t(motion.node)];
        if (place != nullptr)
            throw ComputeError(
                fmt::format("the motion of node {} of a wall is given twice", motion.node));
        place = &motion;
    }
    return motionOf;
}

} // namespace

WallSystem assembleWall(const WallMesh& mesh, const ElasticMaterial& material,
                        std::span<const KnownMotion> known, ExecContext& ctx) {
    const HexahedronMatrix element = hexahedronStiffness(mesh.spacing, material);
    const auto motionOf = byNode(mesh, known);
    requireEveryPartKnown(mesh, motionOf);

    WallSystem system;
    system.held.assign(std::size_t(mesh.nodes()), {});
    std::vector<std::int32_t> unknownOf(std::size_t(mesh.nodes()), -1);
    for (std::int32_t node = 0; node < mesh.nodes(); ++node) {
        const KnownMotion* motion = motionOf[std::size_t(node)];
        if (motion != nullptr && motion->springStiffness == 0) {
            system.held[std::size_t(node)] = motion->displacement;
            continue;
        }
        unknownOf[std::size_t(node)] = static_cast<std::int32_t>(system.freeNodes.size());
        system.freeNodes.push_back(node);
    }

    auto& matrix = system.stiffness;
    const auto freeNodes = static_cast<int>(system.freeNodes.size());
    matrix.rows = matrix.columns = 3 * std::int64_t(freeNodes);
    matrix.rowStart.assign(std::size_t(matrix.rows) + 1, 0);
    system.load.assign(std::size_t(matrix.rows), 0);
    const auto isUnknown = [&](std::int32_t node) {
        return node >= 0 && unknownOf[std::size_t(node)] >= 0;
    };
    parallelFor(ctx, freeNodes, nodesPerChunk, [&](int begin, int end) {
        ctx.throwIfCancelled();
        for (int n = begin; n < end; ++n) {
            const auto blocks = blocksOf(mesh, element, system.freeNodes[std::size_t(n)]);
            std::int64_t entries = 0;
            for (const std::int32_t neighbor : blocks.node)
                entries += isUnknown(neighbor) ? 3 : 0;
            for (std::size_t row = 0; row < 3; ++row)
                matrix.rowStart[3 * std::size_t(n) + row + 1] = entries;
        }
    });
    for (std::size_t row = 0; row < std::size_t(matrix.rows); ++row)
        matrix.rowStart[row + 1] += matrix.rowStart[row];
    matrix.columnOf.resize(std::size_t(matrix.entries()));
    matrix.values.resize(std::size_t(matrix.entries()));

    parallelFor(ctx, freeNodes, nodesPerChunk, [&](int begin, int end) {
        ctx.throwIfCancelled();
        for (int n = begin; n < end; ++n) {
            const std::int32_t node = system.freeNodes[std::size_t(n)];
            auto blocks = blocksOf(mesh, element, node);
            const KnownMotion* spring = motionOf[std::size_t(node)];
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const std::size_t row = 3 * std::size_t(n) + axis;
                if (spring != nullptr) {
                    blocks.value[middle][4 * axis] += spring->springStiffness;
                    system.load[row] += spring->springStiffness * spring->displacement[int(axis)];
                }
                // Nodes are numbered in scan order, so columns ascend.
                auto entry = std::size_t(matrix.rowStart[row]);
                for (std::size_t at = 0; at < 27; ++at) {
                    const std::int32_t neighbor = blocks.node[at];
                    if (neighbor < 0)
                        continue;
                    for (std::size_t column = 0; column < 3; ++column) {
                        const double value = blocks.value[at][3 * axis + column];
                        if (!isUnknown(neighbor)) {
                            system.load[row] -=
                                value * system.held[std::size_t(neighbor)][int(column)];
                            continue;
                        }
                        matrix.columnOf[entry] =
                            3 * unknownOf[std::size_t(neighbor)] + std::int32_t(column);
                        matrix.values[entry++] = value;
                    }
                }
            }
        }
    });
    return system;
}

sparse::NearKernel rigidMotions(const WallMesh& mesh, const WallSystem& system) {
    constexpr int motions = 6;
    Vec3 middle{};
    for (const std::int32_t node : system.freeNodes)
        middle = middle + mesh.position(node);
    middle =
        (1.0 / static_cast<double>(std::max<std::size_t>(system.freeNodes.size(), 1))) * middle;
    double extent = 0;
    for (const std::int32_t node : system.freeNodes)
        extent = std::max(extent, length(mesh.position(node) - middle));
    sparse::NearKernel kernel{motions, {}};
    kernel.values.reserve(3 * motions * system.freeNodes.size());
    for (const std::int32_t node : system.freeNodes) {
        const Vec3 p = (extent > 0 ? 1 / extent : 1.0) * (mesh.position(node) - middle);
        const double rows[3][motions] = {
            {1, 0, 0, 0, p.z, -p.y}, {0, 1, 0, -p.z, 0, p.x}, {0, 0, 1, p.y, -p.x, 0}};
        for (const auto& row : rows)
            kernel.values.insert(kernel.values.end(), row, row + motions);
    }
    return kernel;
}

std::vector<Vec3> displacementOfNodes(const WallSystem& system, std::span<const double> unknowns) {
    if (unknowns.size() != system.load.size())
        throw ComputeError(fmt::format("a solution of the elastic wall has {} values, not {}",
                                       unknowns.size(), system.load.size()));
    std::vector<Vec3> displacement = system.held;
    for (std::size_t n = 0; n < system.freeNodes.size(); ++n)
        displacement[std::size_t(system.freeNodes[n])] = {unknowns[3 * n], unknowns[3 * n + 1],
                                                          unknowns[3 * n + 2]};
    return displacement;
}

} // namespace systole::elasticity
