// run.json: what was computed, from which input, with which settings, and what each field means.
#include "app/features/motion/motion_record.h"

#include "app/cli/record_parts.h"
#include "app/features/motion/motion_estimation.h"
#include "app/features/motion/motion_files.h"

#include <nlohmann/json.hpp>

#include <utility>

namespace systole {
namespace {

Json sequenceOf(const Sequence& sequence) {
    return {{"name", sequence.name},
            {"format", sequence.format},
            {"modality", nullIfEmpty(sequence.modality)},
            {"size", sequence.geometry.size()},
            {"frames", sequence.frames},
            {"spacing_mm", sequence.geometry.spacing()},
            {"origin_mm", sequence.geometry.origin()},
            {"direction", sequence.geometry.direction()},
            {"notes", sequence.notes}};
}

Json fieldOf(const Sequence& sequence, const FieldRecord& field) {
    Json json{{"file", field.file},
              {"kind", field.kind},
              {"direction", "fixed to moving"},
              {"fixed", field.fixed},
              {"moving", field.moving},
              {"fixed_time_ms", numberOrNull(1000 * sequence.timeOf(field.fixed))},
              {"moving_time_ms", numberOrNull(1000 * sequence.timeOf(field.moving))}};
    if (field.voxels > 0) {
        json["seconds"] = field.seconds;
        json["stage_seconds"] = Json{{"read", field.readSeconds}};
        for (const auto& [stage, seconds] : field.stageSeconds)
            json["stage_seconds"][stage] = seconds;
        json["stage_seconds"]["write"] = field.writeSeconds;
        json["backend"] = name(field.backend);
        if (field.backend == Backend::Cuda) {
            json["bytes_to_device"] = field.bytesToDevice;
            json["bytes_to_host"] = field.bytesToHost;
            json["slabs"] = field.report.slabs;
        }
        json["iterations"] = field.report.iterations;
        json["final_energy"] = numberOrNull(field.report.energy);
        json["levels"] = levelsOf(field.report);
        json["mean_squared_difference"] = {{"before", numberOrNull(field.residual.before)},
                                           {"after", numberOrNull(field.residual.after)}};
        json["correlation"] = numberOrNull(field.residual.correlation);
        json["folded_percent"] = foldedPercent(field);
        json["lowest_determinant"] = numberOrNull(field.jacobian.smallest);
        for (const Figure& figure : field.figures)
            json["figures"].push_back({{"name", figure.name},
                                       {"value", numberOrNull(figure.value)},
                                       {"unit", figure.unit}});
    }
    if (field.standardError)
        json["median_standard_error_mm"] = *field.standardError;
    return json;
}

Json lengthsOf(const std::optional<LengthStatistics>& lengths) {
    if (!lengths)
        return nullptr;
    return {{"mean", lengths->mean},
            {"percentile_95", lengths->percentile95},
            {"maximum", lengths->maximum}};
}

const char* referenceOf(const MotionJob& job) {
    if (job.window > 0)
        return "window";
    return job.reference == ReferenceMode::First ? "first" : "previous";
}

/// Stages that took any time, each with its seconds.
std::vector<std::pair<std::string, double>> stagesOf(const FrameProfile& profile) {
    std::vector<std::pair<std::string, double>> stages;
    for (const std::string& stage : profile.stages())
        if (const double seconds = profile.seconds(stage); seconds > 0)
            stages.emplace_back(stage, seconds);
    return stages;
}

} // namespace

double foldedPercent(const FieldRecord& field) {
    return 100 * static_cast<double>(field.jacobian.folded) / static_cast<double>(field.voxels);
}

FieldRecord& addField(MotionRecord& record, const MotionJob& job, const char* kind, int fixedFrame,
                      int movingFrame) {
    FieldRecord& field = record.fields.emplace_back();
    field.file = fieldFile(kind, movingFrame, job.format);
    field.kind = kind;
    field.fixed = fixedFrame;
    field.moving = movingFrame;
    return field;
}

void noteEstimation(FieldRecord& field, const FrameResult& result, const EstimationFacts& facts) {
    field.seconds = result.seconds;
    field.backend = result.backend;
    field.bytesToDevice = result.bytesToDevice + facts.uploadedBytes;
    field.bytesToHost = result.bytesToHost;
    field.report = facts.report;
    field.readSeconds = facts.readSeconds;
    field.stageSeconds = stagesOf(result.profile);
    field.figures = result.figures;
    field.residual = result.residual;
    field.voxels = result.field->geometry.voxels();
}

Json motionRecord(const MotionJob& job, const MotionRecord& record, int threads) {
    Json json{{"meaning",
               "the point p of the fixed frame lies at p + displacement(p) in the moving "
               "frame; fields live on the grid of the fixed frame"},
              {"inputs", job.inputs},
              {"sequence", sequenceOf(job.sequence)},
              {"frames", {job.firstFrame, job.lastFrame}},
              {"method", job.method->name},
              {"preset", job.preset},
              {"parameters", parametersOf(job.parameters)},
              {"backend", name(job.backend.backend)},
              {"backend_reason", job.backend.reason},
              {"device", job.device ? Json(job.device->device().name) : Json(nullptr)},
              {"block_sizes", job.device ? Json(job.blockSizes.all()) : Json(nullptr)},
              {"device_fallback", nullIfEmpty(record.fallback)},
              {"residual_warning", nullIfEmpty(record.residualWarning)},
              {"doubts", record.doubts},
              {"reference", referenceOf(job)},
              {"window", job.window > 0 ? Json(job.window) : Json(nullptr)},
              {"chain", job.chain > 0 ? Json(job.chain) : Json(nullptr)},
              {"incompressibility", nullIfEmpty(job.incompressibilityFile)},
              {"tissue_label", job.tissueLabel > 0 ? Json(job.tissueLabel) : Json(nullptr)},
              {"stages", job.stages},
              {"intensity_scale", {{"low", record.scale.low}, {"high", record.scale.high}}},
              {"fields", Json::array()},
              {"cycle_residual_mm", lengthsOf(record.cycleResidual)},
              {"cycle_residual_of_tissue_mm", lengthsOf(record.cycleResidualOfTissue)},
              {"seconds", record.seconds},
              {"waited_seconds", record.waitedSeconds}};
    for (const FieldRecord& field : record.fields)
        json["fields"].push_back(fieldOf(job.sequence, field));
    return recordOf(std::move(json), threads);
}

} // namespace systole
