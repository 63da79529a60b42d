// systole register: the transform between two images, and what it does to them.
#include "app/base/error.h"
#include "app/cli/command.h"
#include "app/cli/command_work.h"
#include "app/cli/method_options.h"
#include "app/cli/note_text.h"
#include "app/cli/option_forms.h"
#include "app/cli/overwrite.h"
#include "app/cli/text_parts.h"
#include "app/estimation/registration_methods.h"
#include "app/features/registration/register_job.h"
#include "app/features/registration/register_wall.h"
#include "app/tuning/autotune_file.h"
#include "io/source.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

/// A deformable method that was made for two images, if there is one.
std::string defaultMethod() {
    const auto& methods = registrationMethods();
    const auto found = std::ranges::find_if(methods, startsWithAffine);
    return found != methods.end() ? found->name : affineMethod().name;
}

MatrixFormat matrixFormatOf(const std::string& name) {
    return name == "niftyreg" ? MatrixFormat::NiftyReg
           : name == "fsl"    ? MatrixFormat::Fsl
                              : MatrixFormat::Lps;
}

FrameOfFile frameOf(const std::string& text, int frame, const char* option) {
    FrameOfFile named = parseFrameOfFile(text);
    if (frame >= 0 && named.frame)
        throw UsageError(fmt::format("{}: {} names a frame already", option, text));
    if (frame >= 0)
        named.frame = frame;
    return named;
}

/// "1.0312 to 1.1925", or a dash where nothing could be compared.
std::string changeText(double before, double after) {
    return std::isnan(before) ? fmt::format("– to {:.4f}", after)
                              : fmt::format("{:.4f} to {:.4f}", before, after);
}

void printOutcome(const RegisterOutcome& outcome) {
    const SimilarityFigures& before = outcome.stages.front().similarity;
    const SimilarityFigures& after = outcome.stages.back().similarity;
    fmt::print("similarity: NMI {}, NCC {}, SSIM {}\n",
               changeText(before.mutualInformation, after.mutualInformation),
               changeText(before.correlation, after.correlation),
               changeText(before.structural, after.structural));
    fmt::print("Jacobian determinant {:.3g} to {:.3g}; {:.2g} % of the voxels fold\n",
               outcome.jacobian.smallest, outcome.jacobian.largest,
               100 * static_cast<double>(outcome.jacobian.folded) /
                   static_cast<double>(outcome.fixed.volume.geometry.voxels()));
    fmt::print("mean determinant {:.5g}; its logarithm {:.2g} on average, spread {:.2g}\n",
               outcome.volumeChange.mean, outcome.volumeChange.meanLogarithm,
               outcome.volumeChange.spreadLogarithm);
    for (const LabelOverlap& overlap : outcome.labels)
        fmt::print(
            "label {}: Dice {:.3f}, {}\n", overlap.label, overlap.dice,
            std::isnan(overlap.surfaceMillimeters)
                ? "in one of the maps alone"
                : fmt::format("mean surface distance {:.2f} mm", overlap.surfaceMillimeters));
    if (outcome.wall) {
        const elasticity::ElasticWallReport& wall = outcome.wall->report;
        fmt::print("elastic wall, label {}: {} unknowns, {} iterations, {:.2f} s; the motion in it "
                   "changed by {:.2g} mm on average, {:.2g} mm at most\n",
                   outcome.wall->label, wall.unknowns, wall.iterations,
                   wall.assemblySeconds + wall.setUpSeconds + wall.solveSeconds, wall.meanChange,
                   wall.largestChange);
    }
    if (outcome.inverse)
        fmt::print("inverse: remaining error {:.2g} mm on average, {:.2g} mm at most\n",
                   outcome.inverse->meanError, outcome.inverse->largestError);
    if (outcome.consistency)
        fmt::print("there and back: error {:.2g} mm on average, {:.2g} mm at most\n",
                   outcome.consistency->meanError, outcome.consistency->largestError);
}

class RegisterCommand : public Command {
public:
    RegisterCommand()
        : Command("register",
                  "Register two images, affinely or deformably, and apply the transform") {}
    void addOptions(CLI::App& app) override;
    void prepareHelp(CLI::App& app) override { options_.prepareHelp(app); }
    int run() override;

private:
    void addInputs(CLI::App& app);
    void addTransforms(CLI::App& app);
    void addWall(CLI::App& app);
    void addOutputs(CLI::App& app);
    RegisterJob makeJob() const;
    ParamSet affineParameters() const;
    void setPlan(RegisterJob& job) const;
    bool affineFirst(const MotionMethod& method) const;
    void setDevice(RegisterJob& job, std::string& tuningProblem) const;

