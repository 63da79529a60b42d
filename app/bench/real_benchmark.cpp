#include "app/bench/benchmarks.h"
#include "app/bench/chosen_cases.h"
#include "app/bench/figure_table.h"
#include "app/bench/programs.h"
#include "app/bench/real_cases.h"
#include "app/bench/real_measures.h"
#include "compute/core/motion_start.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>

namespace systole {
namespace {

/// The tables, filled case by case. figures[table][row][column].
class Tables {
public:
    void set(const std::string& table, const std::string& row, const std::string& column,
             double value) {
        if (tables_.find(table) == tables_.end())
            order_.push_back(table);
        Table& at = tables_[table];
        addOnce(at.rows, row);
        addOnce(at.columns, column);
        at.values[{row, column}] = value;
    }
    void print() const {
        for (const std::string& title : order_) {
            const Table& table = tables_.at(title);
            std::vector<FigureRow> rows;
            for (const std::string& name : table.rows) {
                rows.push_back({name, {}});
                for (const std::string& column : table.columns) {
                    const auto found = table.values.find({name, column});
                    rows.back().figures.push_back(found == table.values.end() ? NAN
                                                                              : found->second);
                }
            }
            printFigures(title, table.columns, rows, 3);
        }
    }
    /// record[case][program][figure].
    Json record() const {
        Json record = Json::object();
        for (const std::string& title : order_)
            for (const auto& [at, value] : tables_.at(title).values)
                record[at.second][at.first][title] =
                    std::isnan(value) ? Json(nullptr) : Json(value);
        return record;
    }

private:
    struct Table {
        std::vector<std::string> rows, columns;
        std::map<std::pair<std::string, std::string>, double> values;
    };
    static void addOnce(std::vector<std::string>& list, const std::string& name) {
        if (std::find(list.begin(), list.end(), name) == list.end())
            list.push_back(name);
    }
    std::vector<std::string> order_;
    std::map<std::string, Table> tables_;
};

double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void addPair(Tables& tables, const RealCase& which, const std::string& row,
             const PairMeasures& measures) {
    tables.set("correlation of the fixed and the moved image", row, which.name,
               measures.correlation);
    tables.set("normalized mutual information of these", row, which.name,
               measures.mutualInformation);
    tables.set("folded voxels, %", row, which.name, measures.foldedPercent);
    tables.set("mean |J−1|", row, which.name, measures.volumeChange);
    if (which.structures.empty())
        return;
    for (const auto& [title, values] :
         {std::pair{"Dice of the labels", measures.dice},
          {"mean symmetric surface distance, mm", measures.surface}}) {
        for (std::size_t s = 0; s < which.structures.size(); ++s)
            tables.set(title, row, fmt::format("{} {}", which.name, which.structures[s].name),
                       values[s]);
        tables.set(title, row, fmt::format("{} mean", which.name), mean(values));
    }
}

constexpr const char* secondsTitle = "seconds per pair";

void runPair(Tables& tables, const std::string& folder, const RealCase& which,
             const std::vector<MotionProgram>& programs, const ExecContext& ctx) {
    const std::vector<Volume> frames = readFrames(folder, which, ctx);
    const PairLabels labels = readPairLabels(folder, which, ctx);
    VectorField none = fieldAtRest(frames[0].geometry, *ctx.pool, "no motion");
    addPair(tables, which, "no motion", measurePair(frames, labels, none.view(), ctx));
    for (const MotionProgram& program : programs) {
        ctx.throwIfCancelled();
        if (!program.installed)
            continue;
        const ProgramRun run = program.run({frames[0], frames[1], {}}, ctx);
        tables.set(secondsTitle, program.name, which.name, run.seconds);
        if (run.field)
            addPair(tables, which, program.name,
                    measurePair(frames, labels, run.field->view(), ctx));
        else
            fmt::print("  {}: {} failed\n", which.name, program.name);
    }
}

void runCycle(Tables& tables, const std::string& folder, const RealCase& which,
              const std::vector<MotionProgram>& programs, const ExecContext& ctx) {
    const std::vector<Volume> frames = readFrames(folder, which, ctx);
    for (const MotionProgram& program : programs) {
        if (!program.installed)
            continue;
        const CycleMeasures measures = measureCycle(frames, program, ctx);
        if (measures.failed) {
            fmt::print("  {}: {} failed\n", which.name, program.name);
            continue;
        }
        tables.set(secondsTitle, program.name, which.name, measures.seconds);
        tables.set("drift after one cycle, mm", program.name, which.name, measures.drift);
        tables.set("largest mean motion since the first frame, mm", program.name, which.name,
                   measures.largest);
    }
}

} // namespace

void benchReal(const BenchOptions& options, const ExecContext& ctx, Json& record) {
    if (options.dataFolder.empty()) {
        fmt::print("real: skipped, --data gives no folder\n");
        record["skipped"] = "no --data";
        return;
    }
    const std::vector<RealCase> cases = chosenCases(realCases(), options.cases);
    const std::vector<MotionProgram> programs = motionPrograms(options.method, options.peers);
    fmt::print("real: default presets, {} threads; gray values mapped to 0–255\n",
               ctx.threads->threads());
    record["threads"] = ctx.threads->threads();
    for (const MotionProgram& program : programs)
        if (!program.installed)
            fmt::print("  {}: not installed\n", program.name);
    Tables tables;
    for (const RealCase& which : cases) {
        const std::string missing = missingFile(options.dataFolder, which);
        if (!missing.empty()) {
            fmt::print("  {:<10} skipped, {} isn't there\n", which.name, missing);
            record["skipped"][which.name] = missing;
            continue;
        }
        fmt::print("  {:<10} {}\n", which.name, which.title);
        std::fflush(stdout);
        (which.isCycle() ? runCycle : runPair)(tables, options.dataFolder, which, programs, ctx);
    }
    tables.print();
    record["cases"] = tables.record();
}

} // namespace systole
