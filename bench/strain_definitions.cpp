// Strain of one beating phantom by every definition, from the exact motion and from what each
// method estimates: how far programs differ that measure the same heart.
#include "bench/benchmarks.h"
#include "bench/figure_table.h"
#include "bench/programs.h"
#include "bench/studied_heart.h"
#include "compute/motion/methods.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace systole {
namespace {

const std::vector<std::string> columns{"GLS", "GCS", "GRS"};

/// The highest less the lowest figure of each column.
FigureRow spreadOf(const std::string& name, const std::vector<FigureRow>& rows) {
    FigureRow spread{name, {}};
    for (std::size_t k = 0; k < columns.size(); ++k) {
        const auto [low, high] = std::ranges::minmax_element(
            rows, {}, [k](const FigureRow& row) { return row.figures[k]; });
        spread.figures.push_back(high->figures[k] - low->figures[k]);
    }
    return spread;
}

FigureRow rowOf(const std::string& motion, const StudiedHeart& heart, const VectorField& field,
                const cardiac::StrainDefinition& definition) {
    FigureRow row{fmt::format("{}, {}", motion, definition.name), {}};
    const cardiac::Measures measures = heart.measure(field, definition);
    for (int k = 0; k < 3; ++k)
        row.figures.push_back(100 * measures.frames[1].strain[k]);
    return row;
}

} // namespace

void benchStrainDefinitions(const BenchOptions& options, const ExecContext& base, Json& record) {
    ExecContext ctx = base;
    ctx.backend = Backend::Cpu;
    const int side = std::min(options.size, 64);
    const PhantomPair pair(phantomCases({side, side, side}, options.seed).front(), ctx);
    const StudiedHeart heart(pair, ctx);
    fmt::print("strain-definitions: the usual phantom, {0}×{0}×{0}, at end systole: global strain, "
               "percent, by each definition, from the exact motion and from each method's preset "
               "default; spread: highest less lowest\n",
               side);
    std::vector<FigureRow> all, spreads;
    std::vector<std::vector<FigureRow>> byDefinition(cardiac::strainDefinitions().size());
    const auto measure = [&](const std::string& name, const VectorField& field) {
        std::vector<FigureRow> own;
        for (std::size_t d = 0; d < byDefinition.size(); ++d) {
            ctx.throwIfCancelled();
            own.push_back(rowOf(name, heart, field, cardiac::strainDefinitions()[d]));
            byDefinition[d].push_back(own.back());
        }
        all.insert(all.end(), own.begin(), own.end());
        spreads.push_back(spreadOf(fmt::format("spread of {}, all definitions", name), own));
    };
    measure("exact motion", pair.truth);
    for (const MotionMethod& method : motionMethods()) {
        const ProgramRun run =
            methodProgram(method.name, method, ParamSet(*method.parameters, "default"))
                .run({pair.fixed, pair.moving, pair.scale}, ctx);
        if (run.field)
            measure(method.name, *run.field);
    }
    for (std::size_t d = 0; d < byDefinition.size(); ++d)
        spreads.push_back(
            spreadOf(fmt::format("spread of {}, all motions", cardiac::strainDefinitions()[d].name),
                     byDefinition[d]));
    spreads.push_back(spreadOf("spread of all", all));
    all.insert(all.end(), spreads.begin(), spreads.end());
    for (const FigureRow& row : all)
        for (std::size_t k = 0; k < columns.size(); ++k)
            record[row.name][columns[k]] = row.figures[k];
    printFigures("global strain", columns, all, 1);
}

} // namespace systole
