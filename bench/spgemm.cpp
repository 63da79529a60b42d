// A A of sparse matrices from files and of generated ones: the device's variants and its planned
// product beside cuSPARSE's algorithms and the CPU, and what moving the matrices alone would take.
#include "bench/benchmarks.h"
#include "bench/cusparse_product.h"
#include "bench/device_bench.h"
#include "bench/timing.h"
#include "compute/core/error.h"
#include "compute/motion/methods.h"
#include "compute/sparse/device_product.h"
#include "compute/sparse/generate.h"
#include "compute/sparse/product.h"
#include "compute/sparse/tile_product.h"
#include "io/matrices/matrix_market.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace systole {
namespace {

using sparse::CsrMatrix;
namespace fs = std::filesystem;

constexpr double budgetSeconds = 1; ///< time budget of the repeats of one figure

struct Case {
    std::string name;
    std::function<CsrMatrix<double>()> make;
};

std::vector<Case> filesOf(const BenchOptions& options) {
    std::vector<std::string> paths = options.files;
    for (const fs::path& folder :
         {fs::path(options.dataFolder), fs::path(options.dataFolder) / "sparse"}) {
        std::error_code none;
        for (const auto& entry : fs::directory_iterator(folder, none)) {
            const std::string path = entry.path().string();
            if (path.ends_with(".mtx") || path.ends_with(".mtx.gz"))
                paths.push_back(path);
        }
    }
    std::ranges::sort(paths);
    std::vector<Case> cases;
    for (const std::string& path : paths) {
        std::string name = fs::path(path).filename().string();
        name = name.substr(0, name.find(".mtx"));
        cases.push_back({name, [path] { return readMatrixMarket(path).matrix; }});
    }
    return cases;
}

std::vector<Case> generated() {
    return {{"stencil2d-5", [] { return sparse::stencil2d(700, false); }},
            {"stencil2d-9", [] { return sparse::stencil2d(500, true); }},
            {"stencil3d-7", [] { return sparse::stencil3d(70, false); }},
            {"stencil3d-27", [] { return sparse::stencil3d(44, true); }},
            {"fe-blocks", [] { return sparse::elementBlocks(18); }},
            {"rmat-14", [] { return sparse::rmat(14, 8, 1); }},
            {"rmat-17", [] { return sparse::rmat(17, 4, 1); }},
            {"banded", [] { return sparse::banded(60000, 12, 1); }},
            {"random", [] { return sparse::randomRows(150000, 150000, 6, 1); }},
            {"random-2", [] { return sparse::randomRows(1000000, 1000000, 2, 1); }},
            {"random-14", [] { return sparse::randomRows(400000, 400000, 14, 1); }},
            {"scale-free", [] { return sparse::scaleFree(200000, 2, 3000, 1.9, 0, 1); }},
            {"web", [] { return sparse::scaleFree(600000, 1, 4700, 2.1, 0.6, 1); }},
            {"dense-row", [] { return sparse::withDenseRow(100000, 5, 60000, 1); }}};
}

CsrMatrix<float> single(const CsrMatrix<double>& matrix) {
    CsrMatrix<float> copy{matrix.rows, matrix.columns, matrix.rowStart, matrix.columnOf, {}};
    copy.values.reserve(matrix.values.size());
    for (const double value : matrix.values)
        copy.values.push_back(static_cast<float>(value));
    return copy;
}

double bytesOf(std::int64_t rows, std::int64_t entries) {
    return 4.0 * static_cast<double>(rows) + 8.0 * static_cast<double>(entries);
}

std::string ms(double seconds) {
    return std::isfinite(seconds) ? fmt::format("{:.3f}", 1e3 * seconds) : "–";
}

struct Means {
    double logarithms = 0;
    int count = 0;
    void add(double ratio) {
        logarithms += std::log(ratio);
        ++count;
    }
    double mean() const { return std::exp(logarithms / std::max(count, 1)); }
};

class SpgemmBench {
public:
    SpgemmBench(const BenchOptions& options, ExecContext ctx, BenchDevice* device, Json& record)
        : options_(options), host_(ctx), device_(ctx), onDevice_(device), record_(record) {
        if (!device)
            return;
        device_ = contextOn(*device, ctx);
        std::string reason;
        peer_ = CusparseProduct::load(device_, reason);
        fmt::print("  cuSPARSE: {}\n", peer_ ? peer_->version() : reason);
        record["cusparse"] = peer_ ? peer_->version() : reason;
    }

