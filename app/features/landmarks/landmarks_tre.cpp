// systole landmarks tre: the target registration error of a motion at pairs of points, or of the
// cases of a folder.
#include "app/base/error.h"
#include "app/cli/command_work.h"
#include "app/cli/method_options.h"
#include "app/cli/option_forms.h"
#include "app/cli/overwrite.h"
#include "app/estimation/registration_methods.h"
#include "app/features/landmarks/landmark_coordinates.h"
#include "app/features/landmarks/landmarks_command.h"
#include "app/features/landmarks/point_motion.h"
#include "app/features/landmarks/tre_cases.h"
#include "app/features/landmarks/tre_report.h"
#include "io/base/text.h"
#include "io/dirlab/cases.h"

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace systole {
namespace {

std::optional<int> ifGiven(int frame) { return frame >= 0 ? std::optional(frame) : std::nullopt; }

/// The grid that voxel indices in a file of points refer to: that of --grid, or of a field that has
/// as many voxels as the file's case, or that a file which names no case is measured against.
std::optional<Geometry> gridOfIndices(const std::string& path, const std::optional<Geometry>& given,
                                      const std::optional<Geometry>& field) {
    const std::optional<DirLabName> named = dirLabNameOf(path);
    if (given || !field)
        return given;
    return !named || named->of.size == field->size() ? field : std::nullopt;
}

class LandmarksTreCommand : public Command {
public:
    LandmarksTreCommand()
        : Command("tre",
                  "Target registration error at pairs of points, before and after a motion") {}
    void addOptions(CLI::App& app) override;
    /// Shows only the parameters of --method.
    void prepareHelp(CLI::App& app) override;
    int run() override;

private:
    bool isFolder() const; ///< a table over the cases of a folder is asked for
    void checkArguments() const;
    int runPair(const ExecContext& ctx) const;
    int runFolder(const ExecContext& ctx) const;

    std::string motion_, fixed_, moving_, grid_, movingGrid_, fields_, output_;
    std::vector<std::string> cases_;
    bool everywhere_ = false;
    int fixedFrame_ = -1, movingFrame_ = -1; ///< -1: not given
    MethodOptions options_;
    CLI::Option* method_ = nullptr; ///< owned by the parser
    CoordinatesOption coordinates_;
    OverwriteOption overwrite_;
};

void LandmarksTreCommand::addOptions(CLI::App& app) {
    app.add_option("MOTION", motion_,
                   "From the fixed to the moving frame: a displacement field, any transform that "
                   "'systole register --transform' reads, or tracks. Or a folder of cases named as "
                   "DIR-Lab's (caseN_300_T00_xyz.txt and T50, copdN_300_iBH_xyz_r1.txt and eBH): "
                   "the table of all of them. Without it, the errors before any motion");
    app.add_option("--fixed", fixed_,
                   "Points of the fixed frame: DIR-Lab's voxel indices (.txt), Slicer's .mrk.json "
                   "or .fcsv, elastix points (.txt), or CSV");
    app.add_option("--moving", moving_,
                   "The same points in the moving frame, where an expert has found them; paired by "
                   "their names if both files name them, else in their order");
    app.add_option("--grid", grid_,
                   "Image whose voxels the indices in point files count, and to whose voxels "
                   "moved points are snapped [default: DIR-Lab's published grid, by name]");
    app.add_option("--moving-grid", movingGrid_,
                   "The same for --moving, where the moving image has another grid");
    coordinates_.addTo(app);
    app.add_option("--fixed-frame", fixedFrame_,
                   "Frame of tracks in which --fixed lies [default: their reference]")
        ->check(CLI::NonNegativeNumber);
    app.add_option("--moving-frame", movingFrame_, "Frame of tracks in which --moving lies")
        ->check(CLI::NonNegativeNumber);
    addRepeatable(app, "--case", cases_,
                  "For a folder: only this case, such as case1 or copd3; repeatable");
    CLI::Option* const fields =
        app.add_option("--fields", fields_,
                       "For a folder of cases: folder with the motion of each, caseN.mha "
                       "(.nii.gz, .nrrd, .tfm) or caseN/displacement.mha as 'systole register -o' "
                       "writes it");
    app.add_option("-o,--output", output_,
                   "Also write the table: .csv, or .json with the error of every point");
    overwrite_.addTo(app);
    options_.addTo(app, registrationMethods(), affineMethod().name,
                   "For a folder of cases: register the images of each case (caseN_T00*.img and "
                   "T50, or with a header) as 'systole register' does");
    method_ = app.get_option("--method")->excludes(fields);
    app.add_flag("--everywhere", everywhere_,
                 "With --method: compare all of the images. Otherwise only the lungs are compared, "
                 "in masks beside the images (caseN_T00_mask.nii.gz and T50, copdN_iBH_mask and "
                 "eBH; any format), or else as the program finds them in the images")
        ->needs(method_);
    options_.addParametersTo(app);
}

void LandmarksTreCommand::prepareHelp(CLI::App& app) { options_.prepareHelp(app); }

bool LandmarksTreCommand::isFolder() const {
    std::error_code ignored;
    return std::filesystem::is_directory(motion_, ignored);
}

void LandmarksTreCommand::checkArguments() const {
    if (!output_.empty())
        requireTableName(output_);
    overwrite_.checkAll({output_}, {motion_, fixed_, moving_});
    if (isFolder()) {
        for (const auto& [given, option] :
             {std::pair(!fixed_.empty(), "--fixed"), std::pair(!moving_.empty(), "--moving"),
              std::pair(!grid_.empty(), "--grid"), std::pair(!movingGrid_.empty(), "--moving-grid"),
              std::pair(fixedFrame_ >= 0, "--fixed-frame"),
              std::pair(movingFrame_ >= 0, "--moving-frame")})
            if (given)
                throw UsageError(fmt::format("{}: the files of a folder of cases are found by "
                                             "their names",
                                             option));
        return;
    }
    if (!motion_.empty() && !std::filesystem::exists(motion_))
        throw fileError(motion_, noSuchPath);
    if (fixed_.empty() || moving_.empty())
        throw UsageError("landmarks tre: name the points by --fixed and --moving, or a folder of "
                         "cases");
    for (const auto& [given, option] :
         {std::pair(!fields_.empty(), "--fields"), std::pair(!cases_.empty(), "--case"),
          std::pair(method_->count() > 0, "--method")})
        if (given)
            throw UsageError(fmt::format("{}: for a folder of cases only", option));
}

int LandmarksTreCommand::runPair(const ExecContext& ctx) const {
    const std::optional<Geometry> grid = gridOf(grid_);
    const std::optional<Geometry> movingGrid = movingGrid_.empty() ? grid : gridOf(movingGrid_);
    std::optional<PointMotion> motion;
    if (!motion_.empty())
        motion = readPointMotion(motion_, {ifGiven(fixedFrame_), ifGiven(movingFrame_)},
                                 grid ? &*grid : nullptr, ctx);
    const std::optional<Geometry> field = motion ? motion->grid : std::nullopt;
    const LandmarkCoordinates coordinates = coordinates_.value();
    PairedPoints points =
        readPairs(std::filesystem::path(fixed_).filename().string(),
                  {fixed_, {gridOfIndices(fixed_, grid, field), coordinates}},
                  {moving_, {gridOfIndices(moving_, movingGrid, field), coordinates}});
    CaseErrors& errors = points.errors;
    errors.notes = points.notes;
    const std::optional<DirLabName> named = dirLabNameOf(fixed_);
    if (named && field && !grid && named->of.size != field->size())
        errors.notes.push_back(fmt::format(
            "the points are taken as voxels of DIR-Lab's published grid, {}×{}×{}, by the file's "
            "name, but the field has {}×{}×{}; --grid names the image that they are of",
            named->of.size.x, named->of.size.y, named->of.size.z, field->size().x, field->size().y,
            field->size().z));
    if (motion) {
        errors.motion = fmt::format("{} ({})", motion_, motion->description);
        errors.notes.insert(errors.notes.end(), motion->notes.begin(), motion->notes.end());
        const std::optional<Geometry>& voxels = movingGrid ? movingGrid : points.movingGrid;
        points.move(motion->move, voxels);
        if (!voxels)
            errors.notes.push_back("no grid is known to whose voxels moved points are snapped; "
                                   "--grid names one");
    }
    printCase(errors);
    writeErrors(overwrite_, output_, {errors});
    return 0;
}

int LandmarksTreCommand::runFolder(const ExecContext& ctx) const {
    const auto [found, skipped] = findCases(motion_, cases_, method_->count() > 0);
    std::optional<CaseRegistration> registration;
    if (method_->count() > 0)
        registration.emplace(options_, everywhere_);
    std::vector<CaseErrors> cases;
    {
        ProgressBar bar;
        for (const CaseFiles& files : found) {
            const double done = static_cast<double>(cases.size());
            ExecContext ofCase = ctx;
            ofCase.progress = [&](const std::string& phase, double fraction) {
                bar.update(fmt::format("{}: {}", files.of.name(), phase),
                           (done + fraction) / static_cast<double>(found.size()));
            };
            ofCase.throwIfCancelled();
            cases.push_back(registration      ? registration->run(files, ofCase)
                            : fields_.empty() ? initialCaseErrors(files)
                                              : caseErrorsWithField(files, fields_, ofCase));
        }
    }
    if (registration)
        fmt::print("{}\n", registration->description());
    printCases(cases);
    for (const std::string& sentence : skipped)
        fmt::print("skipped: {}\n", sentence);
    overwrite_.checkAll({output_}, {motion_});
    writeErrors(overwrite_, output_, cases, skipped);
    return 0;
}

int LandmarksTreCommand::run() {
    CommandWork work(options_.threads);
    checkArguments();
    const ExecContext ctx = work.context();
    return isFolder() ? runFolder(ctx) : runPair(ctx);
}

} // namespace

std::unique_ptr<Command> makeLandmarksTreCommand() {
    return std::make_unique<LandmarksTreCommand>();
}

} // namespace systole