    RegisterJob job_; ///< job with the options that need no conversion
    std::string fixed_, moving_, folder_;
    int fixedFrame_ = -1, movingFrame_ = -1; ///< -1: not given
    MethodOptions options_;
    std::string initialFormat_ = "lps";
    std::vector<std::string> affineSettings_; ///< NAME=VALUE
    bool affine_ = false, noAffine_ = false;
    std::string interpolation_ = "linear", labelInterpolation_ = "majority", format_ = "itk";
    OverwriteOption overwrite_;
};

void RegisterCommand::addInputs(CLI::App& app) {
    const OptionGroup group(app, "Frames, masks and labels");
    app.add_option("--fixed-frame", fixedFrame_, "Frame of FIXED, from 0; the same as FIXED@FRAME")
        ->check(CLI::NonNegativeNumber);
    app.add_option("--moving-frame", movingFrame_, "Frame of MOVING, from 0")
        ->check(CLI::NonNegativeNumber);
    app.add_option("--fixed-mask", job_.fixedMask,
                   "3D file on the grid of FIXED: every method compares the images only where it "
                   "is greater than 0");
    app.add_option("--moving-mask", job_.movingMask, "The same for MOVING");
    app.add_flag("--lungs", job_.lungs,
                 "CT of the chest: masks that are not given are the lungs, as found in the images");
    app.add_flag("--sliding", job_.sliding,
                 "The masks contain an organ that slides along its surroundings: register inside "
                 "and outside separately and combine both motions. Takes twice as long; no "
                 "control points are written");
    app.add_option("--fixed-labels", job_.fixedLabels,
                   "Label map on the grid of FIXED; with --moving-labels, Dice and mean surface "
                   "distance of each label are reported");
    app.add_option("--moving-labels", job_.movingLabels,
                   "Label map on the grid of MOVING; written warped as warped_labels.nii.gz");
}

void RegisterCommand::addTransforms(CLI::App& app) {
    const OptionGroup group(app, "Transforms to start from, to apply and to write");
    app.add_option("--initial", job_.initial,
                   "Start from this transform, fixed to moving. An ITK transform file (.tfm, "
                   ".txt, .mat, .h5), elastix' parameters, a 4×4 matrix in text "
                   "(--initial-format), a displacement field whose header says what its "
                   "numbers are, or control points of a spline; told apart by content. No affine "
                   "registration "
                   "follows an initial transform unless --affine is given");
    addChoice(app, "--initial-format", initialFormat_, {"lps", "niftyreg", "fsl"},
              "Frame of a 4×4 matrix of --initial or --transform. lps: LPS mm, fixed to moving, as "
              "affine.txt; niftyreg: RAS mm, as reg_aladin writes it; fsl: as flirt -in MOVING "
              "-ref FIXED -omat writes it");
    CLI::Option* transform = app.add_option(
        "--transform", job_.transform,
        "Do not register, but apply this transform (any file that --initial reads) to MOVING, "
        "--warp and --warp-labels, on the grid of FIXED");
    transform->excludes("--initial");
    CLI::Option* fixedPoints =
        app.add_option("--fixed-points", job_.fixedPoints,
                       "Start from a thin-plate spline through these points of FIXED and "
                       "--moving-points, line by line; outliers are rejected, and no affine "
                       "registration follows. Any file that `landmarks tre` reads")
            ->excludes("--initial")
            ->excludes(transform);
    CLI::Option* movingPoints =
        app.add_option("--moving-points", job_.movingPoints, "Where these points are in MOVING")
            ->needs(fixedPoints);
    fixedPoints->needs(movingPoints);
    addRepeatable(app, "--warp", job_.furtherImages,
                  "Another image in the same space as MOVING, to be warped, too: written as "
                  "NAME_warped.nii.gz; repeatable");
    addRepeatable(app, "--warp-labels", job_.furtherLabels,
                  "The same for a further label map; repeatable");
    app.add_flag("--inverse", job_.inverse,
                 "Also write inverse_displacement, from MOVING to FIXED on the grid of MOVING, by "
                 "fixed-point iteration; its remaining error is reported");
    app.add_flag("--inverse-consistency", job_.consistency,
                 "Also register MOVING to FIXED, and report how far points end up from where they "
                 "started, after going there and back; takes twice as long")
        ->excludes("--initial")
        ->excludes("--fixed-points")
        ->excludes("--transform");
    CLI::Option* affine =
        app.add_flag("--affine", affine_,
                     "Run the affine registration first. The default for --method ffd without "
                     "--initial; other methods start from the images' positions");
    app.add_flag("--no-affine", noAffine_, "Run no affine registration first")->excludes(affine);
    addRepeatable(app, "--affine-set", affineSettings_,
                  "NAME=VALUE: a parameter of the affine registration that comes first, such as "
                  "levels=3 ('systole methods affine' lists them); repeatable");
}

