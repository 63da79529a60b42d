// systole strain: a left ventricle measured by its motion: strain, twist, volumes.
#include "app/base/error.h"
#include "app/base/recorded_hashes.h"
#include "app/base/seed_points.h"
#include "app/cli/command.h"
#include "app/cli/command_work.h"
#include "app/cli/image_arguments.h"
#include "app/cli/note_text.h"
#include "app/cli/option_forms.h"
#include "app/cli/record_parts.h"
#include "app/cli/run_folder.h"
#include "app/cli/task_options.h"
#include "app/features/cardiac/bulls_eye.h"
#include "app/features/cardiac/strain_doubts.h"
#include "app/features/cardiac/strain_files.h"
#include "app/features/cardiac/strain_pdf.h"
#include "app/features/cardiac/strain_report.h"
#include "app/features/cardiac/strain_table.h"
#include "io/base/output_file.h"
#include "io/formats/writer.h"

#include <CLI/App.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <string>
#include <vector>

namespace systole {
namespace {

using cardiac::CavityVolumes;
using cardiac::StrainPeak;

constexpr const char* segmentsName = "segments.csv";
constexpr const char* curvesName = "curves.csv";
constexpr const char* reportName = "report.html";
constexpr const char* pdfName = "report.pdf";

bool isStrainFile(std::string_view name) {
    return name == segmentsName || name == curvesName || name == reportName || name == pdfName;
}

/// The files of a run but its record. Without the viewer there is no Qt, which makes PDF.
std::vector<std::string> filesOfRun() {
    std::vector<std::string> files{segmentsName, curvesName, reportName};
#ifdef SYSTOLE_VIEWER
    files.emplace_back(pdfName);
#endif
    return files;
}

const RunFolderKind strainFolderKind{"strain", "summary.json", isStrainFile};

class StrainCommand : public Command {
public:
    StrainCommand()
        : Command("strain", "Strain, twist and volumes of the left ventricle from its motion") {}
    void addOptions(CLI::App& app) override;
    int run() override;

private:
    cardiac::GivenPoints givenPoints() const;
    Json record(const StrainMotion& motion, const StrainLabels& labels,
                const StrainOutcome& outcome, const StrainReport& report) const;
    StrainReport report(const StrainMotion& motion, const StrainPoints& points) const;
    void print(const StrainOutcome& outcome, const cardiac::StrainDefinition& definition,
               const StrainReport& about) const;

