#include "app/commands/landmarks_detect.h"

#include "app/commands/interrupt.h"
#include "app/commands/record_parts.h"
#include "app/commands/register_images.h"
#include "app/error.h"
#include "app/estimation/backend.h"
#include "compute/core/elapsed.h"
#include "compute/core/error.h"
#include "compute/core/machine.h"
#include "io/landmarks/landmark_file.h"
#include "io/writer.h"

#include <CLI/App.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <optional>

namespace systole {
namespace {

using Json = nlohmann::ordered_json;

LandmarkSet pointsOf(const std::vector<Corner>& corners, const Geometry& geometry, int frame) {
    LandmarkSet set;
    set.frame = frame;
    for (const Corner& corner : corners) {
        const Voxel v = corner.voxel;
        set.points.push_back({fmt::format("C{}", set.points.size() + 1),
                              geometry.indexToPhysical({double(v.x), double(v.y), double(v.z)})});
    }
    return set;
}

/// On the CPU if the device's memory is too short and the choice may change.
std::vector<Corner> cornersBy(BackendChoice& backend, const Volume& image,
                              VolumeView<const float> mask, const CornerSettings& settings,
                              const ExecContext& ctx) {
    const Vec3 spacing = image.geometry.spacing();
    if (const std::shared_ptr<CudaContext> device = openDevice(backend)) {
        ExecContext onDevice = ctx;
        onDevice.backend = Backend::Cuda;
        onDevice.cuda = device.get();
        try {
            return findCorners(image.view(), spacing, mask, settings, onDevice);
        } catch (const OutOfMemory& error) {
            if (!backend.mayChange)
                throw;
            backend = {Backend::Cpu, fmt::format("auto: {}", error.what())};
        }
    }
    return findCorners(image.view(), spacing, mask, settings, ctx);
}

} // namespace

void LandmarksDetectCommand::addOptions(CLI::App& app) {
    app.add_option("IMAGE", image_, "A 3D or 4D file, or a DICOM folder")->required();
    app.add_option("-o,--output", output_,
                   "Points to write, strongest first, LPS mm: .csv, .mrk.json, .fcsv or .txt "
                   "(elastix)")
        ->required();
    overwrite_.addTo(app);
    app.add_option("--frame", frame_, "Frame of a 4D file, from 0")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_option("--number", settings_.number, "At most so many points, the strongest")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    app.add_option("--spacing", settings_.spacing, "Least distance between two points, mm")
        ->check(CLI::Range(0.0, 1000.0))
        ->capture_default_str();
    app.add_option("--mask", mask_, "Only points where this image on the same grid exceeds 0");
    app.add_option("--smoothing", settings_.gradientSigma,
                   "Standard deviation of a Gaussian before the gradient, mm; 0: none")
        ->check(CLI::Range(0.0, 100.0))
        ->capture_default_str();
    app.add_option("--neighborhood", settings_.tensorSigma,
                   "Standard deviation of the Gaussian around a point in which the image must "
                   "change in every direction, mm; 0: the smallest voxel spacing")
        ->check(CLI::Range(0.0, 100.0))
        ->capture_default_str();
    app.add_option("--least", settings_.leastResponse,
                   "Fraction of the strongest point's response below which there are no points")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
    app.add_option("--json", json_, "Also write a record of the run to this file");
    app.add_option("--backend", backend_,
                   "Where corners are looked for; auto uses CUDA if available, else the CPU, and "
                   "reports its choice")
        ->check(CLI::IsMember(backendNames()))
        ->capture_default_str();
    app.add_option("--threads", threads_, "Number of threads; 0: all hardware threads")
        ->check(CLI::Range(0, 1024))
        ->capture_default_str();
}

int LandmarksDetectCommand::run() {
    CancelToken cancel;
    const InterruptWatch watch([cancel]() mutable { cancel.cancel(); }, [] {});
    for (const std::string& path : {output_, json_})
        overwrite_.check(path, {image_, mask_});
    ExecResources resources(threads_, describeMachine().availableBytes / 10 * 9);
    ExecContext ctx = resources.context();
    ctx.cancel = cancel;

    FrameOfFile named = parseFrameOfFile(image_);
    if (!named.frame)
        named.frame = frame_;
    const RegisterImage image = readImage(named, "landmarks detect", ctx);
    std::optional<Volume> mask;
    if (!mask_.empty())
        mask = readMask(mask_, image, ctx);
    const Geometry& geometry = image.volume.geometry;
    const auto begin = std::chrono::steady_clock::now();
    BackendChoice backend =
        chooseBackend(backend_, "landmarks detect", {Backend::Cpu, Backend::Cuda});
    const std::vector<Corner> corners =
        cornersBy(backend, image.volume,
                  mask ? std::as_const(*mask).view() : VolumeView<const float>{}, settings_, ctx);
    const double seconds = secondsSince(begin);
    if (corners.empty())
        throw UsageError(fmt::format("landmarks detect: frame {} of {} has no corners{}",
                                     image.frame, image.sequence.name,
                                     mask ? " inside the mask" : ""));
    for (const std::string& path : {output_, json_})
        overwrite_.check(path, {image_, mask_});
    writeLandmarks(output_, pointsOf(corners, geometry, image.frame));
    if (!json_.empty()) {
        const Json record{{"program", programOf()},
                          {"finished", timeNow()},
                          {"frame_of_reference", "LPS"},
                          {"units", "mm"},
                          {"image", image_},
                          {"frame", image.frame},
                          {"mask", mask_.empty() ? Json() : Json(mask_)},
                          {"output", output_},
                          {"parameters",
                           {{"number", settings_.number},
                            {"spacing_mm", settings_.spacing},
                            {"smoothing_mm", settings_.gradientSigma},
                            {"neighborhood_mm", settings_.tensorSigma},
                            {"least_response", settings_.leastResponse}}},
                          {"backend", systole::name(backend.backend)},
                          {"backend_reason", backend.reason},
                          {"points", corners.size()},
                          {"strongest_response", double{corners.front().response}},
                          {"weakest_response", double{corners.back().response}},
                          {"seconds", seconds},
                          {"machine", machineOf(resources.threads().threads())},
                          {"libraries", librariesOf()}};
        writeTextAtomically(json_,
                            record.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    }
    fmt::print("{} points of frame {} in {:.0f} ms, backend {} ({})\nwrote {}\n", corners.size(),
               image.frame, 1e3 * seconds, systole::name(backend.backend), backend.reason, output_);
    return 0;
}

} // namespace systole
