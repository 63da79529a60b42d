// Non-local means of a surface: the search over bands of the paper's two sizes, with every variant,
// next to what arithmetic, matrix units and memory allow, and whole surfaces for live use.
#include "bench/benchmarks.h"
#include "bench/device_bench.h"
#include "bench/timing.h"
#include "compute/core/random.h"
#include "compute/model/device_limits.h"
#include "compute/motion/methods.h"
#include "compute/surface/narrow_band.h"
#include "compute/surface/nonlocal_means.h"
#include "compute/surface/nonlocal_means_math.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <vector>

namespace systole {
namespace {

constexpr double budgetSeconds = 2; ///< time budget of the repeats of one figure

/// A wavy ball with normal noise of 0.4 voxels in its signed distance.
struct NoisyBall {
    Size3 size;
    std::vector<float> phi;

    explicit NoisyBall(double radius) {
        const int side = static_cast<int>(std::ceil(2 * radius)) + 16;
        size = {side, side, side};
        phi.resize(size.voxels());
        const double center = side / 2.0 - 0.3;
        const VolumeView<float> view(phi.data(), size);
        for (int z = 0; z < side; ++z)
            for (int y = 0; y < side; ++y)
                for (int x = 0; x < side; ++x) {
                    const std::size_t i = view.offset(x, y, z);
                    const Vec3 p{x - center, y - center, z - center};
                    const double waves =
                        1.5 * std::sin(p.x / 5) * std::sin(p.y / 5) * std::sin(p.z / 5);
                    phi[i] = static_cast<float>(length(p) - radius - waves) +
                             0.4f * normalPair(randomBits(1, 7, i)).first;
                }
    }
    VolumeView<const float> view() const { return {phi.data(), size}; }
};

struct Case {
    int elements; ///< approximate number in the paper
    double radius;
    const char* paper;
};
constexpr Case cases[] = {
    {17500, 15.2, "4.3 min on two CPU threads, 4 s on a GTX 480"},
    {175000, 48.2, "7.3 h on two CPU threads, 4.6 min on a GTX 480"},
};

/// Products and sums of 16-bit numbers that the matrix units of a multiprocessor do in a cycle,
/// from NVIDIA's white papers.
double matrixProducts(int computeCapability) {
    return computeCapability >= 90 ? 2048 : computeCapability == 80 ? 1024 : 512;
}

struct Floors {
    double arithmetic, matrix, memory;
};
Floors floorsOf(double elements, double m, const BenchDevice& device) {
    const CudaDevice& gpu = device.cuda.device();
    const double cycles = device.speed.clockHertz * gpu.multiprocessors;
    const double numbers = nlm::patchNumbers(2);
    return {elements * elements * numbers * 2 /
                (cycles * model::deviceLimits(gpu.computeCapability).floatLanes),
            elements * elements * numbers / (cycles * matrixProducts(gpu.computeCapability)),
            elements * (4 * numbers + 8 * m) / device.speed.copyBandwidth()};
}

class SearchTimer {
public:
    SearchTimer(const NoisyBall& ball, int repeats, const ExecContext& ctx)
        : ball_(ball)
        , repeats_(repeats)
        , ctx_(ctx)
        , band_(narrowBand(ball.view(), static_cast<float>(NonlocalMeansParameters{}.delta), ctx))
        , m_(nlm::keptNeighbors({}, band_.size()))
        , entries_(band_.size() * static_cast<std::size_t>(m_)) {}

    int elements() const { return static_cast<int>(band_.size()); }
    int kept() const { return m_; }

