#include "app/study/case_quality.h"

#include "app/base/json_file.h"
#include "app/features/cardiac/strain_doubts.h"
#include "app/study/cohort_folder.h"
#include "app/study/robust.h"
#include "compute/cardiac/measures.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace systole {
namespace {

using Figures = std::map<std::string, double>;

/// Numbers of JSON objects; null and missing ones are NaN.
double numberAt(const Json& json, std::initializer_list<const char*> keys) {
    const Json* at = &json;
    for (const char* key : keys) {
        if (!at->is_object() || !at->contains(key))
            return std::nan("");
        at = &at->at(key);
    }
    return at->is_number() ? at->get<double>() : std::nan("");
}

void put(Figures& figures, const char* id, double value) {
    if (std::isfinite(value))
        figures[id] = value;
}

void addMotion(const Json& run, CaseQuality& quality) {
    Figures& figures = quality.figures;
    std::vector<double> changes, rests;
    double correlation = 1, folded = 0, determinant = INFINITY;
    for (const Json& field : run.at("fields")) {
        const double before = numberAt(field, {"mean_squared_difference", "before"});
        if (field.at("kind") != "displacement" || !std::isfinite(before))
            continue;
        const double after = numberAt(field, {"mean_squared_difference", "after"});
        changes.push_back(before);
        rests.push_back(after);
        correlation = std::min(correlation, numberAt(field, {"correlation"}));
        folded = std::max(folded, numberAt(field, {"folded_percent"}));
        determinant = std::min(determinant, numberAt(field, {"lowest_determinant"}));
    }
    if (!changes.empty()) {
        const auto sum = [](const std::vector<double>& values) {
            return std::accumulate(values.begin(), values.end(), 0.0);
        };
        put(figures, "difference_left", 100 * sum(rests) / sum(changes));
        put(figures, "correlation", correlation);
        put(figures, "folded", folded);
        put(figures, "lowest_determinant", determinant);
        put(figures, "largest_change", std::ranges::max(changes) / medianOf(changes));
        const double range =
            numberAt(run, {"intensity_scale", "high"}) - numberAt(run, {"intensity_scale", "low"});
        for (const auto& [id, squares] :
             {std::pair("difference_before", &changes), std::pair("difference_after", &rests)})
            put(figures, id,
                100 / range * std::sqrt(sum(*squares) / static_cast<double>(squares->size())));
    }
    put(figures, "drift", numberAt(run, {"cycle_residual_mm", "mean"}));
    for (const Json& doubt : run.at("doubts"))
        quality.doubts.push_back(doubt);
}

/// Adds the figures that only --certainty gives.
void addErrors(const Json& summary, CaseQuality& quality) {
    const double wall = numberAt(summary, {"end_systole", "wall_standard_error_mm"});
    if (!std::isfinite(wall))
        return;
    const double bound = numberAt(summary, {"parameters", "error-bound"});
    std::vector<double> errors;
    int doubtful = 0;
    for (const Json& segment : summary.at("segments")) {
        bool any = false;
        for (std::size_t k = 0; k < 3; ++k) {
            const double error =
                numberAt(segment, {"standard_error_percent", cardiac::directionNames[k]});
            if (std::isfinite(error))
                errors.push_back(error);
            quality.doubtful[k].push_back(error > bound);
            any = any || error > bound;
        }
        doubtful += any ? 1 : 0;
    }
    put(quality.figures, "wall_error", wall);
    put(quality.figures, "strain_error", medianOf(errors));
    put(quality.figures, "doubtful_segments", doubtful);
}

void addStrain(const Json& summary, CaseQuality& quality) {
    Figures& figures = quality.figures;
    put(figures, "edv", numberAt(summary, {"end_diastolic_ml", "midwall"}));
    put(figures, "esv", numberAt(summary, {"end_systolic_ml", "midwall"}));
    put(figures, "ef", numberAt(summary, {"ejection_fraction_percent", "midwall"}));
    put(figures, "wall_mass", numberAt(summary, {"wall_mass_g"}));
    put(figures, "gls", numberAt(summary, {"global", "longitudinal", "peak_percent"}));
    put(figures, "gcs", numberAt(summary, {"global", "circumferential", "peak_percent"}));
    put(figures, "grs", numberAt(summary, {"global", "radial", "peak_percent"}));
    put(figures, "twist", numberAt(summary, {"end_systole", "twist_deg"}));
    put(figures, "wall_change", numberAt(summary, {"end_systole", "wall_volume_drift_percent"}));
    for (const Json& segment : summary.at("segments"))
        for (std::size_t k = 0; k < 3; ++k)
            quality.segments[k].push_back(
                numberAt(segment, {cardiac::directionNames[k], "end_systolic_percent"}));
    if (!summary.at("long_axis").at("insertion_known"))
        quality.doubts.emplace_back(turnedSegments);
    for (const Json& doubt : summary.at("doubts"))
        quality.doubts.push_back(doubt);
    addErrors(summary, quality);
}

void addImage(const PlannedCase& planned, Figures& figures) {
    put(figures, "frames", planned.frames);
    for (const auto& [id, at] : {std::pair("voxel_width", 0), std::pair("voxel_height", 2)})
        put(figures, id, parseReal(planned.spacing.at(static_cast<std::size_t>(at))).value_or(NAN));
}

const CohortStep* stepNamed(const PlannedCase& planned, const char* name) {
    const auto found = std::ranges::find(planned.steps, name, &CohortStep::name);
    return found == planned.steps.end() ? nullptr : &*found;
}

Json jsonOf(const CaseQuality& quality) {
    Json segments = Json::object();
    for (std::size_t k = 0; k < 3; ++k) {
        Json values = Json::array();
        for (const double value : quality.segments[k])
            values.push_back(std::isfinite(value) ? Json(value) : Json());
        segments[cardiac::directionNames[k]] = values;
    }
    return {{"figures", quality.figures},
            {"segments_end_systolic_percent", segments},
            {"segments_doubtful", quality.doubtful},
            {"doubts", quality.doubts}};
}

} // namespace