    std::vector<std::string> fields_;
    std::string labels_, output_, points_, apex_, mitral_, insertion_;
    std::string errorsBy_; ///< origin of the standard errors; empty: none
    int reference_ = 0;
    double frameMilliseconds_ = 0;
    FieldOptions fieldOptions_;
    TaskOptions options_{strainTask()};
};

void StrainCommand::addOptions(CLI::App& app) {
    app.add_option(
           "FIELDS", fields_,
           "The folder that 'systole motion --lagrangian' wrote, or displacement fields from "
           "the first frame to frame 1, frame 2 and so on, in this order, of any program")
        ->required();
    app.add_option(
        "--labels", labels_,
        "Label map of that first frame, of voxels of the fields' grid, in any order, with the "
        "cavity of the left ventricle and its wall; FILE@FRAME of a 4D file. Without it: half an "
        "ellipsoid through the three --points");
    app.add_option(
           "-o,--output", output_,
           "Folder for segments.csv, curves.csv, report.html, report.pdf and, last, summary.json; "
           "created if necessary")
        ->required();
    CLI::Option* const points = app.add_option(
        "--points", points_,
        "APEX;MITRAL;RV, each x,y,z in LPS mm (quote it for the shell), as for 'systole segment'; "
        "RV: the anterior insertion of the right ventricle. Or a file of them: the record that "
        "'systole segment' writes, one that the Cardiac panel saved, or landmarks. Default: those "
        "in the record beside the labels (labels.json of labels.nii.gz), if it has any. Points "
        "that are not given are found from the labels");
    for (const auto& [name, text, help] :
         {std::tuple("--apex", &apex_, "x,y,z: the apex of the cavity, LPS mm"),
          std::tuple("--mitral", &mitral_, "x,y,z: the middle of the mitral ring, LPS mm"),
          std::tuple("--insertion", &insertion_,
                     "x,y,z: the anterior insertion of the right ventricle, LPS mm; segments count "
                     "from there")})
        app.add_option(name, *text, help)->excludes(points);
    addNumber(app, "--reference", reference_, 0, 1000000,
              "Number of the labels' frame, in which displacement fields begin; they lead to the "
              "frames after it (a folder states it itself)");
    addFrameTime(app, frameMilliseconds_);
    fieldOptions_.addTo(app);
    options_.addTo(app, false);
    app.footer(
        "An example, from images to strain:\n"
        "  systole motion heart.nii.gz -o motion --lagrangian\n"
        "  systole segment heart.nii.gz --points \"APEX;MITRAL;RV\" --wall -o labels.nii.gz\n"
        "  systole strain motion --labels labels.nii.gz -o strain\n"
        "Without labels: systole strain motion --points \"APEX;MITRAL;RV\" -o strain\n");
}

cardiac::GivenPoints StrainCommand::givenPoints() const {
    cardiac::GivenPoints given;
    if (!points_.empty()) {
        const auto [apex, mitral, insertion] = ventriclePoints(points_, "--points");
        return {apex, mitral, insertion};
    }
    if (!apex_.empty())
        given.apex = parsePoint(apex_, "--apex");
    if (!mitral_.empty())
        given.mitral = parsePoint(mitral_, "--mitral");
    if (!insertion_.empty())
        given.insertion = parsePoint(insertion_, "--insertion");
    return given;
}

Json labelOrNull(int label) { return label > 0 ? Json(label) : Json(); }

Json volumesOf(const CavityVolumes& volumes) {
    return {{"midwall", numberOrNull(volumes.midWall)},
            {"surface", numberOrNull(volumes.surface)},
            {"voxels", numberOrNull(volumes.voxels)}};
}

Json peaksOf(const std::array<StrainPeak, 3>& peaks, const StrainOutcome& outcome) {
    Json json;
    for (std::size_t k = 0; k < peaks.size(); ++k) {
        const StrainPeak& peak = peaks[k];
        json[cardiac::directionNames[k]] = {
            {"peak_percent", numberOrNull(100 * peak.peak)},
            {"end_systolic_percent", numberOrNull(100 * peak.atEndSystole)},
            {"peak_frame", outcome.motion.frame[static_cast<std::size_t>(peak.frame)]},
            {"time_to_peak_ms", numberOrNull(1e3 * peak.seconds)},
            {"post_systolic_index_percent", numberOrNull(peak.postSystolicIndex)}};
    }
    return json;
}

/// Standard errors of a segment's strain at end systole, by direction; null: unknown.
Json errorsOf(const StrainOutcome& outcome, std::size_t es, std::size_t segment) {
    if (outcome.errors.empty())
        return {};
    Json json;
    for (int k = 0; k < 3; ++k)
        json[cardiac::directionNames[k]] =
            numberOrNull(100 * outcome.errors[es].segments[segment][k]);
    return json;
}

/// Correlations of the images by convention, and without any motion.
Json conventionRecord(const FieldReading& reading) {
    Json correlations = Json::object();
    for (const ConventionTrial::Score& score : reading.scores)
        correlations[score.reading.text()] = numberOrNull(score.correlation);
    return {{"name", reading.convention->name},
            {"known", reading.basis},
            {"proof", reading.scores.empty() ? Json() : correlations}};
}

Json StrainCommand::record(const StrainMotion& motion, const StrainLabels& labels,
                           const StrainOutcome& outcome, const StrainReport& report) const {
    const cardiac::MeasureOptions options = measureOptions(options_.values());
    const cardiac::Placement& placement = outcome.ventricle->placement;
    const auto es = static_cast<std::size_t>(outcome.summary.endSystole);
    const cardiac::FrameMeasures& systole = outcome.measures.frames[es];
    Json dispersion, segments = Json::array(), inputs = Json::array();
    for (const StrainReport::Input& input : report.inputs)
        inputs.push_back({{"file", input.file}, {"sha256", input.sha256}});
    for (std::size_t k = 0; k < 3; ++k)
        dispersion[cardiac::directionNames[k]] =
            numberOrNull(1e3 * outcome.summary.dispersionSeconds[k]);
    for (std::size_t s = 0; s < outcome.summary.segments.size(); ++s) {
        Json segment{{"segment", s + 1},
                     {"name", cardiac::ahaNames(options.model)[s]},
                     {"voxels", outcome.measures.segmentVoxels[s]}};
        segment.update(peaksOf(outcome.summary.segments[s], outcome));
        segment["standard_error_percent"] = errorsOf(outcome, es, s);
        segments.push_back(segment);
    }
    return {
        {"notice", researchOnly},
        {"fields", motion.files},
        {"inputs", inputs},
        {"field_convention", conventionRecord(motion.given->reading())},
        {"labels",
         {{"file", labels_.empty() ? Json() : Json(labels_)},
          {"frame", motion.reference},
          {"cavity", labelOrNull(labels.roles.cavity)},
          {"wall", labelOrNull(labels.roles.wall)},
          {"right_ventricle", labelOrNull(labels.roles.rightVentricle)}}},
        {"parameters", parametersOf(options_.values())},
        {"standard_errors_by", errorsBy_.empty() ? Json() : Json(errorsBy_)},
        {"cycle_residual_mm",
         {{"before", numberOrNull(outcome.residual.measured)},
          {"after", outcome.residual.closed ? Json(0) : numberOrNull(outcome.residual.measured)}}},
        {"definition",
         {{"name", options.definition->name},
          {"meaning", options.definition->meaning},
          {"paper", options.definition->paper}}},
        {"long_axis",
         {{"apex_mm", placement.axis.apex()},
          {"base_mm", placement.axis.at(placement.axis.length())},
          {"length_mm", placement.axis.length()},
          {"towards_insertion", placement.axis.outwards(0)},
          {"insertion_known", placement.insertionKnown},
          {"apex_closed", !placement.apicalCut}}},
        {"notes", placement.notes},
        {"doubts", report.doubts},
        {"frames", outcome.motion.frame},
        {"times_known", std::isfinite(outcome.motion.timeSeconds.back())},
        {"end_diastole_frame", outcome.motion.frame.front()},
        {"end_diastole_by",
         namedFrame(options_.values(), "end-diastole") ? "user" : "frame of the labels"},
        {"end_systole_frame", outcome.motion.frame[es]},
        {"end_systole_by",
         namedFrame(options_.values(), "end-systole") ? "user" : "smallest volume"},
        {"end_diastolic_ml", volumesOf(outcome.summary.endDiastolic)},
        {"end_systolic_ml", volumesOf(outcome.summary.endSystolic)},
        {"ejection_fraction_percent", volumesOf(outcome.summary.ejectionPercent)},
        {"wall_mass_g", outcome.measures.wallGrams},
        {"global", peaksOf(outcome.summary.global, outcome)},
        {"time_to_peak_sd_ms", dispersion},
        {"end_systole",
         {{"twist_deg", numberOrNull(systole.rotation.twist)},
          {"wall_standard_error_mm",
           outcome.errors.empty() ? Json() : numberOrNull(outcome.errors[es].wall)},
          {"torsion_deg_per_cm", numberOrNull(systole.rotation.torsionPerCm)},
          {"torsion_shear_deg", numberOrNull(systole.rotation.torsionShear)},
          {"jacobian_mean", numberOrNull(systole.volume.mean)},
          {"jacobian_sd", numberOrNull(systole.volume.deviation)},
          {"jacobian_beyond_5_percent", systole.volume.percentBeyond5},
          {"folded_percent", systole.volume.percentFolded},
          {"log_jacobian_sd", numberOrNull(systole.volume.deviationOfLogarithm)},
          {"wall_volume_drift_percent", numberOrNull(systole.volume.driftPercent)},
          {"stretch_product", numberOrNull(systole.volume.product)}}},
        {"segments", segments},
        {"seconds", outcome.seconds}};
}

StrainReport StrainCommand::report(const StrainMotion& motion, const StrainPoints& points) const {
    StrainReport report;
    report.parameters = options_.values();
    report.errorsBy = errorsBy_;
    report.study = motion.study;
    report.date = dateOfToday();
    if (motion.method)
        report.motionBy = motionWords(motion.method->name, *motion.methodParameters);
    const RecordedHashes hashes = RecordedHashes::ofThisProcess();
    const auto add = [&](const std::string& what, const std::string& named,
                         const std::string& path) {
        report.inputs.push_back({what, named, hashes.of(path)});
    };
    if (!labels_.empty())
        add("labels", labels_, parseFrameOfFile(labels_).path);
    if (!points.record.empty())
        add("points", points.record, points.record);
    for (std::size_t i = 0; i < motion.files.size(); ++i)
        add(fmt::format("motion to frame {}", motion.fields[i].frame), motion.files[i],
            motion.files[i]);
    return report;
}

void StrainCommand::print(const StrainOutcome& outcome, const cardiac::StrainDefinition& definition,
                          const StrainReport& about) const {
    const auto es = static_cast<std::size_t>(outcome.summary.endSystole);
    const cardiac::FrameMeasures& systole = outcome.measures.frames[es];
    fmt::print("end diastole: frame {}, end systole: frame {}; cavity {:.1f} to {:.1f} ml, "
               "ejection fraction {} %; wall "
               "{:.0f} g\n",
               outcome.motion.frame.front(), outcome.motion.frame[es],
               outcome.summary.endDiastolic.midWall, outcome.summary.endSystolic.midWall,
               figureText(outcome.summary.ejectionPercent.midWall, 1), outcome.measures.wallGrams);
    fmt::print("strain there ({}): longitudinal {:.1f} %, circumferential {:.1f} %, radial {:.1f} "
               "%; twist {:.1f} degrees\n",
               definition.name, 100 * systole.strain.longitudinal,
               100 * systole.strain.circumferential, 100 * systole.strain.radial,
               systole.rotation.twist);
    if (!outcome.errors.empty()) {
        const cardiac::FrameErrors& errors = outcome.errors[es];
        fmt::print("standard errors: {:.2f}, {:.2f} and {:.2f} % of length, twist {:.2f} degrees, "
                   "motion of the wall {:.2f} mm (median)\n",
                   100 * errors.strain.longitudinal, 100 * errors.strain.circumferential,
                   100 * errors.strain.radial, errors.twist, errors.wall);
        fmt::print("standard errors are by {}\n", errorsBy_);
    }
    if (std::isfinite(outcome.residual.measured))
        fmt::print("{}\n", closureText(outcome.residual));
    fmt::print("volume of the wall: {:+.1f} %, standard deviation of J {:.3f}\n",
               systole.volume.driftPercent, systole.volume.deviation);
    for (const std::string& note : outcome.ventricle->placement.notes)
        printNote(note);
    for (const std::string& doubt : about.doubts)
        printNote(doubt);
    fmt::print("{}\n", researchOnly);
}

int StrainCommand::run() {
    CommandWork work(options_.threads);
    const cardiac::GivenPoints given = givenPoints();
    if (labels_.empty() && !(given.apex && given.mitral && given.insertion))
        throw UsageError("--labels is required, or all three --points");
    const ExecContext reading = work.context();
    StrainMotion motion = motionOf(fields_, reference_, frameMilliseconds_, fieldOptions_, reading);
    if (!motion.note.empty())
        printNote(motion.note);
    if (options_.values().isOn("certainty"))
        errorsBy_ = addErrorDraws(motion, fieldOptions_, reading);
    const Geometry& grid = motion.given->grid();
    const cardiac::LabelRoles roles = labelRoles(options_.values());
    const StrainLabels labels =
        labels_.empty() ? strainLabels(grid, given) : strainLabels(labels_, grid, roles, reading);
    const StrainPoints points =
        labels_.empty() ? StrainPoints{given}
                        : strainPoints(given, parseFrameOfFile(labels_).path, motion.reference);
    RunFolder folder(output_, strainFolderKind, filesOfRun(), options_.overwrite.given());
    StrainTask task;
    task.frame = motion.reference;
    task.tissue = labels.tissue;
    task.notes = labels.notes;
    task.notes.insert(task.notes.end(), points.notes.begin(), points.notes.end());
    task.points = points.given;
    task.fields = motion.fields;
    if (!motion.around.empty())
        task.around = [&] { return readField(motion.around, *reading.pool); };
    task.closeCycle = options_.values().isOn("close-cycle");
    if (task.closeCycle && !task.around)
        throw UsageError(
            "--close-cycle: FIELDS has no motion once around the cycle; 'systole motion "
            "--lagrangian --close-cycle' writes a folder that has it");
    task.options = measureOptions(options_.values());
    task.endDiastole = namedFrame(options_.values(), "end-diastole");
    task.endSystole = namedFrame(options_.values(), "end-systole");
    task.standardErrors = options_.values().isOn("certainty");
    task.errorBound = options_.values().real("error-bound");
    const StrainOutcome outcome = work.run([&](ExecContext ctx) {
        StrainOutcome made;
        StrainWork().run(task, made, ctx);
        return made;
    });
    const auto write = [&](const char* name, const std::string& text) {
        folder.write(name, [&](const std::string& path) { writeTextAtomically(path, text); });
    };
    write(segmentsName, segmentsCsv(outcome, task.options.model));
    write(curvesName, curvesCsv(outcome));
    StrainReport about = report(motion, points);
    about.roles = labels.roles;
    about.ejections = ejectionWays(outcome, motion.method ? motion.method->name : "the fields", {});
    about.doubts = strainDoubts(outcome);
    about.pictures = heartPictures(outcome, grid, imagesByFrame(motion, fieldOptions_, reading));
    const ReportContent content = strainReportContent(outcome, about);
    write(reportName, strainReportPage(content));
    std::vector<std::string> files = filesOfRun();
    const MadeApart pdf = strainPdfApart(content);
    if (!pdf.bytes.empty())
        write(pdfName, pdf.bytes);
    if (!pdf.failure.empty())
        std::erase(files, pdfName);
    folder.finish(recordOf(record(motion, labels, outcome, about), work.threads()));
    const FieldReading& fields = motion.given->reading();
    fmt::print("fields: {} ({})\n", fields.convention->name, fields.basis);
    if (!fields.warning.empty())
        printNote(fields.warning);
    for (const std::string& note : fields.notes)
        printNote(note);
    print(outcome, *task.options.definition, about);
    if (!pdf.failure.empty())
        fmt::print("note: {} isn't made: {}; everything else is whole\n", pdfName, pdf.failure);
    fmt::print("wrote {} and {} to {}\n", fmt::join(files, ", "), strainFolderKind.recordName,
               output_);
    printReplaced(folder);
    return 0;
}

} // namespace

std::unique_ptr<Command> makeStrainCommand() { return std::make_unique<StrainCommand>(); }

} // namespace systole
