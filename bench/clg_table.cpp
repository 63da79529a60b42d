#include "bench/benchmarks.h"
#include "bench/device_bench.h"
#include "bench/timing.h"
#include "compute/core/error.h"
#include "compute/methods/clg/variants.h"
#include "compute/motion/methods.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>

namespace systole {
namespace {

/// Milliseconds that the paper printed in its tables 2 (Tesla C1060) and 3 (GTX 480), transfers
/// excluded; "host": that machine's CPU.
struct PublishedRow {
    int side;
    double c1060Host, c1060Shared, c1060Direct;
    double gtx480Host, gtx480Shared, gtx480Direct, gtx480WithoutL1;
};
constexpr PublishedRow published[] = {
    {50, 1272, 86, 96, 671, 49, 26, 49},
    {75, 4457, 245, 257, 2379, 155, 83, 155},
    {100, 11362, 355, 443, 5788, 272, 150, 265},
    {125, 21112, 531, 771, 11338, 440, 240, 435},
    {150, 45101, 895, 1123, 23714, 677, 373, 671},
    {175, 62310, 1147, 1594, 31369, 955, 554, 942},
    {200, 96703, 3036, 2856, 47914, 2037, 1101, 1999},
    {225, 134668, 3473, 3834, 66870, 2357, 1275, 2312},
    {250, 176238, 4261, 6016, 91610, 2864, 1564, 2823},
};

constexpr int standardSides[] = {50, 75, 100, 125, 150, 175, 200, 225, 250, 256, 320, 384, 512};
constexpr const char* stages[] = {"gradient", "smooth", "solve", "warp"};

ParamSet paperPreset() { return ParamSet(*motionMethod("clg").parameters, "paper"); }

/// A row of the table: every stage that has the memory variant takes it, the others keep theirs.
struct Row {
    std::string name;
    ParamSet parameters;
    bool wholeCalls = true; ///< copies and calls are timed as well
};

/// The memory variants that any stage but the warp has, in the order in which they first come.
std::vector<std::string> memoryVariants() {
    std::vector<std::string> names;
    for (const KernelFamily* family : {&clg::gradientFamily, &smoothFamily, &clg::jacobiFamily})
        for (const std::string& name : family->names())
            if (std::find(names.begin(), names.end(), name) == names.end())
                names.push_back(name);
    return names;
}

std::vector<Row> rows() {
    std::vector<Row> result;
    for (const std::string& variant : memoryVariants()) {
        Row row{variant, paperPreset()};
        for (const KernelFamily* family : clgFamilies) {
            const std::vector<std::string> names = family->names();
            const bool has = std::find(names.begin(), names.end(), variant) != names.end();
            if (has && family != &clg::warpFamily)
                row.parameters.setText(std::string("variant-") + family->stage, variant);
        }
        row.parameters.setText("variant-warp", clg::warpFamily.variants.front().name);
        result.push_back(std::move(row));
    }
    for (const KernelVariant& variant : clg::warpFamily.variants.subspan(1)) {
        Row row{fmt::format("warp {}", variant.name), paperPreset(), false};
        row.parameters.setText("variant-warp", variant.name);
        result.push_back(std::move(row));
    }
    return result;
}

std::string cell(const std::optional<double>& seconds) {
    if (!seconds)
        return "–";
    const double milliseconds = 1e3 * *seconds;
    return fmt::format("{:.{}f}", milliseconds, milliseconds < 10 ? 3 : milliseconds < 100 ? 2 : 1);
}

/// One CPU implementation, timed on larger and larger cubes until the next would take too long.
class CpuColumn {
public:
    CpuColumn(std::string key, Backend backend, int threads, double limitSeconds)
        : key_(std::move(key))
        , team_(threads)
        , backend_(backend)
        , limitSeconds_(limitSeconds)
        , estimator_(motionMethod("clg").make(paperPreset(), backend)) {}

