#include "app/features/cardiac/strain_table.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace systole {
namespace {

using cardiac::Directions;
using cardiac::FrameErrors;
using cardiac::FrameMeasures;
using cardiac::SegmentFrame;

template <class Row>
struct Column {
    const char* name;
    double (*value)(const Row&);
};

const Column<SegmentFrame> segmentColumns[] = {
    {"longitudinal_percent", [](const SegmentFrame& s) { return 100 * s.strain.longitudinal; }},
    {"circumferential_percent",
     [](const SegmentFrame& s) { return 100 * s.strain.circumferential; }},
    {"radial_percent", [](const SegmentFrame& s) { return 100 * s.strain.radial; }},
    {"longitudinal_rate_per_s", [](const SegmentFrame& s) { return s.rate.longitudinal; }},
    {"circumferential_rate_per_s", [](const SegmentFrame& s) { return s.rate.circumferential; }},
    {"radial_rate_per_s", [](const SegmentFrame& s) { return s.rate.radial; }},
    {"rotation_deg", [](const SegmentFrame& s) { return s.rotation; }},
    {"thickness_mm", [](const SegmentFrame& s) { return s.thickness; }},
    {"jacobian", [](const SegmentFrame& s) { return s.jacobian; }},
};

const Column<FrameMeasures> frameColumns[] = {
    {"gls_percent", [](const FrameMeasures& f) { return 100 * f.strain.longitudinal; }},
    {"gcs_percent", [](const FrameMeasures& f) { return 100 * f.strain.circumferential; }},
    {"grs_percent", [](const FrameMeasures& f) { return 100 * f.strain.radial; }},
    {"longitudinal_rate_per_s", [](const FrameMeasures& f) { return f.rate.longitudinal; }},
    {"circumferential_rate_per_s", [](const FrameMeasures& f) { return f.rate.circumferential; }},
    {"radial_rate_per_s", [](const FrameMeasures& f) { return f.rate.radial; }},
    {"cavity_midwall_ml", [](const FrameMeasures& f) { return f.cavity.midWall; }},
    {"cavity_surface_ml", [](const FrameMeasures& f) { return f.cavity.surface; }},
    {"cavity_voxels_ml", [](const FrameMeasures& f) { return f.cavity.voxels; }},
    {"wall_ml", [](const FrameMeasures& f) { return f.wallMilliliters; }},
    {"rotation_apical_deg", [](const FrameMeasures& f) { return f.rotation.apical; }},
    {"rotation_mid_deg", [](const FrameMeasures& f) { return f.rotation.mid; }},
    {"rotation_basal_deg", [](const FrameMeasures& f) { return f.rotation.basal; }},
    {"twist_deg", [](const FrameMeasures& f) { return f.rotation.twist; }},
    {"torsion_deg_per_cm", [](const FrameMeasures& f) { return f.rotation.torsionPerCm; }},
    {"torsion_shear_deg", [](const FrameMeasures& f) { return f.rotation.torsionShear; }},
    {"jacobian_mean", [](const FrameMeasures& f) { return f.volume.mean; }},
    {"jacobian_sd", [](const FrameMeasures& f) { return f.volume.deviation; }},
    {"jacobian_beyond_5_percent", [](const FrameMeasures& f) { return f.volume.percentBeyond5; }},
    {"folded_percent", [](const FrameMeasures& f) { return f.volume.percentFolded; }},
    {"log_jacobian_sd", [](const FrameMeasures& f) { return f.volume.deviationOfLogarithm; }},
    {"volume_drift_percent", [](const FrameMeasures& f) { return f.volume.driftPercent; }},
    {"stretch_product", [](const FrameMeasures& f) { return f.volume.product; }},
};

/// Standard errors, behind the columns of what is measured.
const Column<Directions> errorColumns[] = {
    {"longitudinal_se_percent", [](const Directions& e) { return 100 * e.longitudinal; }},
    {"circumferential_se_percent", [](const Directions& e) { return 100 * e.circumferential; }},
    {"radial_se_percent", [](const Directions& e) { return 100 * e.radial; }},
};
const Column<FrameErrors> frameErrorColumns[] = {
    {"gls_se_percent", [](const FrameErrors& e) { return 100 * e.strain.longitudinal; }},
    {"gcs_se_percent", [](const FrameErrors& e) { return 100 * e.strain.circumferential; }},
    {"grs_se_percent", [](const FrameErrors& e) { return 100 * e.strain.radial; }},
    {"twist_se_deg", [](const FrameErrors& e) { return e.twist; }},
};

std::string cell(double value) {
    return std::isfinite(value) ? fmt::format(",{:.6g}", value) : ",";
}

template <class... Columns>
std::string header(const char* first, const Columns&... columns) {
    std::string text = fmt::format("# {}\n{}", researchOnly, first);
    const auto add = [&](const auto& names) {
        for (const auto& column : names)
            text += fmt::format(",{}", column.name);
    };
    (add(columns), ...);
    return text + "\n";
}

/// Cells of `row`; null: unknown.
template <class Row, class Columns>
std::string cells(const Row* row, const Columns& columns) {
    std::string text;
    for (const auto& column : columns)
        text += row ? cell(column.value(*row)) : ",";
    return text;
}

std::string frameOf(const StrainOutcome& outcome, std::size_t t) {
    return fmt::format("{}{}", outcome.motion.frame[t], cell(1e3 * outcome.motion.timeSeconds[t]));
}

} // namespace

std::string segmentsCsv(const StrainOutcome& outcome, cardiac::AhaModel model) {
    std::string text = header("frame,time_ms,segment,name,voxels", segmentColumns, errorColumns);
    for (std::size_t t = 0; t < outcome.measures.frames.size(); ++t)
        for (std::size_t s = 0; s < outcome.measures.segmentVoxels.size(); ++s) {
            text += fmt::format("{},{},{},{}", frameOf(outcome, t), s + 1,
                                cardiac::ahaNames(model)[s], outcome.measures.segmentVoxels[s]);
            text += cells(&outcome.measures.frames[t].segments[s], segmentColumns);
            text += cells(outcome.errors.empty() ? nullptr : &outcome.errors[t].segments[s],
                          errorColumns);
            text += "\n";
        }
    return text;
}

std::string curvesCsv(const StrainOutcome& outcome) {
    std::string text = header("frame,time_ms", frameColumns, frameErrorColumns);
    for (std::size_t t = 0; t < outcome.measures.frames.size(); ++t) {
        text += frameOf(outcome, t);
        text += cells(&outcome.measures.frames[t], frameColumns);
        text += cells(outcome.errors.empty() ? nullptr : &outcome.errors[t], frameErrorColumns);
        text += "\n";
    }
    return text;
}

} // namespace systole