    void run(const char* title, const std::vector<Case>& cases) {
        fmt::print("  {}, A A, single precision, ms\n", title);
        fmt::print("    {:<16} {:>9} {:>10} {:>11} {:>10} {:>9}", "", "rows", "entries", "products",
                   "of C", "CPU");
        if (onDevice_) {
            for (const std::string& variant : sparse::productFamily.names())
                fmt::print(" {:>11}", variant);
            fmt::print(" {:>9} {:>9}", "planned", "x bytes");
            for (const std::string& name : CusparseProduct::algorithms())
                fmt::print(" {:>9}", peer_ ? "cu " + name : "");
            fmt::print(" {:>9}", "faster");
        }
        fmt::print("\n");
        Means faster;
        for (const Case& each : cases)
            if (options_.cases.empty() ||
                std::ranges::find(options_.cases, each.name) != options_.cases.end())
                one(each, faster);
        if (faster.count > 0) {
            fmt::print("    geometric mean of cuSPARSE's best time over ours: {:.2f}\n",
                       faster.mean());
            record_[title]["geometric_mean_faster"] = faster.mean();
        }
    }

private:
    void one(const Case& each, Means& faster) {
        host_.throwIfCancelled();
        const CsrMatrix<double> matrix = each.make();
        if (matrix.rows != matrix.columns) {
            fmt::print("    {:<16} isn't square\n", each.name);
            return;
        }
        Json& entry = record_["matrices"][each.name];
        const double products = static_cast<double>(sparse::productsOf(matrix, matrix));
        // Rough time of a product on two cores.
        constexpr double secondsPerProduct = 8e-9;
        double cpu = std::numeric_limits<double>::quiet_NaN();
        if (products * secondsPerProduct < options_.cpuSeconds / 4)
            cpu = warmMedian(std::min(options_.repeats, 3), budgetSeconds, host_,
                             [&] { sparse::multiply(matrix, matrix, host_); });
        entry = {{"rows", matrix.rows}, {"entries", matrix.entries()}, {"products", products}};
        if (std::isfinite(cpu))
            entry["cpu_seconds"] = cpu;
        fmt::print("    {:<16} {:>9} {:>10} {:>11.0f}", each.name, matrix.rows, matrix.entries(),
                   products);
        if (onDevice_)
            onDevice(single(matrix), cpu, entry, faster);
        else
            fmt::print(" {:>10} {:>9}", "", ms(cpu));
        fmt::print("\n");
    }

