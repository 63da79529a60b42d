#include "app/commands/denoise.h"

#include "app/commands/interrupt.h"
#include "app/commands/progress.h"
#include "app/error.h"
#include "compute/core/error.h"
#include "compute/core/machine.h"
#include "io/meshes/mesh_file.h"
#include "io/text.h"
#include "io/writer.h"

#include <CLI/App.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

namespace systole {
namespace {

namespace fs = std::filesystem;

std::vector<ParameterSource> parameterSources() {
    std::vector<ParameterSource> sources;
    for (const SurfaceMethod& method : surfaceMethods())
        if (std::ranges::none_of(sources, [&](const ParameterSource& source) {
                return source.table == method.parameters;
            }))
            sources.push_back({method.name, method.parameters});
    return sources;
}

std::vector<std::string> methodNames() {
    std::vector<std::string> names;
    for (const SurfaceMethod& method : surfaceMethods())
        names.push_back(method.name);
    return names;
}

std::string folderOf(const std::string& path) {
    const fs::path folder = fs::path(path).parent_path();
    return folder.empty() ? "." : folder.string();
}

void printOutcome(const DenoiseOutcome& outcome) {
    for (const FrameSurface& f : outcome.frames) {
        const MeshMeasures& m = f.measures;
        fmt::print("{}: {}area {:.4g} cm², {} triangles{}{}\n", f.file,
                   m.closed() ? fmt::format("volume {:.4g} ml, ", m.volumeCubicMillimeters / 1000)
                              : "open, ",
                   m.areaSquareMillimeters / 100, m.triangles,
                   m.components > 1 ? fmt::format(", {} parts", m.components) : "",
                   m.closed() && m.handles() > 0 ? fmt::format(", {} handles", m.handles()) : "");
    }
    const auto touching =
        std::ranges::count_if(outcome.frames, [](const FrameSurface& f) { return f.touchesEdge; });
    if (touching > 0)
        fmt::print("note: the inside reaches the edge of the grid in {} of {} frames; what lies "
                   "beyond is unknown\n",
                   touching, outcome.frames.size());
}

} // namespace

void DenoiseCommand::addOptions(CLI::App& app) {
    app.add_option("FILE", files_,
                   "A label map or an image, 3D or 4D (or a 3D file per frame), or a closed mesh "
                   "(.vtp, .stl, .ply, .obj)")
        ->required();
    app.add_option("-o,--output", output_,
                   "The surface: .vtp, .stl, .ply or .obj, in LPS mm. Several frames are numbered, "
                   "NAME_0000.vtp and so on, and volumes.csv is written beside them")
        ->required();
    labelOption_ = app.add_option("--label", label_,
                                  "The label that is inside; not needed if the map has only one "
                                  "besides 0")
                       ->check(CLI::Range(0, 65535));
    thresholdOption_ = app.add_option("--threshold", threshold_,
                                      "Inside are gray values above this; the border lies between "
                                      "voxels where linear interpolation puts it")
                           ->excludes(labelOption_);
    spacingOption_ = app.add_option("--spacing", spacing_,
                                    "For a mesh: spacing of the grid on which it is sampled, mm")
                         ->check(CLI::Range(1e-3, 1e3))
                         ->capture_default_str();
    app.add_option("--edge", edge_,
                   "Where the inside reaches the grid's edge. closed: a lid on the outer faces of "
                   "the voxels; open: the surface ends there")
        ->check(CLI::IsMember({"closed", "open"}))
        ->capture_default_str();
    method_ = methodNames().front();
    std::string titles;
    for (const SurfaceMethod& method : surfaceMethods())
        titles += fmt::format("{}{}: {}", titles.empty() ? "" : "; ", method.name, method.title);
    app.add_option("--method", method_, titles)
        ->check(CLI::IsMember(methodNames()))
        ->capture_default_str();
    app.add_option("--backend", backend_,
                   "Where the method runs: auto takes a CUDA device if there is one")
        ->check(CLI::IsMember(backendNames()))
        ->capture_default_str();
    addTimeOptions(app);
    app.add_option("--distance", distance_,
                   "Also write the signed distance, mm, negative inside (.nii.gz, .mha, .nrrd)");
    app.add_option("--json", json_, "Also write a record of the run to this file");
    app.add_option("--frame-time", frameTimeMilliseconds_,
                   "Milliseconds per frame, if the file has no times or wrong ones")
        ->check(CLI::PositiveNumber);
    app.add_option("--threads", threads_, "Number of threads; 0: all hardware threads")
        ->check(CLI::Range(0, 1024))
        ->capture_default_str();
    overwrite_.addTo(app);
    parameters_.addTo(app, parameterSources());
}

void DenoiseCommand::addTimeOptions(CLI::App& app) {
    constexpr int mostFrames = 8;
    CLI::Option* const inTime =
        app.add_option("--in-time", inTime_.frames,
                       "Of several frames: so many before and after each take part, carried into "
                       "it by the motion, so that the surface doesn't flicker")
            ->check(CLI::Range(1, mostFrames));
    app.add_option("--in-time-weight", inTime_.weight,
                   "Weight of the next frame; of the one after it its square, and so on")
        ->check(CLI::Range(0.01, 1.0))
        ->needs(inTime)
        ->capture_default_str();
    app.add_option("--in-time-offset", inTime_.offset,
                   "How far off, in voxels, a carried surface may lie: the weight falls by "
                   "exp(-offset²)")
        ->check(CLI::Range(0.01, 100.0))
        ->needs(inTime)
        ->capture_default_str();
    app.add_option("--motion", motion_,
                   "The motion that carries: a folder that systole motion wrote; estimate: by clg, "
                   "from the gray values, or of a label map from its surfaces; none: as they lie")
        ->needs(inTime)
        ->capture_default_str();
    app.add_option("--images", images_, "The gray values, 4D, whose motion is estimated")
        ->needs(inTime);
    app.add_flag("--close-cycle", closedCycle_, "The first frame follows the last one")
        ->needs(inTime);
}

void DenoiseCommand::setTimeOptions(DenoiseJob& job) const {
    if (!images_.empty() && motion_ != "estimate")
        throw UsageError("--images: their motion is only estimated with --motion estimate");
    job.inTime = inTime_;
    job.motion = motion_;
    job.images = images_;
    job.closedCycle = closedCycle_;
}

DenoiseJob DenoiseCommand::makeJob() const {
    DenoiseJob job;
    job.files = files_;
    job.frameTimeMilliseconds = frameTimeMilliseconds_;
    const bool mesh = isMeshFile(files_.front());
    if (mesh && files_.size() > 1)
        throw UsageError("denoise: one mesh at a time");
    if (mesh && (labelOption_->count() > 0 || thresholdOption_->count() > 0))
        throw UsageError("--label and --threshold: a mesh has neither labels nor gray values");
    if (!mesh && spacingOption_->count() > 0)
        throw UsageError("--spacing: only meshes are sampled on a grid of their own");
    job.source.kind = mesh                            ? SurfaceSource::Kind::Mesh
                      : thresholdOption_->count() > 0 ? SurfaceSource::Kind::Threshold
                                                      : SurfaceSource::Kind::Label;
    if (labelOption_->count() > 0)
        job.source.label = label_;
    job.source.threshold = threshold_;
    job.source.meshSpacing = spacing_;
    job.edge = edge_ == "closed" ? SurfaceEdge::Closed : SurfaceEdge::Open;
    for (const SurfaceMethod& method : surfaceMethods())
        if (method.name == method_)
            job.method = &method;
    try {
        job.parameters.emplace(job.method->defaults());
        parameters_.apply(*job.parameters);
    } catch (const ComputeError& error) {
        throw UsageError(error.what());
    }
    job.backend = chooseBackend(backend_, job.method->name, job.method->backends);
    setTimeOptions(job);
    job.output = output_;
    job.distance = distance_;
    job.json = json_;
    if (!isMeshFile(output_))
        throw UsageError(
            fmt::format("{}: surfaces are written as .vtp, .stl, .ply or .obj", output_));
    const std::string name = lowerCase(distance_);
    if (!name.empty() &&
        std::ranges::none_of(std::array{".nii.gz", ".nii", ".mha", ".nrrd"},
                             [&](const char* extension) { return name.ends_with(extension); }))
        throw UsageError(
            fmt::format("{}: distances are written as .nii.gz, .mha or .nrrd", distance_));
    return job;
}

int DenoiseCommand::run() {
    CancelToken cancel;
    const auto removePartial = [this] {
        for (const std::string& path : {output_, distance_, json_})
            if (!path.empty())
                removePartialFiles(folderOf(path), [](std::string_view) { return true; });
    };
    const InterruptWatch watch([cancel]() mutable { cancel.cancel(); }, removePartial);
    DenoiseJob job = makeJob();
    ExecResources resources(threads_, describeMachine().availableBytes / 10 * 9);
    ExecContext ctx = resources.context();
    ctx.cancel = cancel;
    const std::unique_ptr<DistanceSource> source = openDistanceSource(job, ctx);
    if (job.inTime.frames > 0 && source->frames() < 2)
        throw UsageError("--in-time: the file has only one frame");
    const std::vector<std::string> outputs = outputsOf(job, source->frames());
    if (std::set<std::string>(outputs.begin(), outputs.end()).size() != outputs.size())
        throw UsageError("denoise: two of the outputs have the same name");
    const auto check = [&] {
        for (const std::string& path : outputs)
            overwrite_.check(path, files_);
    };
    check();
    job.device = openDevice(job.backend);
    DenoiseOutcome outcome;
    {
        ProgressBar bar;
        ctx.progress = [&bar](const std::string& phase, double fraction) {
            bar.update(phase, fraction);
        };
        outcome = runDenoise(job, *source, ctx);
        if (!json_.empty())
            writeTextAtomically(
                json_,
                denoiseRecord(job, *source, outcome, resources.threads().threads())
                        .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
                    "\n");
    }
    printOutcome(outcome);
    if (job.method->run)
        fmt::print("denoised by {} ({})\n", systole::name(outcome.backend.backend),
                   outcome.backend.reason);
    return 0;
}

} // namespace systole
