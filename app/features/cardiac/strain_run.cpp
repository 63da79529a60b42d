#include "app/features/cardiac/strain_run.h"

#include "app/base/plural.h"
#include "compute/core/elapsed.h"
#include "compute/core/error.h"
#include "compute/motion/motion_errors.h"

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
                    "Definition of a segment's strain; programs differ."),
        choiceParam("segments", "17", {"16", "17", "18"}, "Segments of the AHA."),
        integerParam(
            "order", cardiac::MeasureOptions().order, 1, cardiac::LocalFit::highestOrder, "",
            "Order of the polynomials in the wall whose derivatives are used; lower is smoother.")
            .titled("polynomial order"),
        integerParam("end-diastole", byItself, byItself, 1000000, "",
                     "Frame of end diastole, from which strain counts; -1: that of the labels.")
            .titled("end diastole"),
        integerParam("end-systole", byItself, byItself, 1000000, "",
                     "Frame of end systole; -1: that of the smallest volume.")
            .titled("end systole"),
        integerParam("cavity-label", 0, 0, 65535, "",
                     "Label of the cavity in a label map; 0: the one that another encloses.")
            .titled("label of cavity"),
        integerParam("wall-label", 0, 0, 65535, "",
                     "Label of the wall in a label map; 0: the one around the cavity.")
            .titled("label of wall"),
        integerParam("rv-label", 0, 0, 65535, "",
                     "Label of the right ventricle in a label map, from which its insertion is "
                     "found; 0: another one beside the wall, if there is any.")
            .titled("label of RV"),
        switchParam("close-cycle", false,
                    "Subtract the motion that remains after one cycle from each frame, in "
                    "proportion to its time.")
            .titled("close the cycle"),
        switchParam("certainty", false,
                    "Also standard errors of strain and twist, from the noise that the motion "
                    "leaves in the images; only for motion by clg."),
        realParam("error-bound", 5, 0, 100, "%",
                  "Segments whose strain has a larger standard error, in percent of length, are "
                  "hatched.")
            .titled("bound of error"),
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

cardiac::LabelRoles labelRoles(const ParamSet& parameters) {
    return {parameters.integer("cavity-label"), parameters.integer("wall-label"),
            parameters.integer("rv-label")};
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

void beginAt(std::optional<int> endDiastole, const Beat& beat, cardiac::VentricleMotion& motion,
             cardiac::DrawnErrors& drawn) {
    const auto place = placeOf(motion, endDiastole);
    if (!place)
        return;
    motion.beginAt(static_cast<std::size_t>(*place), beat.seconds);
    for (cardiac::VentricleMotion& error : drawn)
        error.beginAt(static_cast<std::size_t>(*place), beat.seconds);
}

bool isDoubtful(const StrainOutcome& outcome, std::size_t t, std::size_t segment, int direction) {
    return t < outcome.errors.size() && direction >= 0 &&
           100 * outcome.errors[t].segments[segment][direction] > outcome.errorBound;
}

void addErrors(const cardiac::VentricleFits& fits, const cardiac::DrawnErrors& drawn,
               const cardiac::MeasureOptions& options, double bound, const ExecContext& ctx,
               StrainOutcome& made) {
    made.errors.clear();
    made.errorBound = bound;
    if (drawn.empty())
        return;
    ctx.report("standard errors", 0.5);
    made.errors = cardiac::measureErrors(fits, made.motion, made.measures, drawn, options, ctx);
}

cardiac::Ventricle notedVentricle(const cardiac::TissueMap& tissue,
                                  const cardiac::GivenPoints& points,
                                  const std::vector<std::string>& notes, ExecContext& ctx) {
    cardiac::Ventricle ventricle = cardiac::ventricleOf(tissue, points, ctx);
    std::vector<std::string>& all = ventricle.placement.notes;
    all.insert(all.begin(), notes.begin(), notes.end());
    return ventricle;
}

void StrainWork::run(const StrainTask& task, StrainOutcome& made, ExecContext& ctx) {
    const auto begin = std::chrono::steady_clock::now();
    made.frame = task.frame;
    requireFrame(task.endDiastole, "end diastole", task);
    requireFrame(task.endSystole, "end systole", task);
    const auto ventricle = std::make_shared<const cardiac::Ventricle>(
        notedVentricle(*task.tissue, task.points, task.notes, ctx));
    made.motion.addReference(*ventricle, task.frame);
    const bool drawsErrors =
        task.standardErrors && std::ranges::all_of(task.fields, [](const StrainField& field) {
            return static_cast<bool>(field.drawErrors);
        });
    cardiac::DrawnErrors drawn(drawsErrors ? usualDraws : 0);
    for (cardiac::VentricleMotion& draw : drawn)
        draw.addReference(*ventricle, task.frame);
    for (const StrainField& field : task.fields) {
        ctx.throwIfCancelled();
        ctx.report("reading motion", 0.1);
        const MillimeterField displacement = field.read();
        made.motion.add(*ventricle, field.frame, field.seconds, displacement);
        if (drawsErrors)
            field.drawErrors(
                displacement, usualDraws,
                [&, n = std::size_t{0}](const MillimeterField& error) mutable {
                    drawn[n++].add(*ventricle, field.frame, field.seconds, error);
                },
                ctx);
    }
    made.beat = beatOf(made.motion.timeSeconds);
    if (task.around) {
        const MillimeterField around = task.around();
        const cardiac::CycleGap gap{cardiac::displacementsIn(ventricle->wall, around),
                                    cardiac::displacementsIn(ventricle->cavity, around)};
        made.residual.measured = cardiac::meanLength(gap.wall);
        made.residual.closed = task.closeCycle;
        if (task.closeCycle)
            closeGap(gap, made.beat, made.motion);
    }
    beginAt(task.endDiastole, made.beat, made.motion, drawn);
    ctx.report("lines across the wall", 0.2);
    const cardiac::VentricleFits fits(*ventricle, task.options.order, ctx);
    made.measures = cardiac::measuresOf(fits, made.motion, task.options, ctx);
    made.summary =
        cardiac::summaryOf(made.measures, made.motion, placeOf(made.motion, task.endSystole));
    made.ventricle = ventricle;
    addErrors(fits, drawn, task.options, task.errorBound, ctx, made);
    made.seconds = secondsSince(begin);
}

const Task& strainTask() {
    static const Task task{"strain",
                           "Strain, twist and volumes of the left ventricle",
                           &strainTable(),
                           {Backend::Cpu}};
    return task;
}

} // namespace systole
