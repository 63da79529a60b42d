#include "compute/elasticity/elastic_wall.h"

#include "compute/core/elapsed.h"
#include "compute/core/error.h"
#include "compute/elasticity/wall_system.h"
#include "compute/sparse/multigrid.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <vector>

namespace systole::elasticity {
namespace {

/// mm at a corner of the grid: the mean of the up to eight voxels around it.
Vec3 motionAt(const FieldView<float>& displacement, Vec3 spacing,
              const std::array<int, 3>& corner) {
    const Size3 size = displacement.size;
    Vec3 sum{};
    int voxels = 0;
    for (int k = corner[2] - 1; k <= corner[2]; ++k)
        for (int j = corner[1] - 1; j <= corner[1]; ++j)
            for (int i = corner[0] - 1; i <= corner[0]; ++i) {
                if (std::min({i, j, k}) < 0 || i >= size.x || j >= size.y || k >= size.z)
                    continue;
                for (int axis = 0; axis < 3; ++axis)
                    sum[axis] += spacing[axis] *
                                 static_cast<double>(displacement.componentView(axis)(i, j, k));
                ++voxels;
            }
    return (1.0 / voxels) * sum;
}

std::vector<KnownMotion> surfaceMotion(const WallMesh& mesh, const FieldView<float>& displacement,
                                       const ElasticWallOptions& options) {
    const Vec3 s = mesh.spacing;
    const double facePerNode = std::cbrt(s.x * s.y * s.z) * std::cbrt(s.x * s.y * s.z);
    const double stiffness = options.surfaceLength > 0 ? options.material.youngsModulus *
                                                             facePerNode / options.surfaceLength
                                                       : 0;
    std::vector<KnownMotion> known;
    for (std::int32_t node = 0; node < mesh.nodes(); ++node)
        if (mesh.onSurface(node))
            known.push_back({node, motionAt(displacement, s, mesh.place(node)), stiffness});
    return known;
}

/// Every voxel of the wall moves as the mean of its corners.
void replaceInside(const WallMesh& mesh, const std::vector<Vec3>& ofNodes,
                   FieldView<float> displacement, ElasticWallReport& report) {
    const Size3 size = mesh.voxels, corners = mesh.corners();
    std::int64_t voxels = 0;
    double changes = 0;
    for (int z = 0; z < size.z; ++z)
        for (int y = 0; y < size.y; ++y)
            for (int x = 0; x < size.x; ++x) {
                const std::size_t i = displacement.componentView(0).offset(x, y, z);
                if (mesh.inWall[i] == 0)
                    continue;
                Vec3 mean{};
                for (int corner = 0; corner < 8; ++corner) {
                    const std::size_t at = static_cast<std::size_t>(x + (corner & 1)) +
                                           static_cast<std::size_t>(corners.x) *
                                               (static_cast<std::size_t>(y + (corner >> 1 & 1)) +
                                                static_cast<std::size_t>(corners.y) *
                                                    static_cast<std::size_t>(z + (corner >> 2)));
                    mean = mean + 0.125 * ofNodes[static_cast<std::size_t>(mesh.nodeAt[at])];
                }
                double squared = 0;
                for (int axis = 0; axis < 3; ++axis) {
                    float& value = displacement.component(axis)[i];
                    const double millimeters = mesh.spacing[axis];
                    const double change = mean[axis] - millimeters * static_cast<double>(value);
                    squared += change * change;
                    value = static_cast<float>(mean[axis] / millimeters);
                }
                changes += std::sqrt(squared);
                report.largestChange = std::max(report.largestChange, std::sqrt(squared));
                ++voxels;
            }
    report.meanChange = changes / static_cast<double>(voxels);
}

} // namespace

ElasticWallReport carryIntoWall(VolumeView<const std::uint8_t> wall, Vec3 spacing,
                                FieldView<float> displacement, const ElasticWallOptions& options,
                                ExecContext& ctx) {
    if (wall.size != displacement.size)
        throw ComputeError("the wall and the displacement that is carried into it must be of one "
                           "size");
    using Clock = std::chrono::steady_clock;
    ElasticWallReport report;
    Clock::time_point begin = Clock::now();
    const WallMesh mesh = meshOfWall(wall, spacing);
    const WallSystem system =
        assembleWall(mesh, options.material, surfaceMotion(mesh, displacement, options), ctx);
    report.nodes = mesh.nodes();
    report.unknowns = system.stiffness.rows;
    report.entries = system.stiffness.entries();
    report.assemblySeconds = secondsSince(begin);

    begin = Clock::now();
    std::optional<sparse::Multigrid> multigrid;
    if (options.multigrid)
        multigrid.emplace(system.stiffness, rigidMotions(mesh, system),
                          sparse::MultigridOptions{.blockSize = 3}, ctx);
    const sparse::Preconditioner preconditioner =
        multigrid ? multigrid->preconditioner(ctx) : sparse::jacobiPreconditioner(system.stiffness);
    report.setUpSeconds = secondsSince(begin);
    if (multigrid) {
        report.levels = static_cast<int>(multigrid->levels().size());
        report.productSeconds = multigrid->productSeconds();
    }

    begin = Clock::now();
    std::vector<double> unknowns(system.load.size(), 0);
    constexpr int maxIterations = 5000;
    const sparse::ConjugateGradientReport solved =
        sparse::solveByConjugateGradients(system.stiffness, system.load, unknowns, preconditioner,
                                          {options.tolerance, maxIterations}, ctx);
    if (!solved.converged)
        throw ComputeError(fmt::format("the elastic wall's motion wasn't found in {} iterations",
                                       solved.iterations));
    report.iterations = solved.iterations;
    report.solveSeconds = secondsSince(begin);
    replaceInside(mesh, displacementOfNodes(system, unknowns), displacement, report);
    return report;
}

} // namespace systole::elasticity
