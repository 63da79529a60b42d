// Surfaces in time: how much the volume of a still heart flickers from fresh noise in every frame,
// and what denoising makes of the ejection fraction of a beating one.
#include "app/bench/benchmarks.h"
#include "app/surface/surfaces_in_time.h"
#include "compute/core/elapsed.h"
#include "compute/core/random.h"
#include "compute/surface/surface.h"
#include "compute/surface/surface_methods.h"
#include "io/phantom/phantom.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace systole {
namespace {

using Json = nlohmann::ordered_json;

constexpr int frames = 20;

/// A chamber with fresh noise in every frame, still or beating.
class NoisyChamber {
public:
    virtual ~NoisyChamber() = default;
    virtual const char* noise() const = 0;
    virtual const Geometry& geometry() const = 0;
    virtual double trueEjectionFraction() const = 0;
    virtual void distance(int frame, VolumeView<float> phi) const = 0;
    virtual VectorField trueMotion(int fixed, int moving) const = 0;
    virtual VectorField estimatedMotion(int fixed, int moving) const = 0;
};

/// A ball with normal noise in its distance, from which its motion is estimated.
class NoisyBall : public NoisyChamber {
public:
    NoisyBall(bool beats, int side, const ExecContext& ctx)
        : beats_(beats), grid_({side, side, side}, {1, 1, 1}, {}), radius_(0.3 * side), ctx_(ctx) {}
    const char* noise() const override { return "distance of a ball, 0.4 voxels"; }
    const Geometry& geometry() const override { return grid_; }
    double trueEjectionFraction() const override {
        return 1 - std::pow(radius(frames / 2) / radius(0), 3);
    }
    void distance(int frame, VolumeView<float> phi) const override {
        for (int z = 0; z < phi.size.z; ++z)
            for (int y = 0; y < phi.size.y; ++y)
                for (int x = 0; x < phi.size.x; ++x) {
                    const std::size_t i = phi.offset(x, y, z);
                    const auto seed = static_cast<std::uint64_t>(frame);
                    phi.data[i] = static_cast<float>(length(fromCenter(x, y, z)) - radius(frame)) +
                                  0.4f * normalPair(randomBits(1, seed, i)).first;
                }
    }
    VectorField trueMotion(int fixed, int moving) const override {
        VectorField field(grid_, *ctx_.pool, "true motion");
        const FieldView<float> view = field.view();
        const double growth = radius(moving) / radius(fixed) - 1;
        for (int z = 0; z < view.size.z; ++z)
            for (int y = 0; y < view.size.y; ++y)
                for (int x = 0; x < view.size.x; ++x) {
                    const std::size_t i = view.componentView(0).offset(x, y, z);
                    const Vec3 moved = growth * fromCenter(x, y, z);
                    for (int axis = 0; axis < 3; ++axis)
                        view.component(axis)[i] = static_cast<float>(moved[axis]);
                }
        return field;
    }
    VectorField estimatedMotion(int fixed, int moving) const override {
        Volume a(grid_, *ctx_.pool, "fixed"), b(grid_, *ctx_.pool, "moving");
        distance(fixed, a.view());
        distance(moving, b.view());
        return motionOfDistances(a, b, ctx_);
    }

private:
    double radius(int frame) const {
        constexpr double turn = 2 * std::numbers::pi / frames;
        return beats_ ? radius_ * (1 - 0.1 * (1 - std::cos(turn * frame))) : radius_;
    }
    Vec3 fromCenter(int x, int y, int z) const {
        const double center = grid_.size().x / 2.0 - 0.3;
        return {x - center, y - center, z - center};
    }
    bool beats_;
    Geometry grid_;
    double radius_;
    const ExecContext& ctx_;
};

/// Blood of the phantom above a threshold of its noisy gray values.
class NoisyPhantom : public NoisyChamber {
public:
    NoisyPhantom(bool beats, int side, const ExecContext& ctx)
        : phantom_(optionsOf(beats, side)), fine_(optionsOf(beats, fineSide)), ctx_(ctx) {}
    const char* noise() const override { return "gray values of the phantom, 12 of 80"; }
    const Geometry& geometry() const override { return phantom_.geometry(); }
    double trueEjectionFraction() const override {
        const auto voxels = [&](int frame) {
            return static_cast<double>(
                std::ranges::count(fine_.labels(frame, ctx_), std::uint8_t{2}));
        };
        return 1 - voxels(frames / 2) / voxels(0);
    }
    void distance(int frame, VolumeView<float> phi) const override {
        const Volume gray = image(frame);
        constexpr float betweenBloodAndWall = 150;
        distanceOfThreshold(gray.view(), betweenBloodAndWall, geometry(), phi, ctx_);
    }
    VectorField trueMotion(int fixed, int moving) const override {
        return phantom_.truth(fixed, moving, ctx_);
    }
    VectorField estimatedMotion(int fixed, int moving) const override {
        return clgMotion(image(fixed), image(moving), 0, 255, true, ctx_);
    }

private:
    static constexpr int fineSide = 160;
    static PhantomOptions optionsOf(bool beats, int side) {
        PhantomOptions options;
        options.size = {side, side, side};
        options.frames = frames;
        options.look = PhantomLook::Ct;
        options.motionScale = beats ? 1 : 0;
        return options;
    }
    Volume image(int frame) const {
        Volume volume(geometry(), *ctx_.pool, "phantom");
        phantom_.image(frame, volume.view(), ctx_);
        return volume;
    }
    Phantom phantom_, fine_;
    const ExecContext& ctx_;
};

struct Curve {
    std::vector<double> milliliters;
    double seconds = 0; ///< of a frame

