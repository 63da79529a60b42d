#include "compute/lab/kernels/bspline.h"

#include "bench/benchmarks.h"
#include "bench/device_bench.h"
#include "bench/timing.h"
#include "compute/core/random.h"
#include "compute/cuda/device.h"
#include "compute/lab/kernels/bspline_warp.h"
#include "compute/motion/methods.h"
#include "compute/ops/bspline_field_math.h"
#include "compute/ops/over_voxels.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace systole {
namespace {

/// Time budgets of the repeats of one figure.
constexpr double budgetSeconds = 1, deviceBudgetSeconds = 0.5;
constexpr int tiles[] = {3, 4, 5, 6, 7};
/// A quarter of the thesis' first phantom along each axis.
constexpr Size3 errorImage{128, 57, 96};
constexpr float amplitude = 10;
/// The image of the figures that were recorded for other programs.
constexpr Size3 cpuImage{294, 130, 208};

ControlGrid gridOf(Size3 image, int tile) { return {image, {tile, tile, tile}}; }

std::string textOf(Size3 size) { return fmt::format("{}×{}×{}", size.x, size.y, size.z); }

/// Displacements of up to 10 voxels; `positions` adds the control points' own, as NiftyReg stores
/// them.
std::vector<float> controlPoints(const ControlGrid& grid, bool positions) {
    const Size3 count = grid.points();
    std::vector<float> values(3 * count.voxels());
    const FieldView<float> points(values.data(), count);
    std::uint64_t n = 0;
    for (int c = 0; c < 3; ++c)
        for (int k = 0; k < count.z; ++k)
            for (int j = 0; j < count.y; ++j)
                for (int i = 0; i < count.x; ++i) {
                    const auto bits = static_cast<std::uint32_t>(randomBits(9, 1, n++));
                    const float displacement = amplitude * (2 * uniformFloat(bits) - 1);
                    points.componentView(c)(i, j, k) =
                        displacement +
                        (positions ? static_cast<float>(grid.position(i, j, k)[c]) : 0.0f);
                }
    return values;
}

/// The definition's plain sums in double precision.
std::vector<double> exactField(const ControlGrid& grid, const std::vector<float>& points,
                               const ExecContext& ctx) {
    const Size3 size = grid.image, count = grid.points();
    const std::vector<double> phi(points.begin(), points.end());
    const VolumeView<const double> lattice(phi.data(), count), image(nullptr, size);
    std::vector<double> values(3 * size.voxels());
    const auto weights = [](int voxel, int tile) {
        return bspline::weightsAt(static_cast<double>(voxel % tile) / tile);
    };
    overVoxels(size, ctx, [&](int x, int y, int z) {
        for (std::size_t c = 0; c < 3; ++c)
            values[c * size.voxels() + image.offset(x, y, z)] = bspline::sumAt(
                phi.data() + c * count.voxels(),
                lattice.offset(x / grid.tile.x, y / grid.tile.y, z / grid.tile.z),
                static_cast<std::size_t>(count.x), lattice.offset(0, 0, 1), weights(x, grid.tile.x),
                weights(y, grid.tile.y), weights(z, grid.tile.z));
    });
    return values;
}

double meanError(const std::vector<float>& found, const std::vector<double>& exact) {
    double sum = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
        sum += std::abs(static_cast<double>(found[i]) - exact[i]);
    return sum / static_cast<double>(found.size());
}

/// Mean absolute error over all components and tiles, of displacements and of positions.
struct Errors {
    double displacements = 0, positions = 0;
};

/// `compute` returns the field of the given points.
template <typename Compute>
Errors errorsOf(const std::vector<std::vector<double>>& exact, const Compute& compute) {
    Errors errors;
    std::size_t n = 0;
    for (const int tile : tiles)
        for (const bool positions : {false, true}) {
            const ControlGrid grid = gridOf(errorImage, tile);
            (positions ? errors.positions : errors.displacements) +=
                meanError(compute(grid, controlPoints(grid, positions)), exact[n++]) /
                static_cast<double>(std::size(tiles));
        }
    return errors;
}

void printErrors(const std::string& name, const char* thesis, const Errors& e, Json& record) {
    fmt::print("    {:<26} {:>13.2f} {:>13.2f} {:>9}\n", name, 1e6 * e.displacements,
               1e6 * e.positions, thesis);
    record[name] = {{"displacements", e.displacements}, {"positions", e.positions}};
}

/// Values in device memory.
Buffer<float> uploaded(CudaContext& cuda, const std::vector<float>& values) {
    Buffer<float> to = cuda.devicePool().acquire<float>(values.size(), "benchmark");
    cuda.upload(values.data(), to.data(), values.size() * sizeof(float), CudaStream::Compute);
    cuda.synchronize(CudaStream::Compute);
    return to;
}

/// Median, after a run that warms up, of the summed event times of the kernels whose names begin
/// like this: not of copies to textures.
double kernelSeconds(const ExecContext& ctx, int repeats, const std::string& kernels,
                     const std::function<void(const ExecContext&)>& run) {
    const auto once = [&] {
        const FrameProfile profile = profileOf(ctx, true, run);
        double sum = 0;
        for (const ProfileSpan& span : profile.spans)
            if (span.stage.empty() && span.kernel.starts_with(kernels))
                sum += span.seconds;
        return sum;
    };
    once();
    return medianWithin(repeats, deviceBudgetSeconds, once);
}

/// The field by a variant of lab::bsplineFamily, from host to host.
std::vector<float> bsplineOnDevice(int variant, const ControlGrid& grid,
                                   const std::vector<float>& points, BenchDevice& device,
                                   const ExecContext& ctx) {
    std::vector<float> values(3 * grid.image.voxels());
    if constexpr (cudaIsBuilt) {
        CudaContext& cuda = device.cuda;
        Buffer<float> from = uploaded(cuda, points);
        Buffer<float> to = cuda.devicePool().acquire<float>(values.size(), "benchmark");
        lab::bsplineFieldOnDevice(variant, {{from.data(), grid.points()}, grid},
                                  {to.data(), grid.image}, contextOn(device, ctx));
        cuda.download(to.data(), values.data(), values.size() * sizeof(float), CudaStream::Compute);
        cuda.synchronize(CudaStream::Compute);
    }
    return values;
}

void benchErrors(BenchDevice* device, const ExecContext& ctx, Json& record) {
    fmt::print("  mean absolute error against float64 in 1e-6 voxel, {}, tiles of 3³ to 7³ voxels; "
               "the thesis' figures are those of its tables 2.2 and 2.3\n",
               textOf(errorImage));
    fmt::print("    {:<26} {:>13} {:>13} {:>9}\n", "", "displacements", "positions", "thesis");
    std::vector<std::vector<double>> exact;
    for (const int tile : tiles)
        for (const bool positions : {false, true}) {
            ctx.throwIfCancelled();
            const ControlGrid grid = gridOf(errorImage, tile);
            exact.push_back(exactField(grid, controlPoints(grid, positions), ctx));
        }
    static constexpr const char* cpuThesis[] = {"", "6.0", "3.0", "3.0", ""};
    static_assert(std::size(cpuThesis) == std::size(bsplineCpuVariants));
    for (std::size_t n = 0; n < std::size(bsplineCpuVariants); ++n) {
        const BsplineCpuVariant variant = bsplineCpuVariants[n];
        const auto run = [&](const ControlGrid& grid, const std::vector<float>& points) {
            std::vector<float> values(3 * grid.image.voxels());
            bsplineField(variant, {{points.data(), grid.points()}, grid},
                         {values.data(), grid.image}, ctx);
            return values;
        };
        printErrors(name(variant), cpuThesis[n], errorsOf(exact, run), record["cpu"]);
    }
    if (!device)
        return;
    static constexpr const char* gpuThesis[] = {"5.3", "", "5.5", "9245", "5.6", "2.8", ""};
    static_assert(std::size(gpuThesis) == std::size(lab::bsplineVariants));
    for (int variant = 0; variant < lab::bsplineFamily.count(); ++variant) {
        const auto run = [&](const ControlGrid& grid, const std::vector<float>& points) {
            return bsplineOnDevice(variant, grid, points, *device, ctx);
        };
        printErrors(lab::bsplineFamily.kernel(variant), gpuThesis[variant], errorsOf(exact, run),
                    record["cuda"]);
    }
}

struct TileTime {
    double seconds = 0, floor = 0; ///< 0: not measured
    std::string text = "–";
};

/// A table over the tiles: their sides, and below them lines of times.
struct TileTable {
    Size3 size;
    int nameWidth, width;