    std::optional<double> time(const HostPair& pair, const ExecContext& base, Json& record) {
        const auto voxels = static_cast<double>(pair.fixed.geometry.voxels());
        if (limitSeconds_ <= 0 || secondsAVoxel_ * voxels > limitSeconds_)
            return std::nullopt;
        ExecContext ctx = base;
        ctx.backend = backend_;
        ctx.threads = &team_;
        const double seconds = timeWholeCall(*estimator_, pair, 3, ctx);
        secondsAVoxel_ = seconds / voxels;
        record[key_] = seconds;
        return seconds;
    }
    int threads() const { return team_.threads(); }

private:
    std::string key_;
    ThreadTeam team_;
    Backend backend_;
    double limitSeconds_;
    std::unique_ptr<MotionEstimator> estimator_;
    double secondsAVoxel_ = 0;
};

struct SideResult {
    int side = 0;
    std::optional<double> reference, cpu;
    std::map<std::string, double> kernels; ///< seconds by name of the row
    std::optional<double> bestCall;
};

/// Prints the device's rows of one side.
void measureDevice(BenchDevice& device, const HostPair& pair, int repeats, const ExecContext& base,
                   SideResult& result, Json& record) {
    const ExecContext ctx = contextOn(device, base);
    ResidentPair resident(pair.fixed, pair.moving, pair.scale, device.cuda);
    for (const Row& row : rows()) {
        const auto estimator = motionMethod("clg").make(row.parameters, Backend::Cuda);
        const DeviceTimes times = timeResident(*estimator, resident, false, repeats, ctx);
        result.kernels[row.name] = times.kernels();
        fmt::print("  {:>4} {:<20}", result.side, row.name);
        Json& entry = record["variants"][row.name];
        for (const char* stage : stages) {
            fmt::print(" {:>9}", cell(times.profile.seconds(stage)));
            entry[fmt::format("{}_seconds", stage)] = times.profile.seconds(stage);
        }
        fmt::print(" {:>9} {:>9}", cell(times.kernels()), cell(times.estimation));
        entry["kernel_seconds"] = times.kernels();
        entry["resident_seconds"] = times.estimation;
        if (!row.wholeCalls) {
            fmt::print("\n");
            continue;
        }
        const double copies = timeWithCopies(*estimator, resident, pair, repeats, ctx);
        const double call = timeWholeCall(*estimator, pair, repeats, ctx);
        result.bestCall = std::min(result.bestCall.value_or(call), call);
        fmt::print(" {:>9} {:>9}\n", cell(copies), cell(call));
        entry["kernel_and_copies_seconds"] = copies;
        entry["whole_call_seconds"] = call;
    }
}

void printSummary(const std::vector<SideResult>& results, int threads, bool device) {
    fmt::print(
        "\n  The table in the paper's layout, milliseconds. Right of the bar: the paper's own "
        "(its tables 2 and 3; its\n  iterations, alpha and rho aren't printed there, so "
        "that only ratios compare)\n");
    fmt::print("  {:>4} {:>11} {:>11}", "side", "ref. 1 thr.", fmt::format("CPU {} thr.", threads));
    if (device) {
        for (const std::string& name : memoryVariants())
            fmt::print(" {:>9}", name);
        fmt::print(" {:>10}", "best call");
    }
    fmt::print(" | {:>8} {:>7} {:>7} {:>8} {:>7} {:>7} {:>7}\n", "C1060:CPU", "shared", "direct",
               "480:CPU", "shared", "direct", "no L1");
    for (const SideResult& r : results) {
        fmt::print("  {:>4} {:>11} {:>11}", r.side, cell(r.reference), cell(r.cpu));
        if (device) {
            for (const std::string& name : memoryVariants())
                fmt::print(" {:>9}", r.kernels.contains(name) ? cell(r.kernels.at(name)) : "–");
            fmt::print(" {:>10}", cell(r.bestCall));
        }
        const auto row = std::find_if(std::begin(published), std::end(published),
                                      [&](const PublishedRow& p) { return p.side == r.side; });
        if (row == std::end(published))
            fmt::print(" |\n");
        else
            fmt::print(" | {:>9.0f} {:>7.0f} {:>7.0f} {:>8.0f} {:>7.0f} {:>7.0f} {:>7.0f}\n",
                       row->c1060Host, row->c1060Shared, row->c1060Direct, row->gtx480Host,
                       row->gtx480Shared, row->gtx480Direct, row->gtx480WithoutL1);
    }
}

} // namespace

void benchClgTable(const BenchOptions& options, const ExecContext& ctx, Json& record) {
    const auto device = openBenchDevice("clg-table", motionMethod("clg"), record);
    std::vector<int> sides = options.sides;
    if (sides.empty())
        sides.assign(std::begin(standardSides), std::end(standardSides));
    CpuColumn reference("reference_one_thread_seconds", Backend::CpuReference, 1,
                        options.cpuSeconds);
    CpuColumn cpu("cpu_all_threads_seconds", Backend::Cpu, ctx.threads->threads(),
                  options.cpuSeconds);
    fmt::print("clg-table: preset paper, rho 2.33 (K = 15), 3 warps, 50 sweeps, one level; a "
               "shifted texture; milliseconds,\n  medians of up to {} runs within half a second. "
               "CPU up to {:.0f} s per run; reference on 1 thread, fast on {}\n",
               options.repeats, options.cpuSeconds, cpu.threads());
    if (device)
        fmt::print("\n  {:>4} {:<20} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "side",
                   "variant", "gradient", "smooth", "solve", "warp", "kernels", "resident",
                   "+ copies", "call");
    record["preset"] = "paper";
    record["threads"] = cpu.threads();
    std::vector<SideResult> results;
    for (const int side : sides) {
        ctx.throwIfCancelled();
        SideResult result;
        result.side = side;
        Json& entry = record["sides"][std::to_string(side)];
        try {
            const HostPair pair = shiftedTexture(side, ctx);
            if (device)
                measureDevice(*device, pair, options.repeats, ctx, result, entry);
            result.reference = reference.time(pair, ctx, entry);
            result.cpu = cpu.time(pair, ctx, entry);
        } catch (const OutOfMemory& error) {
            fmt::print("  {:>4} left out: {}\n", side, error.what());
            entry["left_out"] = error.what();
        }
        if (!device && !result.reference && !result.cpu)
            break; // larger cubes take longer still
        results.push_back(std::move(result));
    }
    printSummary(results, cpu.threads(), device != nullptr);
}

} // namespace systole