    double onCpu() {
        Buffer<int> element = ctx_.pool->acquire<int>(entries_, "neighbors");
        Buffer<float> distance = ctx_.pool->acquire<float>(entries_, "neighbors' distances");
        return medianSeconds(repeats_, budgetSeconds, [&] {
            findNeighbors(ball_.view(), band_.span(), {}, {element.data(), distance.data(), m_},
                          ctx_);
        });
    }
    double onDevice(const std::string& variant, BenchDevice& device) {
        if constexpr (cudaIsBuilt) {
            CudaContext& cuda = device.cuda;
            BufferPool& pool = cuda.devicePool();
            Buffer<float> phi = pool.acquire<float>(ball_.phi.size(), "signed distance");
            Buffer<int> band = pool.acquire<int>(band_.size(), "narrow band");
            Buffer<int> element = pool.acquire<int>(entries_, "neighbors");
            Buffer<float> distance = pool.acquire<float>(entries_, "neighbors' distances");
            cuda.upload(ball_.phi.data(), phi.data(), ball_.phi.size() * sizeof(float),
                        CudaStream::Compute);
            cuda.upload(band_.data(), band.data(), band_.size() * sizeof(int), CudaStream::Compute);
            cuda.synchronize(CudaStream::Compute);
            const ExecContext ctx = contextOn(device, ctx_);
            NonlocalMeansParameters p;
            p.search = variant;
            return warmMedian(repeats_, budgetSeconds, ctx, [&] {
                findNeighborsOnDevice({phi.data(), ball_.size}, band.span(), p,
                                      {element.data(), distance.data(), m_}, ctx);
                cuda.synchronize(CudaStream::Compute);
            });
        } else {
            return 0;
        }
    }

private:
    const NoisyBall& ball_;
    int repeats_;
    ExecContext ctx_;
    Buffer<int> band_;
    int m_;
    std::size_t entries_;
};

void measureSearch(const Case& which, int repeats, double cpuSeconds, BenchDevice* device,
                   const ExecContext& ctx, Json& record) {
    const NoisyBall ball(which.radius);
    SearchTimer timer(ball, repeats, ctx);
    const double n = timer.elements();
    fmt::print("  {} elements of {}×{}×{} voxels, {} kept (the paper: {})\n", timer.elements(),
               ball.size.x, ball.size.y, ball.size.z, timer.kept(), which.paper);
    record["elements"] = timer.elements();
    // Rough time of a pair of elements on two cores.
    constexpr double secondsPerPair = 3e-9;
    if (n * n * secondsPerPair < cpuSeconds) {
        record["cpu_seconds"] = timer.onCpu();
        fmt::print("    {:<16} {:>10.2f} ms\n",
                   fmt::format("CPU, {} threads", ctx.threads->threads()),
                   1e3 * record["cpu_seconds"].get<double>());
    }
    if (!device)
        return;
    const Floors floors = floorsOf(n, timer.kept(), *device);
    fmt::print("    floors: {:.2f} ms all differences and their squares by the float lanes, {:.2f} "
               "ms all products by the matrix units, {:.2f} ms patches and lists at {:.0f} GB/s\n",
               1e3 * floors.arithmetic, 1e3 * floors.matrix, 1e3 * floors.memory,
               device->speed.copyBandwidth() / 1e9);
    record["floor_seconds"] = {
        {"arithmetic", floors.arithmetic}, {"matrix", floors.matrix}, {"memory", floors.memory}};
    for (const std::string& variant : nlmSearchFamily.names()) {
        ctx.throwIfCancelled();
        const double seconds = timer.onDevice(variant, *device);
        fmt::print("    {:<16} {:>10.2f} ms {:>7.2f} of the arithmetic floor\n", variant,
                   1e3 * seconds, seconds / floors.arithmetic);
        std::fflush(stdout);
        record["variants"][variant] = seconds;
    }
}

/// Whole surfaces by a preset, from host to host: band, search and iterations.
void measureSurfaces(const char* preset, double radius, int repeats, BenchDevice* device,
                     const ExecContext& base, Json& record) {
    const NoisyBall ball(radius);
    const auto p = NonlocalMeansParameters::from(ParamSet(nonlocalMeansTable(), preset));
    const auto seconds = [&](const ExecContext& ctx, int& elements) {
        const auto once = [&] {
            std::vector<float> phi = ball.phi;
            const BenchClock::time_point begin = BenchClock::now();
            elements = denoiseSurface({phi.data(), ball.size}, {1, 1, 1}, p, ctx).elements;
            return secondsSince(begin);
        };
        once();
        return medianWithin(repeats, budgetSeconds, once);
    };
    int elements = 0;
    const double cpu = seconds(base, elements);
    fmt::print("    {:<8} {:>4}³ {:>8} elements: CPU {:>8.1f} a second", preset, ball.size.x,
               elements, 1 / cpu);
    Json& entry = record[preset][std::to_string(ball.size.x)];
    entry = {{"elements", elements}, {"cpu_seconds", cpu}};
    if (device) {
        const double cuda = seconds(contextOn(*device, base), elements);
        fmt::print(", device {:>8.1f}", 1 / cuda);
        entry["device_seconds"] = cuda;
    }
    fmt::print("\n");
}

} // namespace

void benchSurface(const BenchOptions& options, const ExecContext& ctx, Json& record) {
    const auto device = openBenchDevice("surface", motionMethods().front(), record);
    record["threads"] = ctx.threads->threads();
    fmt::print("surface: non-local means, patches of 5×5×5, exact search over the whole band: "
               "medians; on a device with volume, band and lists there\n");
    for (const Case& which : cases)
        measureSearch(which, options.repeats, options.cpuSeconds, device.get(), ctx,
                      record["bands"][std::to_string(which.elements)]);
    fmt::print("  whole surfaces with their volume on the host: band, search, iterations\n");
    for (const double radius : {24.0, 42.0}) // volumes of 64³ and 100³
        measureSurfaces("live", radius, options.repeats, device.get(), ctx, record["surfaces"]);
    measureSurfaces("default", 24.0, options.repeats, device.get(), ctx, record["surfaces"]);
}

} // namespace systole
