#include "app/cardiac/strain_run.h"

#include "app/plural.h"
#include "compute/core/elapsed.h"
#include "compute/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

namespace systole {
namespace {

constexpr int bySmallestVolume = -1;

std::vector<std::string> definitionNames() {
    std::vector<std::string> names;
    for (const cardiac::StrainDefinition& row : cardiac::strainDefinitions())
        names.emplace_back(row.name);
    return names;
}

/// Of the frame that is named, among the reference and those that fields lead to.
std::optional<int> placeOfEndSystole(const StrainTask& task) {
    if (!task.endSystole)
        return std::nullopt;
    std::vector<int> frames{task.frame};
    for (const StrainField& field : task.fields)
        frames.push_back(field.frame);
    const auto found = std::ranges::find(frames, *task.endSystole);
    if (found == frames.end())
        throw ComputeError(fmt::format("end systole: the motion has no frame {}, only {}",
                                       *task.endSystole, framesText(frames)));
    return static_cast<int>(found - frames.begin());
}

} // namespace

const ParamTable& strainTable() {
    static const ParamTable table({
        choiceParam("definition", definitionNames().front(), definitionNames(),
                    "What strain of a segment means; programs differ."),
        choiceParam("segments", "17", {"16", "17", "18"}, "Segments of the AHA."),
        integerParam(
            "order", cardiac::MeasureOptions().order, 1, cardiac::LocalFit::highestOrder, "",
            "Derivatives are those of polynomials of this order in the wall; lower is smoother.")
            .titled("order of polynomials"),
        integerParam("end-systole", bySmallestVolume, bySmallestVolume, 1000000, "",
                     "Frame of end systole; -1: that of the smallest volume.")
            .titled("end systole"),
    });
    return table;
}

cardiac::MeasureOptions measureOptions(const ParamSet& parameters) {
    cardiac::MeasureOptions options;
    options.definition = &cardiac::strainDefinition(parameters.choice("definition"));
    const std::string segments = parameters.choice("segments");
    options.model = segments == "16"   ? cardiac::AhaModel::Sixteen
                    : segments == "17" ? cardiac::AhaModel::Seventeen
                                       : cardiac::AhaModel::Eighteen;
    options.order = parameters.integer("order");
    return options;
}

void StrainWork::run(const StrainTask& task, StrainOutcome& made, ExecContext& ctx) {
    const auto begin = std::chrono::steady_clock::now();
    const std::optional<int> endSystole = placeOfEndSystole(task);
    const auto ventricle = std::make_shared<const cardiac::Ventricle>(
        cardiac::ventricleOf(*task.tissue, task.points, ctx));
    made.motion.addReference(*ventricle, task.frame);
    for (const StrainField& field : task.fields) {
        ctx.throwIfCancelled();
        ctx.report("reading motion", 0.1);
        made.motion.add(*ventricle, field.frame, field.seconds, field.read());
    }
    made.measures = cardiac::measuresOf(*ventricle, made.motion, task.options, ctx);
    made.summary = cardiac::summaryOf(made.measures, made.motion, endSystole);
    made.ventricle = ventricle;
    made.seconds = secondsSince(begin);
}

} // namespace systole
