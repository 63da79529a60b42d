#include "bench/real_tables.h"

#include "bench/figure_table.h"
#include "bench/real_measures.h"
#include "compute/core/motion_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace systole {
namespace {

void addOnce(std::vector<std::string>& list, const std::string& name) {
    if (std::find(list.begin(), list.end(), name) == list.end())
        list.push_back(name);
}

double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void addPair(RealTables& tables, const RealCase& which, const std::string& row,
             const PairMeasures& measures) {
    tables.set("correlation of the fixed and the moved image", row, which.name,
               measures.correlation);
    tables.set("normalized mutual information of these", row, which.name,
               measures.mutualInformation);
    tables.set(RealTables::folded, row, which.name, measures.foldedPercent);
    tables.set("mean |J−1|", row, which.name, measures.volumeChange);
    if (which.structures.empty())
        return;
    for (const auto& [title, values] :
         {std::pair{RealTables::dice, measures.dice},
          {"mean symmetric surface distance, mm", measures.surface}}) {
        for (std::size_t s = 0; s < which.structures.size(); ++s)
            tables.set(title, row, fmt::format("{} {}", which.name, which.structures[s].name),
                       values[s]);
        tables.set(title, row, fmt::format("{} mean", which.name), mean(values));
    }
}

/// Adds a pair's figures as missing ones, so that the record shows the failure.
void addFailure(RealTables& tables, const RealCase& which, const std::string& row) {
    const std::vector<double> none(which.structures.size(), NAN);
    addPair(tables, which, row, {NAN, NAN, NAN, NAN, none, none});
}

} // namespace

void RealTables::set(const std::string& table, const std::string& row, const std::string& column,
                     double value) {
    if (tables_.find(table) == tables_.end())
        order_.push_back(table);
    Table& at = tables_[table];
    addOnce(at.rows, row);
    addOnce(at.columns, column);
    at.values[{row, column}] = value;
}

void RealTables::print() const {
    for (const std::string& title : order_) {
        const Table& table = tables_.at(title);
        std::vector<FigureRow> rows;
        for (const std::string& name : table.rows) {
            rows.push_back({name, {}});
            for (const std::string& column : table.columns) {
                const auto found = table.values.find({name, column});
                rows.back().figures.push_back(found == table.values.end() ? NAN : found->second);
            }
        }
        printFigures(title, table.columns, rows, 3);
    }
}

Json RealTables::record() const {
    Json record = Json::object();
    for (const std::string& title : order_)
        for (const auto& [at, value] : tables_.at(title).values)
            record[at.second][at.first][title] = std::isnan(value) ? Json(nullptr) : Json(value);
    return record;
}

void measureRealPair(RealTables& tables, const std::string& folder, const RealCase& which,
                     const std::vector<MotionProgram>& programs, const ExecContext& ctx) {
    const std::vector<Volume> frames = readFrames(folder, which, ctx);
    const PairLabels labels = readPairLabels(folder, which, ctx);
    VectorField none = fieldAtRest(frames[0].geometry, *ctx.pool, noMotionName);
    addPair(tables, which, noMotionName, measurePair(frames, labels, none.view(), ctx));
    for (const MotionProgram& program : programs) {
        ctx.throwIfCancelled();
        if (!program.installed)
            continue;
        const ProgramRun run = program.run({frames[0], frames[1], {}}, ctx);
        tables.set(RealTables::seconds, program.name, which.name, run.seconds);
        if (run.field) {
            addPair(tables, which, program.name,
                    measurePair(frames, labels, run.field->view(), ctx));
        } else {
            addFailure(tables, which, program.name);
            fmt::print("  {}: {} failed\n", which.name, program.name);
        }
    }
}

} // namespace systole
