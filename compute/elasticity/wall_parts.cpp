#include "compute/elasticity/wall_parts.h"

#include "compute/core/error.h"

#include <fmt/format.h>

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

} // namespace

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
                        "the part of the wall at voxel ({}, {}, {}), of {} voxels, has no three "
                        "points of known motion off a line; nothing says how it moves",
                        startX, startY, startZ, voxels));
            }
}

} // namespace systole::elasticity