void RegisterCommand::addWall(CLI::App& app) {
    const OptionGroup group(app, "An elastic wall");
    CLI::Option* wall = app.add_option(
        "--elastic-wall", job_.wall.labels,
        "Label map on the grid of FIXED: inside one of its labels, a wall, the motion is replaced "
        "by that of an elastic body which follows the motion of the wall's surface. For images "
        "that show nothing between the borders of a wall");
    app.add_option("--elastic-label", job_.wall.label,
                   "The label of the wall. Not needed for labels of the phantom, of ACDC, and for "
                   "a map of one label")
        ->needs(wall)
        ->check(inRange(1, 65535));
    addNumber(
        app, "--elastic-length", job_.wall.options.surfaceLength, 0, 1000,
        "How far the wall may smooth the motion of its surface, mm: the length of the springs "
        "between the two; 0: the surface moves as it was found")
        ->needs(wall);
    addNumber(app, "--poisson", job_.wall.options.material.poissonRatio, 0, 0.499,
              "Poisson's ratio of the wall; near 0.5 its volume hardly changes")
        ->needs(wall);
}

void RegisterCommand::addOutputs(CLI::App& app) {
    const OptionGroup group(app, "Files of the results");
    addChoice(app, "--interpolation", interpolation_, {"linear", "cubic"},
              "Interpolation of warped images");
    addChoice(app, "--label-interpolation", labelInterpolation_, {"nearest", "majority"},
              "Interpolation of warped label maps; majority: the label with the largest weight "
              "among the eight voxels around");
    app.add_option("--outside", job_.outside,
                   "Gray value of warped voxels that lie outside the image [default: the image's "
                   "smallest value]");
    addChoice(app, "--format", format_, {"itk", "niftyreg"},
              "Conventions of the files. itk: MetaImage, and control points as displacements in "
              "LPS mm; niftyreg: NIfTI files with NiftyReg's intents in RAS mm, and "
              "affine_niftyreg.txt");
}

void RegisterCommand::addOptions(CLI::App& app) {
    app.description(fmt::format("{}.\nFor two images, whose grids, places and modalities may "
                                "differ: an affine map first, then a deformable method. For all "
                                "frames of one sequence use 'systole motion'.",
                                summary()));
    app.add_option("FIXED", fixed_,
                   "The reference image: a 3D file, FILE@FRAME of a 4D file, or a DICOM folder")
        ->required();
    app.add_option("MOVING", moving_,
                   "The image to align with FIXED, given in the same way; its grid may differ in "
                   "size, spacing, position and orientation")
        ->required();
    app.add_option("-o,--output", folder_,
                   "Folder for the results, created if necessary. affine.tfm and affine.txt, "
                   "control_points.nii.gz, displacement.mha, warped.nii.gz, and last "
                   "registration.json, whose presence means that the run is complete")
        ->required();
    overwrite_.addTo(app, overwriteRunHelp);
    options_.addTo(app, registrationMethods(), defaultMethod(),
                   "affine: only the affine map. Others are deformable; those that need both "
                   "images on one grid get MOVING resampled to that of FIXED");
    addInputs(app);
    addTransforms(app);
    addWall(app);
    addOutputs(app);
    options_.addParametersTo(app);
}

bool RegisterCommand::affineFirst(const MotionMethod& method) const {
    if (&method == &affineMethod())
        return true;
    if (noAffine_ || affine_)
        return affine_;
    return job_.initial.empty() && job_.fixedPoints.empty() && startsWithAffine(method);
}

/// The parameters of an affine registration that comes before another method.
ParamSet RegisterCommand::affineParameters() const {
    ParamSet parameters(affineParameterTable(), "default");
    for (const std::string& setting : affineSettings_)
        assignParameter(parameters, setting, "--affine-set");
    return parameters;
}

