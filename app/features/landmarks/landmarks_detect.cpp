// systole landmarks detect: strong corners of an image as points.
#include "app/base/error.h"
#include "app/cli/command_work.h"
#include "app/cli/image_arguments.h"
#include "app/cli/record_parts.h"
#include "app/cli/task_options.h"
#include "app/features/landmarks/landmark_parameters.h"
#include "app/features/landmarks/landmark_run.h"
#include "app/features/landmarks/landmarks_command.h"
#include "io/landmarks/landmark_file.h"

#include <CLI/App.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string>

namespace systole {
namespace {

class LandmarksDetectCommand : public Command {
public:
    LandmarksDetectCommand() : Command("detect", "Points of an image that can be found again") {}
    void addOptions(CLI::App& app) override;
    int run() override;

private:
    std::string image_, output_, mask_;
    int frame_ = 0;
    TaskOptions options_{detectionTask()};
};

void LandmarksDetectCommand::addOptions(CLI::App& app) {
    app.add_option("IMAGE", image_, "A 3D or 4D file, or a DICOM folder")->required();
    app.add_option("-o,--output", output_,
                   "Points to write, strongest first, LPS mm: .csv, .mrk.json, .fcsv or .txt "
                   "(elastix)")
        ->required();
    app.add_option("--frame", frame_, "Frame of a 4D file, from 0")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_option("--mask", mask_, "Only points where this image on the same grid exceeds 0");
    options_.addTo(app);
}

int LandmarksDetectCommand::run() {
    CommandWork work(options_.threads);
    const auto check = [this] {
        options_.overwrite.checkAll({output_, options_.json}, {image_, mask_});
    };
    check();
    const ParamSet& parameters = options_.values();
    const ExecContext ctx = work.context();
    FrameOfFile named = parseFrameOfFile(image_);
    if (!named.frame)
        named.frame = frame_;
    RegisterImage image = readImage(named, "landmarks detect", ctx);
    LandmarkTask task;
    task.detect = cornerSettings(parameters);
    if (!mask_.empty())
        task.mask = std::make_shared<const Volume>(readMask(mask_, image, ctx));
    task.image = std::make_shared<const Volume>(std::move(image.volume));

    DevicePolicy device(options_.backend());
    const LandmarkOutcome found = device.run(ctx, [&](const ExecContext& where) {
        LandmarkOutcome made;
        LandmarkWork().run(task, made, where);
        return made;
    });
    const std::vector<Corner>& corners = found.corners;
    if (corners.empty())
        throw UsageError(fmt::format("landmarks detect: frame {} of {} has no corners{}",
                                     image.frame, image.sequence.name,
                                     task.mask ? " inside the mask" : ""));
    check();
    options_.overwrite.write(output_, [&](const std::string& path) {
        writeLandmarks(path, landmarksOf(corners, task.image->geometry, image.frame));
    });
    const BackendChoice& backend = device.choice();
    writeRecord(options_.overwrite, options_.json,
                {{"image", image_},
                 {"frame", image.frame},
                 {"mask", nullIfEmpty(mask_)},
                 {"output", output_},
                 {"parameters", parametersWithUnits(parameters)},
                 {"backend", systole::name(backend.backend)},
                 {"backend_reason", backend.reason},
                 {"points", corners.size()},
                 {"strongest_response", double{corners.front().response}},
                 {"weakest_response", double{corners.back().response}},
                 {"seconds", found.seconds}},
                work.threads());
    fmt::print("{} points of frame {} in {:.0f} ms, backend {} ({})\nwrote {}\n", corners.size(),
               image.frame, 1e3 * found.seconds, systole::name(backend.backend), backend.reason,
               output_);
    return 0;
}

} // namespace

std::unique_ptr<Command> makeLandmarksDetectCommand() {
    return std::make_unique<LandmarksDetectCommand>();
}

} // namespace systole