    void printHeading() const {
        fmt::print("    {:<{}}", "tile", nameWidth);
        for (const int tile : tiles)
            fmt::print(" {:>{}}", fmt::format("{}³", tile), width);
        fmt::print("\n");
    }

    void printLine(const std::string& name, Json& record, const auto& timeOf) const {
        fmt::print("    {:<{}}", name, nameWidth);
        for (const int tile : tiles) {
            const TileTime time = timeOf(gridOf(size, tile));
            fmt::print(" {:>{}}", time.text, width);
            if (time.seconds > 0)
                record[name][std::to_string(tile)] = {
                    {"seconds", time.seconds}, {"time_over_floor", time.seconds / time.floor}};
        }
        fmt::print("\n");
    }
};

/// Writes 12 bytes a voxel and nothing else.
double floorOnCpu(std::vector<float>& field, int repeats, const ExecContext& ctx) {
    constexpr int chunk = 1 << 18;
    const auto count = static_cast<int>(field.size());
    return warmMedian(repeats, budgetSeconds, ctx, [&] {
        parallelFor(ctx, count, chunk, [&](int begin, int end) {
            std::fill(field.begin() + begin, field.begin() + end, 0.0f);
        });
    });
}

void benchCpu(Size3 size, const BenchOptions& options, const ExecContext& ctx, Json& record) {
    const auto voxels = static_cast<double>(size.voxels());
    std::vector<float> field(3 * size.voxels());
    const double floor = floorOnCpu(field, options.repeats, ctx);
    fmt::print("  CPU, {} threads, {}: Mvoxel/s (and times the floor, {:.0f} Mvoxel/s written)\n",
               ctx.threads->threads(), textOf(size), voxels / floor / 1e6);
    if (size == cpuImage)
        fmt::print("    recorded on another machine, two threads, tiles of 5³: the thesis' "
                   "vector-per-tile 244, with\n    interpolations 172; NiftyReg 169 with aligned "
                   "tables, 34 without; ITK 3.5\n");
    const TileTable table{size, 18, 15};
    table.printHeading();
    record["floor_seconds"] = floor;
    const auto line = [&](const std::string& name, const auto& run) {
        double before = 0;
        table.printLine(name, record, [&](const ControlGrid& grid) {
            ctx.throwIfCancelled();
            if (before > options.cpuSeconds)
                return TileTime{};
            std::vector<float> points = controlPoints(grid, false);
            before = warmMedian(options.repeats, budgetSeconds, ctx, [&] { run(grid, points); });
            return TileTime{before, floor,
                            fmt::format("{:.1f} ({:.1f}×)", voxels / before / 1e6, before / floor)};
        });
    };
    for (const BsplineCpuVariant variant : bsplineCpuVariants)
        line(name(variant), [&](const ControlGrid& grid, const std::vector<float>& points) {
            bsplineField(variant, {{points.data(), grid.points()}, grid}, {field.data(), size},
                         ctx);
        });
    line("gradient", [&](const ControlGrid& grid, std::vector<float>& points) {
        bsplineGradient({field.data(), size}, {{points.data(), grid.points()}, grid}, ctx);
    });
}

/// Times of kernels by events, medians, with all data on the device. In a build without CUDA there
/// is no device.
void benchDevice(Size3 size, const BenchOptions& options, BenchDevice& device,
                 const ExecContext& base, Json& record) {
    if constexpr (cudaIsBuilt) {
        const ExecContext ctx = contextOn(device, base);
        const std::size_t n = size.voxels();
        BufferPool& pool = device.cuda.devicePool();
        Buffer<float> displacement = pool.acquire<float>(3 * n, "benchmark, field"),
                      results = pool.acquire<float>(5 * n, "benchmark, warped"),
                      image = uploaded(device.cuda, std::vector<float>(n, 1.0f));
        const FieldView<float> field(displacement.data(), size);
        const lab::BsplineWarped warped{
            {results.data(), size}, {results.data() + n, size}, {results.data() + 2 * n, size}};
        const auto secondsOf = [&](const std::string& kernels, const auto& run) {
            return kernelSeconds(ctx, options.repeats, kernels, run);
        };
        const double floor = secondsOf("bspline floor", [&](const ExecContext& timed) {
            lab::writeFieldOnDevice(field, timed);
        });
        fmt::print("  {}: µs (and times the floor: 12 bytes a voxel written in {:.1f} µs, {:.0f} "
                   "GB/s)\n",
                   textOf(size), 1e6 * floor, 12 * static_cast<double>(n) / floor / 1e9);
        const TileTable table{size, 28, 17};
        table.printHeading();
        record["floor_seconds"] = floor;
        const auto line = [&](const std::string& name, const std::string& kernels,
                              const auto& run) {
            table.printLine(name, record, [&](const ControlGrid& grid) {
                base.throwIfCancelled();
                Buffer<float> from = uploaded(device.cuda, controlPoints(grid, false));
                const FieldView<float> points(from.data(), grid.points());
                const double seconds =
                    secondsOf(kernels, [&](const ExecContext& timed) { run(points, grid, timed); });
                return TileTime{seconds, floor,
                                fmt::format("{:.1f} ({:.2f}×)", 1e6 * seconds, seconds / floor)};
            });
        };
        for (int variant = 0; variant < lab::bsplineFamily.count(); ++variant) {
            const std::string name = lab::bsplineFamily.kernel(variant);
            line(name, name,
                 [&](FieldView<float> points, const ControlGrid& grid, const ExecContext& timed) {
                     lab::bsplineFieldOnDevice(variant, {points, grid}, field, timed);
                 });
        }
        line("bspline gradient", "bspline gradient",
             [&](FieldView<float> points, const ControlGrid& grid, const ExecContext& timed) {
                 bsplineGradientOnDevice(field, {points, grid}, timed);
             });
        // Value, weight and gradient of an image of the same size.
        for (int variant = 0; variant < lab::bsplineWarpFamily.count(); ++variant)
            line(lab::bsplineWarpFamily.kernel(variant), "bspline",
                 [&](FieldView<float> points, const ControlGrid& grid, const ExecContext& timed) {
                     lab::bsplineWarpOnDevice(
                         variant, {{points, grid}, {}, {image.data(), size}, {}}, warped, timed);
                 });
    }
}

} // namespace

void benchBspline(const BenchOptions& options, const ExecContext& ctx, Json& record) {
    const auto device = openBenchDevice("bspline", motionMethods().front(), record);
    fmt::print("bspline: the displacement field of a cubic B-spline's control points\n");
    record["threads"] = ctx.threads->threads();
    benchErrors(device.get(), ctx, record["mean_absolute_error"]);
    std::vector<Size3> sizes;
    for (const int side : options.sides)
        sizes.push_back({side, side, side});
    if (sizes.empty())
        sizes = {cpuImage};
    benchCpu(sizes.front(), options, ctx, record["cpu"][textOf(sizes.front())]);
    if (!device)
        return;
    if (options.sides.empty())
        sizes = {{256, 256, 256}, {512, 228, 385}};
    for (const Size3 size : sizes)
        benchDevice(size, options, *device, ctx, record["cuda"][textOf(size)]);
}

} // namespace systole
