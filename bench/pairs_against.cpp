#include "bench/pairs_against.h"

#include "app/base/json_file.h"
#include "bench/accuracy_comparison.h"
#include "bench/other_program.h"
#include "compute/core/error.h"
#include "compute/core/median.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <map>

namespace systole {
namespace {

using Figures = std::map<std::string, double>; ///< figure by name, seconds or voxels

/// The figures of one side of a record.
Figures figuresOf(const Json& side) {
    Figures figures;
    for (const char* backend : {"cuda", "cpu"}) {
        const Json part = side.value(backend, Json::object());
        const std::string suffix = fmt::format(", {}", backend);
        if (part.contains("seconds"))
            figures["a pair alone" + suffix] = part["seconds"];
        if (part.contains("error_voxel"))
            figures["error" + suffix] = part["error_voxel"];
        if (part.contains("pairs_per_second"))
            figures["a pair of many" + suffix] = 1 / part["pairs_per_second"].get<double>();
    }
    const Json stages = side.value("stages", Json::object());
    for (const auto& [stage, values] : stages.items())
        figures["stage " + stage] = values["seconds"];
    return figures;
}

/// The median of a figure over the runs; NaN unless every run has it.
double medianOf(const std::vector<Json>& runs, const std::string& side, const std::string& name) {
    std::vector<double> values;
    for (const Json& run : runs) {
        const Figures figures =
            figuresOf(run.value("sides", Json::object()).value(side, Json::object()));
        const auto found = figures.find(name);
        if (found == figures.end())
            return NAN;
        values.push_back(found->second);
    }
    return values.empty() ? NAN : median(std::move(values));
}

Json recordOf(const std::string& program, const BenchOptions& options, int threads,
              const std::string& file) {
    std::vector<std::string> arguments{program,
                                       "bench",
                                       "pairs",
                                       "--method",
                                       options.method,
                                       "--repeat",
                                       "9",
                                       "--seed",
                                       fmt::to_string(options.seed),
                                       "--threads",
                                       fmt::to_string(threads),
                                       "--cpu-seconds",
                                       fmt::to_string(options.cpuSeconds),
                                       "--json",
                                       file,
                                       "--overwrite"};
    if (!options.sides.empty())
        arguments.insert(arguments.end(),
                         {"--sides", fmt::format("{}", fmt::join(options.sides, ","))});
    for (const std::string& assignment : options.set)
        arguments.insert(arguments.end(), {"--set", assignment});
    if (!runQuietly(arguments, threads))
        throw ComputeError(fmt::format("{} bench pairs failed", program));
    const std::optional<Json> record = readJson(file);
    if (!record || !record->contains("pairs"))
        throw ComputeError(fmt::format("{} bench pairs wrote no figures", program));
    return record->at("pairs");
}

} // namespace

std::vector<PairsFigure> pairsFigures(const std::vector<Json>& before,
                                      const std::vector<Json>& now) {
    std::vector<PairsFigure> all;
    if (now.empty())
        return all;
    const Json sides = now.front().value("sides", Json::object());
    for (const auto& [side, values] : sides.items())
        for (const auto& [name, value] : figuresOf(values)) {
            const PairsFigure figure{side, name, medianOf(before, side, name),
                                     medianOf(now, side, name)};
            if (figure.before > 0 && figure.now > 0)
                all.push_back(figure);
        }
    return all;
}

void comparePairs(const std::string& program, const BenchOptions& options, const ExecContext& ctx,
                  Json& record) {
    // The program that starts the benchmarks, as the earlier one does.
    const std::string own =
        (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "systole").string();
    const ScratchFolder folder;
    const int threads = ctx.threads->threads();
    std::vector<Json> before, now;
    for (int n = 0; n < options.repeats; ++n) {
        ctx.throwIfCancelled();
        before.push_back(recordOf(program, options, threads, folder.path() + "/before.json"));
        now.push_back(recordOf(own, options, threads, folder.path() + "/now.json"));
    }
    fmt::print(
        "pairs: {} and this program in turn, {} times each; medians in ms, errors in voxels;\n"
        "stages that run beside others add up to more than a pair\n"
        "  {:>4} {:<22} {:>10} {:>10} {:>8}\n",
        program, options.repeats, "side", "", "before", "now", "ratio");
    record["worse"] = Json::array();
    for (const PairsFigure& figure : pairsFigures(before, now)) {
        const bool isError = figure.name.starts_with("error");
        const double unit = isError ? 1 : 1e3;
        fmt::print("  {:>4} {:<22} {:>10.4f} {:>10.4f} {:>8.3f}\n", figure.side, figure.name,
                   unit * figure.before, unit * figure.now, figure.ratio());
        record["sides"][figure.side][figure.name] = {
            {"before", figure.before}, {"now", figure.now}, {"ratio", figure.ratio()}};
        if (figure.ratio() > 1 + allowedLoss)
            record["worse"].push_back(fmt::format("{} at {}: {:.3f} times what it was", figure.name,
                                                  figure.side, figure.ratio()));
    }
}

} // namespace systole
