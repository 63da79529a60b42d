// Surfaces in time: how much the volume of a still heart flickers from fresh noise in every frame,
// and what denoising makes of the ejection fraction of a beating one.
#include "app/features/surface/surfaces_in_time.h"
#include "bench/benchmarks.h"
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
#include <vector>

namespace systole {
namespace {

constexpr int frames = 20;

/// A chamber with fresh noise in every frame, still or beating.
class NoisyChamber {
public:
    virtual ~NoisyChamber() = default;
    virtual const Geometry& geometry() const = 0;
    virtual double trueEjectionFraction() const = 0;
    virtual void distance(int frame, VolumeView<float> phi) const = 0;
    virtual VectorField trueMotion(int fixed, int moving) const = 0;
    virtual VectorField estimatedMotion(int fixed, int moving) const = 0;
};

/// A ball with normal noise in its distance, from which its motion is estimated.
class NoisyBall : public NoisyChamber {
public:
    NoisyBall(bool beats, int side, float noise, std::uint64_t seed, const ExecContext& ctx)
        : beats_(beats)
        , grid_({side, side, side}, {1, 1, 1}, {})
        , radius_(0.3 * side)
        , noise_(noise)
        , seed_(seed)
        , ctx_(ctx) {}
    const Geometry& geometry() const override { return grid_; }
    double trueEjectionFraction() const override {
        return 1 - std::pow(radius(frames / 2) / radius(0), 3);
    }
    void distance(int frame, VolumeView<float> phi) const override {
        for (int z = 0; z < phi.size.z; ++z)
            for (int y = 0; y < phi.size.y; ++y)
                for (int x = 0; x < phi.size.x; ++x) {
                    const std::size_t i = phi.offset(x, y, z);
                    const auto time = static_cast<std::uint64_t>(frame);
                    phi.data[i] = static_cast<float>(length(fromCenter(x, y, z)) - radius(frame)) +
                                  noise_ * normalPair(randomBits(seed_, time, i)).first;
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
    float noise_;
    std::uint64_t seed_;
    const ExecContext& ctx_;
};

/// Blood of the phantom above a threshold of its noisy gray values.
class NoisyPhantom : public NoisyChamber {
public:
    NoisyPhantom(bool beats, int side, float noise, std::uint64_t seed, const ExecContext& ctx)
        : phantom_(optionsOf(beats, side, noise, seed)), ctx_(ctx) {
        for (int frame = 0; frame < frames; ++frame) {
            images_.emplace_back(geometry(), *ctx.pool, "phantom");
            phantom_.image(frame, images_.back().view(), ctx);
        }
    }
    const Geometry& geometry() const override { return phantom_.geometry(); }
    double trueEjectionFraction() const override {
        const Phantom fine(optionsOf(true, fineSide, 0, 1));
        const auto voxels = [&](int frame) {
            return static_cast<double>(
                std::ranges::count(fine.labels(frame, ctx_), std::uint8_t{2}));
        };
        return 1 - voxels(frames / 2) / voxels(0);
    }
    void distance(int frame, VolumeView<float> phi) const override {
        constexpr float betweenBloodAndWall = 150;
        distanceOfThreshold(image(frame).view(), betweenBloodAndWall, geometry(), phi, ctx_);
    }
    VectorField trueMotion(int fixed, int moving) const override {
        return phantom_.truth(fixed, moving, ctx_);
    }
    VectorField estimatedMotion(int fixed, int moving) const override {
        return clgMotion(image(fixed), image(moving), 0, 255, true, ctx_);
    }

private:
    static constexpr int fineSide = 160;
    static PhantomOptions optionsOf(bool beats, int side, float noise, std::uint64_t seed) {
        PhantomOptions options;
        options.size = {side, side, side};
        options.frames = frames;
        options.look = PhantomLook::Ct;
        options.motionScale = beats ? 1 : 0;
        options.additiveNoise = static_cast<double>(noise);
        options.seed = seed;
        return options;
    }
    const Volume& image(int frame) const { return images_[static_cast<std::size_t>(frame)]; }
    Phantom phantom_;
    std::vector<Volume> images_;
    const ExecContext& ctx_;
};

struct Curve {
    std::vector<double> milliliters;
    double seconds = 0; ///< a frame, mean over all

    /// Root mean square of the change from frame to frame.
    double jitter() const {
        double sum = 0;
        for (std::size_t t = 1; t < milliliters.size(); ++t)
            sum += std::pow(milliliters[t] - milliliters[t - 1], 2);
        return std::sqrt(sum / static_cast<double>(milliliters.size() - 1));
    }
    /// Ejection fraction from the first frame, at end diastole, to end systole.
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

/// A chamber without noise, and one pair of a still and a beating chamber per seed.
template <class Chamber>
void measure(const char* name, int side, float noise, const BenchOptions& options,
             const ExecContext& ctx, Json& record) {
    const Chamber clean(true, side, 0, 1, ctx);
    const double exact = clean.trueEjectionFraction();
    const double cleanFraction = curveOf(clean, "none", 0, Motion::None, ctx).ejectionFraction();
    fmt::print("  {} of {}³ voxels, noise {}, {} seeds; ejection fraction {:.2f} %, without noise "
               "{:.2f} %\n  {:<36} {:>9} {:>7} {:>8} {:>8} {:>8} {:>8} {:>7}\n",
               name, side, noise, options.seeds, 100 * exact, 100 * cleanFraction, "", "jitter",
               "falls", "EF", "change", "error", "clean", "frame");
    double jitterBefore = 0, fractionBefore = 0;
    std::vector<Chamber> still, beating;
    for (int s = 0; s < options.seeds; ++s) {
        const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(s);
        still.emplace_back(false, side, noise, seed, ctx);
        beating.emplace_back(true, side, noise, seed, ctx);
    }
    for (const Case& which : cases) {
        double squares = 0, fraction = 0, seconds = 0;
        for (std::size_t s = 0; s < still.size(); ++s) {
            ctx.throwIfCancelled();
            const Curve quiet = curveOf(still[s], which.method, which.away, which.motion, ctx);
            const Curve beats = curveOf(beating[s], which.method, which.away, which.motion, ctx);
            squares += quiet.jitter() * quiet.jitter() / options.seeds;
            fraction += beats.ejectionFraction() / options.seeds;
            seconds += beats.seconds / options.seeds;
        }
        const double jitter = std::sqrt(squares);
        if (jitterBefore == 0) {
            jitterBefore = jitter;
            fractionBefore = fraction;
        }
        fmt::print("  {:<36} {:>6.4f} ml {:>6.1f}× {:>6.2f} % {:>+8.2f} {:>+8.2f} {:>+8.2f} "
                   "{:>5.2f} s\n",
                   which.title, jitter, jitterBefore / jitter, 100 * fraction,
                   100 * (fraction - fractionBefore), 100 * (fraction - exact),
                   100 * (fraction - cleanFraction), seconds);
        std::fflush(stdout);
        record[name].push_back({{"side", side},
                                {"noise", noise},
                                {"method", which.title},
                                {"jitter_ml", jitter},
                                {"ejection_fraction", fraction},
                                {"true_ejection_fraction", exact},
                                {"noiseless_ejection_fraction", cleanFraction},
                                {"seconds_per_frame", seconds}});
    }
}

} // namespace

void benchSurfaceInTime(const BenchOptions& options, const ExecContext& ctx, Json& record) {
    fmt::print("surface-in-time: a chamber in {} frames of a closed cycle, fresh noise in every "
               "frame\n",
               frames);
    const std::vector<int> sides = options.sides.empty() ? std::vector{48} : options.sides;
    for (const int side : sides) {
        for (const float voxels : {0.2f, 0.4f})
            measure<NoisyBall>("ball, voxels of its distance", side, voxels, options, ctx, record);
        for (const float gray : {12.0f, 16.0f})
            measure<NoisyPhantom>("phantom, gray values of a step of 80", side, gray, options, ctx,
                                  record);
    }
}

} // namespace systole
