// registration.json: what was registered with which settings, how alike the images became, and what
// the deformation does.
#include "app/cli/record_parts.h"
#include "app/features/registration/register_job.h"

#include <nlohmann/json.hpp>

namespace systole {
namespace {

Json imageOf(const RegisterImage& image, const std::string& mask,
             const std::optional<double>& liters, const std::string& labels) {
    const Geometry& grid = image.volume.geometry;
    return {{"file", image.path},
            {"frame", image.frame},
            {"format", image.sequence.format},
            {"size", grid.size()},
            {"spacing_mm", grid.spacing()},
            {"origin_mm", grid.origin()},
            {"direction", grid.direction()},
            {"mask", nullIfEmpty(mask)},
            {"mask_liters", liters ? Json(*liters) : Json()},
            {"labels", nullIfEmpty(labels)}};
}

Json matrixOf(const AffineMap& map) {
    Json rows = Json::array();
    for (std::size_t row = 0; row < 3; ++row)
        rows.push_back({map.matrix[row][0], map.matrix[row][1], map.matrix[row][2],
                        map.offset[static_cast<int>(row)]});
    rows.push_back({0, 0, 0, 1});
    return rows;
}

Json affineLevelsOf(const AffineResult& report) {
    Json levels = Json::array();
    for (const AffineLevel& level : report.levels) {
        Json json{{"size", level.size},
                  {"spacing_mm", level.spacing},
                  {"blocks", level.blocks},
                  {"converged", level.converged},
                  {"iterations", Json::array()}};
        for (const AffineIteration& iteration : level.iterations)
            json["iterations"].push_back({{"rigid", iteration.rigid},
                                          {"similarity", numberOrNull(iteration.similarity)},
                                          {"change_voxel", numberOrNull(iteration.change)},
                                          {"pairs", iteration.pairs},
                                          {"kept", iteration.kept},
                                          {"rms_mm", numberOrNull(iteration.rms)}});
        levels.push_back(std::move(json));
    }
    return levels;
}

Json affineOf(const RegisterJob& job, const RegisterOutcome& outcome) {
    const RegistrationResult& result = outcome.result;
    if (!result.affine)
        return nullptr;
    Json json{{"matrix_lps", matrixOf(*result.affine)},
              {"determinant", determinant(result.affine->matrix)}};
    if (const auto& report = result.affineReport) {
        json["parameters"] = parametersOf(*job.affineParameters);
        json["backend"] = name(outcome.affineBackend);
        json["backend_reason"] = job.affineBackend.reason;
        json["start"] = name(report->start);
        json["overlap"] = numberOrNull(report->overlap);
        json["seconds"] = result.affineSeconds;
        json["levels"] = affineLevelsOf(*report);
    }
    return json;
}

Json deformationOf(const RegisterJob& job, const RegisterOutcome& outcome) {
    const RegistrationResult& result = outcome.result;
    if (!result.methodReport)
        return nullptr;
    Json json{{"method", job.plan.method->name},
              {"preset", job.preset},
              {"parameters", parametersOf(*job.plan.parameters)},
              {"backend", name(outcome.methodBackend)},
              {"backend_reason", job.methodBackend.reason},
              {"seconds", result.methodSeconds},
              {"levels", levelsOf(*result.methodReport)}};
    if (const auto& grid = result.controlGrid)
        json["control_points"] = {{"size", grid->points()}, {"spacing_voxel", grid->tile}};
    return json;
}

Json iterationsOf(const RegistrationResult& result) {
    Json list = Json::array();
    for (const RegistrationIteration& iteration : result.iterations)
        list.push_back(
            {{"part", iteration.part},
             {"level", iteration.level},
             {"iteration", iteration.iteration},
             {"energy", numberOrNull(iteration.energy)},
             {"penalty", iteration.penalty ? numberOrNull(*iteration.penalty) : Json(nullptr)}});
    return list;
}

Json similarityOf(const RegisterOutcome& outcome) {
    Json json = Json::object();
    for (const RegisterStage& stage : outcome.stages) {
        const SimilarityFigures& figures = stage.similarity;
        json[stage.name] = {{"voxels", figures.voxels},
                            {"mae", numberOrNull(figures.meanAbsoluteError)},
                            {"sse", numberOrNull(figures.squaredErrors)},
                            {"ssim", numberOrNull(figures.structural)},
                            {"nmi", numberOrNull(figures.mutualInformation)},
                            {"ncc", numberOrNull(figures.correlation)}};
    }
    return json;
}

Json overlapsOf(const std::vector<LabelOverlap>& after, const std::vector<LabelOverlap>& before) {
    Json list = Json::array();
    for (const LabelOverlap& overlap : after) {
        Json json{{"label", overlap.label},
                  {"voxels_fixed", overlap.fixedVoxels},
                  {"voxels_warped", overlap.movedVoxels},
                  {"dice", overlap.dice},
                  {"surface_distance_mm", numberOrNull(overlap.surfaceMillimeters)}};
        for (const LabelOverlap& earlier : before)
            if (earlier.label == overlap.label) {
                json["dice_before"] = earlier.dice;
                json["surface_distance_before_mm"] = numberOrNull(earlier.surfaceMillimeters);
            }
        list.push_back(std::move(json));
    }
    return list;
}

Json wallOf(const RegisterJob& job, const RegisterOutcome& outcome) {
    if (!outcome.wall)
        return nullptr;
    const elasticity::ElasticWallReport& report = outcome.wall->report;
    return {{"labels", job.wall.labels},
            {"label", outcome.wall->label},
            {"poisson_ratio", job.wall.options.material.poissonRatio},
            {"surface_length_mm", job.wall.options.surfaceLength},
            {"unknowns", report.unknowns},
            {"entries", report.entries},
            {"multigrid_levels", report.levels},
            {"iterations", report.iterations},
            {"assembly_seconds", report.assemblySeconds},
            {"set_up_seconds", report.setUpSeconds},
            {"solve_seconds", report.solveSeconds},
            {"mean_change_mm", report.meanChange},
            {"largest_change_mm", report.largestChange}};
}

Json inverseOf(const std::optional<InverseReport>& inverse) {
    if (!inverse)
        return nullptr;
    return {{"voxels_inside", inverse->inside},
            {"voxels_converged", inverse->converged},
            {"mean_error_mm", inverse->meanError},
            {"largest_error_mm", inverse->largestError},
            {"iterations", inverse->iterations}};
}

Json jacobianOf(const RegisterOutcome& outcome) {
    const auto voxels = static_cast<double>(outcome.fixed.volume.geometry.voxels());
    return {{"smallest", numberOrNull(outcome.jacobian.smallest)},
            {"largest", numberOrNull(outcome.jacobian.largest)},
            {"folded_percent", 100 * static_cast<double>(outcome.jacobian.folded) / voxels},
            {"voxels", outcome.volumeChange.voxels},
            {"mean", numberOrNull(outcome.volumeChange.mean)},
            {"mean_log", numberOrNull(outcome.volumeChange.meanLogarithm)},
            {"spread_log", numberOrNull(outcome.volumeChange.spreadLogarithm)}};
}

Json consistencyOf(const std::optional<ConsistencyReport>& consistency) {
    if (!consistency)
        return nullptr;
    return {{"voxels_inside", consistency->inside},
            {"mean_error_mm", numberOrNull(consistency->meanError)},
            {"largest_error_mm", numberOrNull(consistency->largestError)}};
}

} // namespace

Json registerRecord(const RegisterJob& job, const RegisterOutcome& outcome, int threads) {
    return recordOf(
        {{"meaning",
          "the point p of the fixed image lies at p + displacement(p), and at affine(p), in the "
          "moving image; fields live on the grid of the fixed image, the inverse on that of the "
          "moving image"},
         {"fixed", imageOf(outcome.fixed, job.fixedMask, outcome.fixedMaskLiters, job.fixedLabels)},
         {"moving",
          imageOf(outcome.moving, job.movingMask, outcome.movingMaskLiters, job.movingLabels)},
         {"lungs", job.lungs},
         {"sliding", job.sliding},
         {"method", job.transform.empty() ? Json(job.method) : Json(nullptr)},
         {"transform", nullIfEmpty(job.transform)},
         {"initial", nullIfEmpty(job.initial)},
         {"fixed_points", nullIfEmpty(job.fixedPoints)},
         {"moving_points", nullIfEmpty(job.movingPoints)},
         {"start", nullIfEmpty(outcome.start)},
         {"format", job.asNiftyReg ? "niftyreg" : "itk"},
         {"device", nullIfEmpty(job.deviceName)},
         {"affine", affineOf(job, outcome)},
         {"deformation", deformationOf(job, outcome)},
         {"iterations", iterationsOf(outcome.result)},
         {"similarity", similarityOf(outcome)},
         {"jacobian", jacobianOf(outcome)},
         {"labels", overlapsOf(outcome.labels, outcome.labelsBefore)},
         {"elastic_wall", wallOf(job, outcome)},
         {"inverse", inverseOf(outcome.inverse)},
         {"inverse_consistency", consistencyOf(outcome.consistency)},
         {"notes", outcome.notes},
         {"doubts", outcome.doubts},
         {"seconds", outcome.seconds},
         {"stage_seconds",
          {{"read", outcome.readSeconds},
           {"affine", outcome.result.affineSeconds},
           {"deformation", outcome.result.methodSeconds},
           {"write", outcome.writeSeconds}}}},
        threads);
}

} // namespace systole
