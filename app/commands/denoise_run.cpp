#include "app/commands/denoise_job.h"
#include "app/commands/record_parts.h"
#include "app/surface/frame_distance.h"
#include "compute/core/elapsed.h"
#include "io/meshes/mesh_file.h"
#include "io/numbered_files.h"
#include "io/writer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <filesystem>

namespace systole {
namespace {

using Clock = std::chrono::steady_clock;

double milliliters(const MeshMeasures& m) { return m.volumeCubicMillimeters / 1000; }
double squareCentimeters(const MeshMeasures& m) { return m.areaSquareMillimeters / 100; }

/// A number of a table; empty if there is none.
std::string cell(double value) { return std::isfinite(value) ? fmt::format("{:.9g}", value) : ""; }

std::string tableOf(const std::vector<FrameSurface>& frames) {
    std::string table = "frame,time_s,volume_ml,area_cm2,parts,handles\n";
    for (const FrameSurface& f : frames)
        table += fmt::format("{},{},{},{},{},{}\n", f.frame, cell(f.timeSeconds),
                             cell(milliliters(f.measures)), cell(squareCentimeters(f.measures)),
                             f.measures.components,
                             f.measures.closed() ? fmt::to_string(f.measures.handles()) : "");
    return table;
}

Json recordOf(const FrameSurface& f) {
    const MeshMeasures& m = f.measures;
    return {{"frame", f.frame},
            {"time_s", numberOrNull(f.timeSeconds)},
            {"file", f.file},
            {"volume_ml", numberOrNull(milliliters(m))},
            {"area_cm2", squareCentimeters(m)},
            {"points", m.points},
            {"triangles", m.triangles},
            {"parts", m.components},
            {"euler_characteristic", m.eulerCharacteristic},
            {"handles", m.closed() ? Json(m.handles()) : Json(nullptr)},
            {"closed", m.closed()},
            {"touches_edge", f.touchesEdge}};
}

Json inTimeOf(const DenoiseJob& job) {
    if (job.inTime.frames == 0)
        return nullptr;
    return {{"frames", job.inTime.frames}, {"weight", job.inTime.weight},
            {"offset", job.inTime.offset}, {"motion", job.motion},
            {"images", job.images},        {"closed_cycle", job.closedCycle}};
}

} // namespace

std::string volumesPath(const std::string& output) {
    return (std::filesystem::path(output).parent_path() / "volumes.csv").string();
}

std::vector<std::string> outputsOf(const DenoiseJob& job, int frames) {
    std::vector<std::string> files;
    if (!job.json.empty())
        files.push_back(job.json);
    if (frames > 1)
        files.push_back(volumesPath(job.output));
    for (const std::string& path : {job.output, job.distance})
        for (int frame = 0; frame < frames && !path.empty(); ++frame)
            files.push_back(frames > 1 ? numberedPath(path, frame) : path);
    return files;
}

DenoiseOutcome runDenoise(const DenoiseJob& job, DistanceSource& source, const ExecContext& ctx) {
    const Geometry& geometry = source.geometry();
    const int frames = source.frames();
    Volume phi(geometry, *ctx.pool, "signed distance");
    std::optional<SurfacesInTime> inTime;
    if (job.inTime.frames > 0)
        inTime.emplace(framesInTime(job, source, ctx), job.inTime);
    DenoiseOutcome outcome;
    DevicePolicy device(job.backend);
    const auto timed = [](double& seconds, const auto& work) {
        const auto start = Clock::now();
        work();
        seconds += secondsSince(start);
    };
    for (int frame = 0; frame < frames; ++frame) {
        ctx.throwIfCancelled();
        ctx.report(frames > 1 ? fmt::format("frame {} of {}", frame + 1, frames) : "surface",
                   static_cast<double>(frame) / frames);
        timed(outcome.readSeconds, [&] {
            if (inTime)
                inTime->mean(frame, phi.view(), ctx);
            else
                source.distance(frame, phi.view(), ctx);
        });
        timed(outcome.denoiseSeconds,
              [&] { denoiseUnder(device, *job.method, phi, *job.parameters, ctx); });
        Surface surface;
        timed(outcome.extractSeconds,
              [&] { surface = surfaceOf(phi.view(), geometry, job.edge, ctx); });
        ctx.throwIfCancelled();
        const auto named = [&](const std::string& path) {
            return frames > 1 ? numberedPath(path, frame) : path;
        };
        timed(outcome.writeSeconds, [&] {
            writeMesh(named(job.output), surface.mesh);
            if (!job.distance.empty())
                writeVolume(named(job.distance), geometry, phi.view());
        });
        outcome.frames.push_back({frame, source.timeOf(frame), named(job.output), surface.measures,
                                  surface.touchesEdge});
    }
    if (frames > 1)
        writeTextAtomically(volumesPath(job.output), tableOf(outcome.frames));
    outcome.backend = device.choice();
    return outcome;
}

Json denoiseRecord(const DenoiseJob& job, const DistanceSource& source,
                   const DenoiseOutcome& outcome) {
    Json frames = Json::array();
    for (const FrameSurface& frame : outcome.frames)
        frames.push_back(recordOf(frame));
    return {{"files", job.files},
            {"source", source.record()},
            {"method", job.method->name},
            {"parameters", parametersOf(*job.parameters)},
            {"backend", name(outcome.backend.backend)},
            {"backend_reason", outcome.backend.reason},
            {"in_time", inTimeOf(job)},
            {"edge", job.edge == SurfaceEdge::Closed ? "closed" : "open"},
            {"frames", std::move(frames)},
            {"stage_seconds",
             {{"distance", outcome.readSeconds},
              {"denoise", outcome.denoiseSeconds},
              {"isosurface", outcome.extractSeconds},
              {"write", outcome.writeSeconds}}}};
}

} // namespace systole
