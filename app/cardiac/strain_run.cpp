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

constexpr int byItself = -1; ///< no frame is named

std::vector<std::string> definitionNames() {
    std::vector<std::string> names;
    for (const cardiac::StrainDefinition& row : cardiac::strainDefinitions())
        names.emplace_back(row.name);
    return names;
}

/// A frame that is named must be one to which the motion leads.
void requireFrame(std::optional<int> frame, const char* what, const StrainTask& task) {
    std::vector<int> frames{task.frame};
    for (const StrainField& field : task.fields)
        frames.push_back(field.frame);
    std::ranges::sort(frames);
    if (frame && std::ranges::find(frames, *frame) == frames.end())
        throw ComputeError(fmt::format("{}: the motion has no frame {}, only {}", what, *frame,
                                       framesText(frames)));
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
        integerParam("end-diastole", byItself, byItself, 1000000, "",
                     "Frame of end diastole, from which strain counts; -1: that of the labels.")
            .titled("end diastole"),
        integerParam("end-systole", byItself, byItself, 1000000, "",
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

std::optional<int> namedFrame(const ParamSet& parameters, const char* id) {
    const int frame = parameters.integer(id);
    return frame == byItself ? std::nullopt : std::optional(frame);
}

std::optional<int> placeOf(const cardiac::VentricleMotion& motion, std::optional<int> frame) {
    const auto found = frame ? std::ranges::find(motion.frame, *frame) : motion.frame.end();
    return found == motion.frame.end()
               ? std::nullopt
               : std::optional(static_cast<int>(found - motion.frame.begin()));
}

void StrainWork::run(const StrainTask& task, StrainOutcome& made, ExecContext& ctx) {
    const auto begin = std::chrono::steady_clock::now();
    made.frame = task.frame;
    requireFrame(task.endDiastole, "end diastole", task);
    requireFrame(task.endSystole, "end systole", task);
    const auto ventricle = std::make_shared<const cardiac::Ventricle>(
        cardiac::ventricleOf(*task.tissue, task.points, ctx));
    made.motion.addReference(*ventricle, task.frame);
    for (const StrainField& field : task.fields) {
        ctx.throwIfCancelled();
        ctx.report("reading motion", 0.1);
        made.motion.add(*ventricle, field.frame, field.seconds, field.read());
    }
    if (const auto place = placeOf(made.motion, task.endDiastole))
        made.motion.beginAt(static_cast<std::size_t>(*place));
    made.measures = cardiac::measuresOf(*ventricle, made.motion, task.options, ctx);
    made.summary =
        cardiac::summaryOf(made.measures, made.motion, placeOf(made.motion, task.endSystole));
    made.ventricle = ventricle;
    made.seconds = secondsSince(begin);
}

} // namespace systole
