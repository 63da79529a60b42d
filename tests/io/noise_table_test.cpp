// Denoising beside the smoothers of meshes over shapes and noises, as a table. Each peer has the
// settings that its users take unasked.
#include "compute/ops/sample.h"
#include "compute/ops/smooth.h"
#include "compute/surface/isosurface.h"
#include "compute/surface/mesh_measures.h"
#include "compute/surface/nonlocal_surface.h"
#include "compute/surface/redistance.h"
#include "tests/io/mesh_smoothers.h"
#include "tests/support/moved_border.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace systole {
namespace {

using namespace test;

constexpr Size3 extent{56, 56, 56};
constexpr Vec3 center{27.7, 27.5, 27.4};
constexpr double halfBox = 14, angle = 0.5;

struct Case {
    const char* name;
    Distance truth;
    bool hasEdges = false; ///< it is the turned box
};

/// Whether the point is within two voxels of an edge of the turned box.
bool isAtEdge(Vec3 p) {
    const Vec3 inner{halfBox, halfBox, halfBox};
    int near = 0;
    for (int axis = 0; axis < 3; ++axis) {
        Vec3 half{1e3, 1e3, 1e3};
        half[axis] = inner[axis];
        near += std::abs(turned(test::box(center, half), center, angle)(p)) < 2;
    }
    return near > 1;
}

/// The wall of a left ventricle: half ellipsoids cut off at the base, as a distance of the grid.
Distance leftVentricle(const ExecContext& ctx) {
    const auto ellipsoid = [](Vec3 p, Vec3 axes) {
        const Vec3 d = p - center - Vec3{0, 0, 8};
        return (std::hypot(d.x / axes.x, d.y / axes.y, d.z / axes.z) - 1) * axes.x;
    };
    std::vector<float> phi = sampled(
        [&](Vec3 p) {
            return std::max(
                {ellipsoid(p, {17, 17, 28}), -ellipsoid(p, {10, 10, 20}), p.z - center.z - 14});
        },
        extent);
    distanceToLevel({phi.data(), extent}, 0, Inside::Below, {1, 1, 1}, {phi.data(), extent}, ctx);
    return [phi](Vec3 p) {
        const Position at{static_cast<float>(p.x), static_cast<float>(p.y),
                          static_cast<float>(p.z)};
        return static_cast<double>(TrilinearSample(extent, at).of(phi.data()));
    };
}

std::vector<Case> cases(const ExecContext& ctx) {
    const Distance vessels =
        united(turned(bar({27.7, 27.5, 8}, {27.7, 27.5, 30}, 5), center, angle),
               united(turned(bar({27.7, 27.5, 30}, {14, 27.5, 46}, 4), center, angle),
                      turned(bar({27.7, 27.5, 30}, {42, 27.5, 46}, 3), center, angle)));
    return {{"sphere", sphere(center, 20)},
            {"box", turned(test::box(center, {halfBox, halfBox, halfBox}), center, angle), true},
            {"two boxes", united(test::box({19.4, 27.3, 27.3}, {8, 10, 12}),
                                 test::box({35.4, 27.3, 29.3}, {8.5, 13, 8}))}, // the paper's
            {"vessels", vessels},
            {"left ventricle", leftVentricle(ctx)}};
}

struct Outcome {
    double mean = 0, bias = 0, edges = 0, volume = 0;
};

class NoiseTable : public ::testing::Test {
protected:
    ExecResources resources{0};
    ExecContext ctx = resources.context();
    const Geometry grid{extent, {1, 1, 1}, {}};

    TriangleMesh meshOf(const std::vector<float>& phi) {
        return isosurface({phi.data(), extent}, grid, SurfaceEdge::Closed, ctx);
    }
    TriangleMesh denoised(std::vector<float> phi, double spacing) {
        NonlocalMeansParameters p;
        p.grid = spacing;
        denoiseNonlocally({phi.data(), extent}, {1, 1, 1}, p, ctx);
        return meshOf(phi);
    }
    TriangleMesh gaussian(std::vector<float> phi) {
        const VolumeView<float> view(phi.data(), extent);
        smoothGaussian(view, view, {2, 2, 2}, ctx);
        return meshOf(phi);
    }
    Outcome of(const TriangleMesh& mesh, const Case& shape, double meanAtBorder) {
        Outcome o;
        double atEdges = 0;
        for (const auto& point : mesh.points) {
            const Vec3 p{double{point[0]}, double{point[1]}, double{point[2]}};
            const double off = shape.truth(p);
            o.mean += std::abs(off);
            o.bias += off;
            if (shape.hasEdges && isAtEdge(p)) {
                o.edges += std::abs(off);
                ++atEdges;
            }
        }
        const auto points = static_cast<double>(mesh.points.size());
        const double truth = measure(meshOf(sampled(shape.truth, extent))).volumeCubicMillimeters;
        return {o.mean / points, o.bias / points - meanAtBorder, o.edges / atEdges,
                measure(mesh).volumeCubicMillimeters / truth - 1};
    }
};

TEST_F(NoiseTable, OursIsClosestAndHoldsItsGoals) {
    struct Noise {
        double amplitude, width;
    };
    std::printf("| shape | noise, width | method | mean | bias | edges | volume |\n");
    for (const Case& shape : cases(ctx))
        for (const Noise noise : {Noise{0.2, 1}, {0.4, 1}, {0.8, 1}, {1.2, 1}, {0.8, 2}}) {
            const MovedBorder border =
                movedBorder(shape.truth, extent, noise.amplitude, noise.width, 1, ctx);
            const TriangleMesh noisy = meshOf(border.phi);
            const auto row = [&](const char* method, const TriangleMesh& mesh) {
                const Outcome o = of(mesh, shape, border.meanAtBorder);
                const std::string edges =
                    shape.hasEdges ? std::to_string(o.edges).substr(0, 5) : "";
                std::printf("| %s | %.1f, %.0f | %s | %.3f | %+.3f | %s | %+.1f %% |\n", shape.name,
                            noise.amplitude, noise.width, method, o.mean, o.bias, edges.c_str(),
                            100 * o.volume);
                std::fflush(stdout);
                return o;
            };
            const std::string what = std::string(shape.name) + ", noise " +
                                     std::to_string(noise.amplitude) + ", width " +
                                     std::to_string(noise.width);
            const Outcome before = row("as it is", noisy);
            row("`--grid 1`", denoised(border.phi, 1));
            const Outcome sinc = row("windowed sinc", windowedSinc(noisy, 0.001));
            row("Taubin", taubin(noisy, 0.1));
            row("Gauss", gaussian(border.phi));
            const Outcome ours = row("default", denoised(border.phi, 0));
            EXPECT_LT(ours.mean, 0.85 * before.mean) << what;
            if (noise.width == 1 && noise.amplitude >= 0.8) {
                EXPECT_LT(ours.mean, 1.1 * sinc.mean) << what;
                EXPECT_LT(ours.mean, 0.7 * before.mean) << what;
            }
            if (shape.hasEdges && noise.amplitude >= 0.4) {
                EXPECT_LT(ours.edges, sinc.edges) << what;
            }
        }
}

} // namespace
} // namespace systole