    void onDevice(const CsrMatrix<float>& matrix, double cpu, Json& entry, Means& faster) {
        if constexpr (cudaIsBuilt) {
            const sparse::DeviceCsr<float> a = sparse::toDevice(matrix, device_);
            CudaContext& cuda = *device_.cuda;
            std::int64_t entries = 0;
            double ours = 0;
            std::string columns;
            for (int variant = 0; variant < sparse::productFamily.count(); ++variant) {
                const double seconds = warmMedian(options_.repeats, budgetSeconds, device_, [&] {
                    entries = sparse::multiplyOnDevice(a, a, variant, device_).entries();
                    cuda.synchronize(CudaStream::Compute);
                });
                columns += fmt::format(" {:>11}", ms(seconds));
                entry["seconds"][sparse::productFamily.at(variant).name] = seconds;
                if (variant == sparse::productFamily.standardVariant())
                    ours = seconds;
            }
            double planned = std::numeric_limits<double>::quiet_NaN();
            try {
                const sparse::DeviceProductPlan plan = sparse::planOnDevice(a, a, device_);
                planned = warmMedian(options_.repeats, budgetSeconds, device_, [&] {
                    sparse::multiplyOnDevice(a, a, plan, device_);
                    cuda.synchronize(CudaStream::Compute);
                });
                entry["seconds"]["planned"] = planned;
            } catch (const ComputeError& error) {
                entry["not_planned"] = error.what();
            }
            sparse::DeviceProductFigures figures;
            sparse::multiplyOnDevice(a, a, sparse::productFamily.standardVariant(), device_,
                                     &figures);
            for (std::size_t i = 0; i < figures.rows.size(); ++i)
                if (figures.rows[i] > 0)
                    entry["rows_by_accumulator"][sparse::DeviceProductFigures::names[i]] =
                        figures.rows[i];
            const FrameProfile profile = profileOf(device_, true, [&](const ExecContext& ctx) {
                sparse::multiplyOnDevice(a, a, sparse::productFamily.standardVariant(), ctx);
            });
            for (const ProfileSpan& span : profile.spans)
                if (span.stage.empty())
                    entry["kernel_seconds"][span.kernel] = span.seconds;
            const double bytes =
                2 * bytesOf(matrix.rows, matrix.entries()) + bytesOf(matrix.rows, entries);
            const double floor = bytes / onDevice_->speed.copyBandwidth();
            entry["entries_of_product"] = entries;
            entry["floor_seconds"] = floor;
            fmt::print(" {:>10} {:>9}{} {:>9} {:>9.1f}", entries, ms(cpu), columns, ms(planned),
                       ours / floor);
            double best = std::numeric_limits<double>::infinity();
            for (std::size_t i = 0; peer_ && i < CusparseProduct::algorithms().size(); ++i) {
                const std::string& name = CusparseProduct::algorithms()[i];
                try {
                    std::int64_t there = 0;
                    const double seconds =
                        warmMedian(options_.repeats, budgetSeconds, device_,
                                   [&] { there = peer_->multiply(i, a, a, device_).entries(); });
                    if (there != entries)
                        entry["other_entries"][name] = there;
                    entry["cusparse_seconds"][name] = seconds;
                    best = std::min(best, seconds);
                    fmt::print(" {:>9}", ms(seconds));
                } catch (const ComputeError& error) {
                    entry["cusparse_failed"][name] = error.what();
                    fmt::print(" {:>9}", "failed");
                }
            }
            if (std::isfinite(best)) {
                fmt::print(" {:>9.2f}", best / ours);
                faster.add(best / ours);
            }
            byTiles(a, entry);
        }
    }

    /// The variants that multiply tiles, conversion included.
    void byTiles(const sparse::DeviceCsr<float>& a, Json& entry) {
        if constexpr (cudaIsBuilt) {
            sparse::TileProductFigures figures;
            std::string times;
            try {
                for (int variant = 0; variant < sparse::tileProductFamily.count(); ++variant) {
                    const char* name = sparse::tileProductFamily.at(variant).name;
                    const double seconds =
                        warmMedian(options_.repeats, budgetSeconds, device_, [&] {
                            sparse::multiplyTilesOnDevice(a, a, variant, device_, &figures);
                            device_.cuda->synchronize(CudaStream::Compute);
                        });
                    entry["seconds"][name] = seconds;
                    const double multiply = profileOf(device_, false, [&](const ExecContext& ctx) {
                                                sparse::multiplyTilesOnDevice(a, a, variant, ctx);
                                            }).seconds("numeric");
                    entry["numeric_seconds"][name] = multiply;
                    times += fmt::format(", {} {} ({} of it multiplies)", name, ms(seconds),
                                         ms(multiply));
                }
            } catch (const ComputeError& error) {
                entry["no_tiles"] = error.what();
                return;
            }
            entry["tiles"] = figures.tilesOfA;
            entry["pairs_of_tiles"] = figures.pairs;
            fmt::print("\n      in {} tiles, {:.1f} entries each, {} pairs{}", figures.tilesOfA,
                       static_cast<double>(a.entries()) / static_cast<double>(figures.tilesOfA),
                       figures.pairs, times);
        }
    }

    const BenchOptions& options_;
    ExecContext host_, device_;
    BenchDevice* onDevice_;
    Json& record_;
    std::unique_ptr<CusparseProduct> peer_;
};

} // namespace

void benchSpgemm(const BenchOptions& options, const ExecContext& ctx, Json& record) {
    const auto device = openBenchDevice("spgemm", motionMethods().front(), record);
    fmt::print(
        "spgemm: medians, {} threads on the CPU (double precision); on a device from the "
        "factor there to the packed product there,\n  by variant; planned: the pattern known; "
        "x bytes: adaptive over what reading the factors and writing the product takes\n",
        ctx.threads->threads());
    record["threads"] = ctx.threads->threads();
    SpgemmBench bench(options, ctx, device.get(), record);
    const std::vector<Case> files = filesOf(options);
    if (!files.empty())
        bench.run("files", files);
    bench.run("generated", generated());
}

} // namespace systole