std::span<const QualityMeasure> qualityMeasures() {
    static constexpr QualityMeasure all[] = {
        {"ef", "ejection fraction", "%", 1,
         "Ejection fraction of the end-diastolic and end-systolic volume.", 2, true},
        {"edv", "end-diastolic volume", "ml", 1,
         "Volume of the cavity at end diastole, within mid-wall less the muscle within it.", 5,
         true},
        {"esv", "end-systolic volume", "ml", 1, "The same at end systole.", 5, true},
        {"wall_mass", "mass of the wall", "g", 0, "Mass of the wall of the left ventricle.", 5,
         true},
        {"gls", "GLS", "%", 1, "Peak longitudinal strain of the whole wall.", 1, true},
        {"gcs", "GCS", "%", 1, "Peak circumferential strain of the whole wall.", 1, true},
        {"grs", "GRS", "%", 1, "Peak radial strain of the whole wall.", 2, true},
        {"twist", "twist", "°", 1, "Twist at end systole.", 1, true},
        {"frames", "frames", "", 0, "Frames of the sequence.", 0.5},
        {"voxel_width", "voxel width", "mm", 3, "Width of a voxel, as the file says.", 1e-3},
        {"voxel_height", "voxel height", "mm", 3, "Height of a voxel, as the file says.", 1e-3},
        {"largest_change", "largest change between frames", "", 2,
         "Largest mean squared difference of two consecutive frames over the median one: high "
         "where a frame is spoilt or out of order.",
         0.5},
        {"difference_left", "difference left", "%", 1,
         "Mean squared difference of consecutive frames after the motion, of that before it, all "
         "pairs together: frames that hardly move, as near end systole, keep the noise that they "
         "differ by, and weigh little.",
         5},
        {"difference_before", "difference before", "%", 2,
         "Root mean squared difference of consecutive frames as they are, the last and the first "
         "one among them, all pairs together, in percent of the range from the 1st to the 99th "
         "percentile of the sequence's gray values.",
         1},
        {"difference_after", "difference after", "%", 2,
         "The same after the motion: each frame less the next one, warped onto it.", 0.5},
        {"correlation", "correlation of frames", "", 3,
         "Correlation of two consecutive frames as they are; of the worst pair.", 0.03},
        {"folded", "folded", "%", 3, "Voxels in which the motion folds; of the worst pair.", 0.1},
        {"lowest_determinant", "lowest J", "", 3,
         "Lowest determinant of the motion's Jacobian from frame to frame.", 0.1},
        {"drift", "drift over the cycle", "mm", 3,
         "Mean distance of points from their start after the motion over the whole cycle.", 0.1},
        {"wall_change", "change of the wall's volume", "%", 1,
         "Change of the wall's volume until end systole; muscle keeps its volume.", 2},
        {"wall_error", "standard error of motion", "mm", 2,
         "Standard error of the motion from end diastole to end systole, median over the wall; "
         "only with --certainty.",
         0.1},
        {"strain_error", "standard error of strain", "%", 2,
         "Standard error of the segments' strain at end systole in percent of length, median over "
         "segments and directions; only with --certainty.",
         0.5},
        {"doubtful_segments", "doubtful segments", "", 0,
         "Segments in which the standard error of a strain at end systole exceeds the bound "
         "(hatched); only with --certainty.",
         2},
    };
    return all;
}

void writeCaseQuality(const PlannedCase& planned, const std::string& output,
                      const std::string& folder) {
    CaseQuality quality;
    addImage(planned, quality.figures);
    if (const CohortStep* motion = stepNamed(planned, motionStep))
        fromJson(output + "/" + motion->output + "/run.json", [&](const Json& run) {
            addMotion(run, quality);
            return true;
        });
    if (const CohortStep* strain = stepNamed(planned, strainStep))
        fromJson(output + "/" + strain->output + "/summary.json", [&](const Json& summary) {
            addStrain(summary, quality);
            return true;
        });
    else
        quality.doubts.emplace_back(noStrain);
    writeOwn(folder + "/quality.json", jsonOf(quality));
    writeOwn(folder + "/report.html", casePage(planned, output, quality));
}

CaseQuality readCaseQuality(const PlannedCase& planned, const std::string& output) {
    const std::string folder = output + "/" + planned.step(qualityStep).output;
    return fromJson(folder + "/quality.json", [](const Json& json) {
        CaseQuality quality;
        for (const auto& [id, value] : json.at("figures").items())
            quality.figures[id] = value;
        for (std::size_t k = 0; k < 3; ++k)
            for (const Json& value :
                 json.at("segments_end_systolic_percent").at(cardiac::directionNames[k]))
                quality.segments[k].push_back(value.is_number() ? value.get<double>() : NAN);
        quality.doubtful = json.at("segments_doubtful");
        for (const Json& doubt : json.at("doubts"))
            quality.doubts.push_back(doubt);
        return quality;
    });
}

} // namespace systole
