// Denoising beside the smoothers of meshes and of gray values that users know: Gaussian, Taubin's
// lambda | mu, VTK's windowed sinc. Each is as strong as leaves the same noise on the faces of a
// cube; then edges and corners are compared. Prints the distances as a table.
#include "compute/ops/smooth.h"
#include "compute/surface/isosurface.h"
#include "compute/surface/mesh_measures.h"
#include "compute/surface/surface.h"
#include "compute/surface/surface_methods.h"
#include "tests/io/mesh_smoothers.h"
#include "tests/support/shapes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

namespace systole {
namespace {

using namespace test;

/// How many faces of the turned cube of shapes() are within 2 voxels of a point on it; 0: between.
int facesNear(Vec3 p) {
    const double c = std::cos(0.5), s = std::sin(0.5);
    Vec3 d = p - Vec3{23.6, 23.3, 23.8};
    d = {c * d.x + s * d.y, c * d.y - s * d.x, d.z};
    double q[3] = {std::abs(d.x), std::abs(c * d.y + s * d.z), std::abs(c * d.z - s * d.y)};
    std::sort(q, q + 3);
    return q[0] > 10 ? 3 : q[1] > 10 ? 2 : q[1] < 7 ? 1 : 0;
}

struct Outcome {
    double all = 0, faces = 0, edges = 0, corners = 0, volume = 0;
};

class Smoothers {
public:
    explicit Smoothers(const Shape& shape)
        : shape_(shape), noisy_(sampled(shape.drawn, shapeSize, 0.4)) {}

    Outcome noisy() { return of(noisy_); }
    Outcome denoised(const SurfaceMethod& method) {
        std::vector<float> phi = noisy_;
        denoiseSurface(method, {phi.data(), shapeSize}, grid_, method.defaults(), ctx());
        return of(phi);
    }
    Outcome gaussian(double sigma) {
        std::vector<float> phi(noisy_.size());
        smoothGaussian({noisy_.data(), shapeSize}, {phi.data(), shapeSize}, {sigma, sigma, sigma},
                       ctx());
        return of(phi);
    }
    Outcome taubin(double strength) {
        return of(test::taubin(meshOf(noisy_), std::pow(10, -strength)));
    }
    Outcome windowedSinc(double strength) {
        return of(test::windowedSinc(meshOf(noisy_), std::pow(10, -strength)));
    }

private:
    ExecContext ctx() { return resources_.context(); }
    TriangleMesh meshOf(const std::vector<float>& phi) {
        return isosurface({phi.data(), shapeSize}, grid_, SurfaceEdge::Closed, ctx());
    }
    Outcome of(const std::vector<float>& phi) { return of(meshOf(phi)); }
    Outcome of(const TriangleMesh& mesh) {
        double sum[4] = {}, count[4] = {}, all = 0;
        for (const auto& point : mesh.points) {
            const Vec3 p{static_cast<double>(point[0]), static_cast<double>(point[1]),
                         static_cast<double>(point[2])};
            const double off = std::abs(shape_.truth(p));
            const int near = facesNear(p);
            sum[near] += off;
            ++count[near];
            all += off;
        }
        const double truth = measure(meshOf(sampled(shape_.truth))).volumeCubicMillimeters;
        return {all / static_cast<double>(mesh.points.size()), sum[1] / count[1], sum[2] / count[2],
                sum[3] / count[3], measure(mesh).volumeCubicMillimeters / truth - 1};
    }

    const Shape shape_;
    const std::vector<float> noisy_;
    const Geometry grid_{shapeSize, {1, 1, 1}, {}};
    ExecResources resources_{0};
};

/// The weakest that leaves as little noise on the faces, or else the one that leaves least.
Outcome atEqualNoise(const std::function<Outcome(double)>& smooth, double weakest, double step,
                     double faces) {
    Outcome best;
    for (int n = 0; n < 12; ++n) {
        const Outcome next = smooth(weakest + n * step);
        if (n == 0 || next.faces < best.faces)
            best = next;
        if (best.faces <= faces)
            break;
    }
    return best;
}

void print(const char* name, const Outcome& o) {
    std::printf("| %-22s | %.3f | %.3f | %.3f | %.3f | %+.1f %% |\n", name, o.all, o.faces, o.edges,
                o.corners, 100 * o.volume);
}

TEST(SmoothersAtEqualNoise, MoveEdgesAndCornersFarther) {
    Smoothers cube(shapes()[2]);
    const SurfaceMethod& nonlocal = surfaceMethods().front();
    const Outcome ours = cube.denoised(nonlocal);
    print("noisy", cube.noisy());
    print("nonlocal", ours);
    const auto compare = [&](const char* name, const std::function<Outcome(double)>& smooth,
                             double weakest, double step) {
        const Outcome other = atEqualNoise(smooth, weakest, step, ours.faces);
        print(name, other);
        EXPECT_LT(ours.edges, other.edges) << name;
        EXPECT_LT(ours.corners, other.corners) << name;
    };
    compare(
        "Gaussian", [&](double s) { return cube.gaussian(s); }, 0.8, 0.1);
    compare(
        "Taubin", [&](double s) { return cube.taubin(s); }, 1, 0.25);
    compare(
        "windowed sinc", [&](double s) { return cube.windowedSinc(s); }, 0.5, 0.25);
}

TEST(SmoothersAtEqualNoise, NoiseOfEveryShapeIsHalvedAndItsVolumeStays) {
    for (const Shape& shape : shapes()) {
        Smoothers smoothers(shape);
        const Outcome before = smoothers.noisy();
        for (const SurfaceMethod& method : surfaceMethods()) {
            if (!method.run)
                continue;
            const Outcome after = smoothers.denoised(method);
            std::printf("| %-20s | %-10s | %.3f | %.3f | %+.2f %% |\n", shape.name,
                        method.name.c_str(), before.all, after.all, 100 * after.volume);
            EXPECT_LT(2 * after.all, before.all) << shape.name << ", " << method.name;
            EXPECT_LT(std::abs(after.volume), 0.01) << shape.name << ", " << method.name;
        }
    }
}

} // namespace
} // namespace systole
