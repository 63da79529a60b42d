// systole denoise: a surface from a label map, a threshold or a mesh, denoised and measured.
#include "app/base/error.h"
#include "app/cli/command.h"
#include "app/cli/command_work.h"
#include "app/cli/common_options.h"
#include "app/cli/note_text.h"
#include "app/cli/option_forms.h"
#include "app/cli/overwrite.h"
#include "app/cli/parameter_options.h"
#include "app/cli/record_parts.h"
#include "app/cli/task_options.h"
#include "app/features/surface/denoise_job.h"
#include "compute/core/error.h"
#include "compute/surface/nonlocal_surface.h"
#include "io/base/text.h"
#include "io/meshes/mesh_file.h"

#include <CLI/App.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace systole {
namespace {

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
        printNote(edgeNote(static_cast<std::size_t>(touching), outcome.frames.size()));
}

class DenoiseCommand : public Command {
public:
    DenoiseCommand()
        : Command("denoise",
                  "Make the surface of a label, a threshold or a mesh; denoise and measure it") {}
    void addOptions(CLI::App& app) override;
    int run() override;

private:
    DenoiseJob makeJob() const;
    void addTimeOptions(CLI::App& app);

    DenoiseJob job_; ///< job with the options that need no conversion
    std::string method_, edge_ = "closed", backend_ = "auto";
    int threads_ = 0;
    CLI::Option *thresholdOption_ = nullptr, *spacingOption_ = nullptr; ///< owned by the parser
    ParameterOptions parameters_;
    OverwriteOption overwrite_;
};

void DenoiseCommand::addOptions(CLI::App& app) {
    app.add_option("FILE", job_.files,
                   "A label map or an image, 3D or 4D (or a 3D file per frame), or a closed mesh "
                   "(.vtp, .stl, .ply, .obj, .vtk)")
        ->required();
    app.add_option("-o,--output", job_.output,
                   "The surface: .vtp, .stl, .ply or .obj, in LPS mm. Several frames are numbered, "
                   "NAME_0000.vtp and so on, and volumes.csv is written beside them")
        ->required();
    CLI::Option* const label =
        app.add_option("--label", job_.source.label,
                       "The label that is inside; not needed if the map has only one "
                       "besides 0")
            ->check(inRange(0, 65535));
    thresholdOption_ = app.add_option("--threshold", job_.source.threshold,
                                      "Gray values above this are inside; the border lies between "
                                      "voxels where linear interpolation puts it")
                           ->excludes(label);
    spacingOption_ = addNumber(app, "--spacing", job_.source.meshSpacing, 1e-3, 1e3,
                               "For a mesh: spacing of the grid on which it is sampled, mm");
    addChoice(app, "--edge", edge_, {"closed", "open"},
              "Where the inside reaches the grid's edge. closed: a lid on the outer faces of the "
              "voxels; open: the surface ends there");
    method_ = methodNames().front();
    std::string titles;
    for (const SurfaceMethod& method : surfaceMethods())
        titles += fmt::format("{}{}: {}", titles.empty() ? "" : "; ", method.name, method.title);
    addChoice(app, "--method", method_, methodNames(), titles);
    addBackend(app, backend_);
    addTimeOptions(app);
    app.add_option("--distance", job_.distance,
                   "Also write the signed distance, mm, negative inside (.nii.gz, .mha, .nrrd)");
    addJsonFile(app, job_.json);
    addFrameTime(app, job_.frameTimeMilliseconds);
    addThreads(app, threads_);
    overwrite_.addTo(app);
    parameters_.addTo(app, parameterSources());
}

void DenoiseCommand::addTimeOptions(CLI::App& app) {
    constexpr int maxFrames = 8;
    CLI::Option* const inTime =
        app.add_option("--in-time", job_.inTime.frames,
                       "For sequences: number of frames before and after each frame that "
                       "contribute to it, carried there by the motion, so that the surface "
                       "doesn't flicker")
            ->check(inRange(1, maxFrames));
    addNumber(app, "--in-time-weight", job_.inTime.weight, 0.01, 1,
              "Weight of a neighboring frame; the one after it gets the square, and so on")
        ->needs(inTime);
    addNumber(app, "--in-time-offset", job_.inTime.offset, 0.01, 100,
              "How far off, in voxels, a carried surface may lie: the weight falls by "
              "exp(-offset²)")
        ->needs(inTime);
    app.add_option("--motion", job_.motion,
                   "Motion that carries the frames: a folder that 'systole motion' wrote; "
                   "estimate: found by clg, from the gray values or, for a label map, from its "
                   "surfaces; none: frames are not moved")
        ->needs(inTime)
        ->capture_default_str();
    app.add_option("--images", job_.images, "The gray values, 4D, whose motion is estimated")
        ->needs(inTime);
    app.add_flag("--close-cycle", job_.closedCycle, "The first frame follows the last one")
        ->needs(inTime);
}

DenoiseJob DenoiseCommand::makeJob() const {
    DenoiseJob job = job_;
    if (!job.images.empty() && job.motion != "estimate")
        throw UsageError("--images is used only with --motion estimate");
    const bool mesh = isMeshFile(job_.files.front());
    if (mesh && job_.files.size() > 1)
        throw UsageError("denoise: one mesh at a time");
    if (mesh && (job.source.label || thresholdOption_->count() > 0))
        throw UsageError("--label and --threshold: a mesh has neither labels nor gray values");
    if (!mesh && spacingOption_->count() > 0)
        throw UsageError("--spacing: only meshes are sampled on a grid of their own");
    job.source.kind = mesh                            ? SurfaceSource::Kind::Mesh
                      : thresholdOption_->count() > 0 ? SurfaceSource::Kind::Threshold
                                                      : SurfaceSource::Kind::Label;
    job.overwrite = overwrite_;
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
    if (!isMeshName(job_.output))
        throw UsageError(
            fmt::format("{}: surfaces are written as .vtp, .stl, .ply or .obj", job_.output));
    const std::string name = lowerCase(job_.distance);
    if (!name.empty() &&
        std::ranges::none_of(std::array{".nii.gz", ".nii", ".mha", ".nrrd"},
                             [&](const char* extension) { return name.ends_with(extension); }))
        throw UsageError(
            fmt::format("{}: distances are written as .nii.gz, .mha or .nrrd", job_.distance));
    return job;
}

int DenoiseCommand::run() {
    CommandWork work(threads_);
    const DenoiseJob job = makeJob();
    const std::unique_ptr<DistanceSource> source = openDistanceSource(job, work.context());
    if (job.inTime.frames > 0 && source->frames() < 2)
        throw UsageError("--in-time: the file has only one frame");
    const std::vector<std::string> outputs = outputsOf(job, source->frames());
    overwrite_.checkAll(outputs, job_.files);
    const DenoiseOutcome outcome =
        work.run([&](const ExecContext& ctx) { return runDenoise(job, *source, ctx); });
    writeRecord(overwrite_, job.json, denoiseRecord(job, *source, outcome), work.threads());
    printOutcome(outcome);
    if (job.method->run)
        fmt::print("denoised by {} ({}){}\n", systole::name(outcome.backend.backend),
                   outcome.backend.reason,
                   outcome.frames.size() == 1 ? ": " + textOf(outcome.frames.front().denoised)
                                              : "");
    return 0;
}

} // namespace

std::unique_ptr<Command> makeDenoiseCommand() { return std::make_unique<DenoiseCommand>(); }

} // namespace systole