void RegisterCommand::setPlan(RegisterJob& job) const {
    const MotionMethod& method = options_.method();
    const bool affineAlone = &method == &affineMethod();
    if (affineAlone && !affineSettings_.empty())
        throw UsageError("--affine-set: with --method affine its parameters are options of their "
                         "own, such as --levels");
    const ParamSet parameters = options_.values();
    if (affineFirst(method)) {
        job.affineParameters = affineAlone ? parameters : affineParameters();
        job.plan.affine = AffineParameters::from(*job.affineParameters);
        job.affineBackend = options_.backendOf(affineMethod());
        job.plan.affineBackend = job.affineBackend.backend;
    }
    if (affineAlone)
        return;
    job.plan.method = &method;
    job.plan.parameters = parameters;
    job.plan.keepIterations = true;
    job.methodBackend = options_.backendOf(method);
    job.plan.methodBackend = job.methodBackend.backend;
}

RegisterJob RegisterCommand::makeJob() const {
    RegisterJob job = job_;
    job.fixed = frameOf(fixed_, fixedFrame_, "--fixed-frame");
    job.moving = frameOf(moving_, movingFrame_, "--moving-frame");
    if (job.fixedLabels.empty() != job.movingLabels.empty())
        throw UsageError("--fixed-labels and --moving-labels are compared with each other: name "
                         "both; a label map to warp alone is named by --warp-labels");
    if (job.sliding && !job.lungs && (job.fixedMask.empty() || job.movingMask.empty()))
        throw UsageError("--sliding needs --fixed-mask and --moving-mask, or --lungs");
    job.matrixFormat = matrixFormatOf(initialFormat_);
    job.method = options_.method().name;
    job.preset = options_.preset;
    if (job.transform.empty())
        setPlan(job);
    job.interpolation = interpolation_ == "cubic" ? Interpolation::Cubic : Interpolation::Linear;
    job.labelInterpolation =
        labelInterpolation_ == "nearest" ? Interpolation::Nearest : Interpolation::Majority;
    job.asNiftyReg = format_ == "niftyreg";
    return job;
}

/// Opens one device for the parts that use it.
void RegisterCommand::setDevice(RegisterJob& job, std::string& tuningProblem) const {
    const BackendChoice& first = job.plan.affineBackend == Backend::Cuda && job.plan.affine
                                     ? job.affineBackend
                                     : job.methodBackend;
    job.device = std::make_shared<DevicePolicy>(first);
    const std::shared_ptr<CudaContext> device = job.device->open();
    if (!device)
        for (BackendChoice* choice : {&job.affineBackend, &job.methodBackend})
            if (choice->backend == Backend::Cuda)
                *choice = job.device->choice();
    job.plan.affineBackend = job.affineBackend.backend;
    job.plan.methodBackend = job.methodBackend.backend;
    if (device)
        job.deviceName = device->device().name;
    if (device && !options_.noAutotune)
        job.blockSizes = usableBlockSizes(readAutotuneFile(autotuneFile(), tuningProblem),
                                          tunedDevice(device->device()),
                                          openSequence({job.fixed.path}).geometry.voxels());
}

int RegisterCommand::run() {
    CommandWork work(options_.threads);
    RegisterJob job = makeJob();
    std::string tuningProblem;
    setDevice(job, tuningProblem);
    RunFolder folder(folder_, registerFolderKind(), registerFiles(job), overwrite_.given());
    const RegisterOutcome outcome = work.run([&](const ExecContext& ctx) {
        RegisterOutcome made = runRegister(job, ctx, folder);
        ctx.throwIfCancelled();
        folder.finish(registerRecord(job, made, work.threads()));
        return made;
    });
    if (!tuningProblem.empty())
        fmt::print("note: {}; kernels run with their default block sizes\n", tuningProblem);
    if (job.plan.affine)
        fmt::print("affine registration, backend {} ({})\n",
                   systole::name(job.affineBackend.backend), job.affineBackend.reason);
    if (job.plan.method)
        fmt::print("method {}, preset {}, backend {} ({})\n", job.plan.method->name, job.preset,
                   systole::name(job.methodBackend.backend), job.methodBackend.reason);
    for (const std::string& note : outcome.notes)
        printNote(note);
    if (!outcome.start.empty())
        fmt::print("{}: read as {}\n",
                   !job.fixedPoints.empty() ? job.fixedPoints
                   : job.transform.empty()  ? job.initial
                                            : job.transform,
                   outcome.start);
    printOutcome(outcome);
    fmt::print("wrote {} and the results that it lists to {} in {:.1f} s\n",
               registerFolderKind().recordName, folder_, outcome.seconds);
    printReplaced(folder);
    for (const std::string& doubt : outcome.doubts)
        fmt::print(stderr, "systole: warning: {}\n", doubt);
    return 0;
}

} // namespace

std::unique_ptr<Command> makeRegisterCommand() { return std::make_unique<RegisterCommand>(); }

} // namespace systole