    /// Root mean square of the change from frame to frame.
    double jitter() const {
        double sum = 0;
        for (std::size_t t = 1; t < milliliters.size(); ++t)
            sum += std::pow(milliliters[t] - milliliters[t - 1], 2);
        return std::sqrt(sum / static_cast<double>(milliliters.size() - 1));
    }
    /// From the first frame, at end diastole, to end systole.
    double ejectionFraction() const { return 1 - milliliters[frames / 2] / milliliters[0]; }
};

enum class Motion { None, Estimated, True };

/// Volumes of all frames by a method of surfaceMethods(), in time if `away` isn't 0.
Curve curveOf(const NoisyChamber& chamber, const std::string& methodName, int away, Motion motion,
              const ExecContext& ctx) {
    const auto& methods = surfaceMethods();
    const SurfaceMethod& method =
        *std::ranges::find(methods, methodName, [](const SurfaceMethod& m) { return m.name; });
    const Geometry& grid = chamber.geometry();
    FramesInTime source{
        .geometry = grid,
        .frames = frames,
        .closedCycle = true,
        .distance = [&](int frame, VolumeView<float> phi) { chamber.distance(frame, phi); }};
    if (motion == Motion::True)
        source.motion = [&](int fixed, int moving) { return chamber.trueMotion(fixed, moving); };
    if (motion == Motion::Estimated) {
        source.motion = [&](int fixed, int moving) {
            return chamber.estimatedMotion(fixed, moving);
        };
        source.smoothedPairs = smoothedPairsOf(frames);
    }
    MeanInTimeParameters parameters;
    parameters.frames = std::max(1, away);
    SurfacesInTime inTime(source, parameters);
    Volume phi(grid, *ctx.pool, "signed distance");
    Curve curve;
    const auto start = std::chrono::steady_clock::now();
    for (int frame = 0; frame < frames; ++frame) {
        if (away > 0)
            inTime.mean(frame, phi.view(), ctx);
        else
            chamber.distance(frame, phi.view());
        denoiseSurface(method, phi.view(), grid, method.defaults(), ctx);
        curve.milliliters.push_back(
            surfaceOf(phi.view(), grid, SurfaceEdge::Closed, ctx).measures.volumeCubicMillimeters /
            1000);
    }
    curve.seconds = secondsSince(start) / frames;
    return curve;
}

struct Case {
    const char* method;
    int away;
    Motion motion;
    const char* title;
};
constexpr Case cases[] = {
    {"none", 0, Motion::None, "noisy"},
    {"semi-local", 0, Motion::None, "semi-local, each frame by itself"},
    {"semi-local", 3, Motion::None, "semi-local, ±3 frames, no motion"},
    {"semi-local", 3, Motion::Estimated, "semi-local, ±3 frames, motion clg"},
    {"semi-local", 3, Motion::True, "semi-local, ±3 frames, true motion"},
    {"nonlocal", 0, Motion::None, "nonlocal, each frame by itself"},
    {"nonlocal", 3, Motion::Estimated, "nonlocal, ±3 frames, motion clg"},
};

} // namespace

void benchSurfaceInTime(const BenchOptions& options, const ExecContext& ctx, Json& record) {
    const int side = options.sides.empty() ? 64 : options.sides.front();
    fmt::print("surface-in-time: a chamber in {0}×{0}×{0} voxels, {1} frames of a closed cycle, "
               "fresh noise in every frame\n",
               side, frames);
    const NoisyBall stillBall(false, side, ctx), beatingBall(true, side, ctx);
    const NoisyPhantom stillPhantom(false, side, ctx), beatingPhantom(true, side, ctx);
    const std::pair<const NoisyChamber*, const NoisyChamber*> chambers[] = {
        {&stillBall, &beatingBall}, {&stillPhantom, &beatingPhantom}};
    for (const auto& [still, beating] : chambers) {
        fmt::print("  noise in the {}; true ejection fraction {:.2f} %\n"
                   "  {:<36} {:>9} {:>8} {:>8} {:>9} {:>9} {:>8}\n",
                   still->noise(), 100 * beating->trueEjectionFraction(), "", "jitter", "falls",
                   "EF", "change", "relative", "frame");
        double jitter = 0, fraction = 0;
        for (const Case& which : cases) {
            ctx.throwIfCancelled();
            const Curve quiet = curveOf(*still, which.method, which.away, which.motion, ctx);
            const Curve beats = curveOf(*beating, which.method, which.away, which.motion, ctx);
            const double ef = beats.ejectionFraction();
            if (jitter == 0) {
                jitter = quiet.jitter();
                fraction = ef;
            }
            fmt::print(
                "  {:<36} {:>6.4f} ml {:>7.1f}× {:>6.2f} % {:>+7.2f} % {:>+7.2f} % {:>6.2f} s\n",
                which.title, quiet.jitter(), jitter / quiet.jitter(), 100 * ef,
                100 * (ef - fraction), 100 * (ef / fraction - 1), beats.seconds);
            std::fflush(stdout);
            record[still->noise()].push_back({{"method", which.title},
                                              {"jitter_ml", quiet.jitter()},
                                              {"ejection_fraction", ef},
                                              {"seconds_per_frame", beats.seconds}});
        }
    }
}

} // namespace systole
