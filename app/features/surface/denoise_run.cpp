#include "app/cli/record_parts.h"
#include "app/features/surface/denoise_job.h"
#include "app/features/surface/frame_distance.h"
#include "compute/core/elapsed.h"
#include "compute/core/error.h"
#include "io/base/error.h"
#include "io/base/numbered_files.h"
#include "io/formats/writer.h"
#include "io/meshes/mesh_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <stdexcept>

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

/// The noise that was found and the grid that patches were compared on.
Json denoisedOf(const FrameSurface& f) {
    const SurfaceNoise& noise = f.denoised.noise;
    return {{"noise_voxel", noise.amplitude},
            {"noise_width_voxel", noise.width},
            {"sharp_share", noise.sharp},
            {"thickness_voxel", noise.thickness},
            {"grid_voxel", f.denoised.grid}};
}

/// The table of the frames: the whole one, or as far as an unfinished run has come.
std::string tablePath(const std::string& output, bool finished) {
    return (std::filesystem::path(output).parent_path() /
            (finished ? "volumes.csv" : "volumes.unfinished.csv"))
        .string();
}

/// Message of a failure in one of several frames, which also names the results of the others.
std::string failureOf(const std::string& sentence, const DenoiseJob& job, int frame, bool marked) {
    const std::string file = job.files.front() + ": ", number = fmt::format("frame {}: ", frame);
    std::string text = sentence.starts_with(file) ? sentence.substr(file.size()) : sentence;
    if (!text.starts_with(number))
        text.insert(0, number);
    if (marked)
        text +=
            fmt::format("; the frames until then are listed in {}", tablePath(job.output, false));
    return file + text;
}

Json inTimeOf(const DenoiseJob& job) {
    if (job.inTime.frames == 0)
        return nullptr;
    return {{"frames", job.inTime.frames}, {"weight", job.inTime.weight},
            {"offset", job.inTime.offset}, {"motion", job.motion},
            {"images", job.images},        {"closed_cycle", job.closedCycle}};
}

/// The work of a job frame by frame.
class DenoiseRun {
public:
    DenoiseRun(const DenoiseJob& job, DistanceSource& source, const ExecContext& ctx)
        : job_(job)
        , source_(source)
        , ctx_(ctx)
        , device_(job.backend)
        , phi_(source.geometry(), *ctx.pool, "signed distance") {
        if (job.inTime.frames > 0)
            inTime_.emplace(framesInTime(job, source, ctx), job.inTime);
    }

    DenoiseOutcome run() {
        const int frames = source_.frames();
        for (int frame = 0; frame < frames; ++frame) {
            ctx_.throwIfCancelled();
            ctx_.report(frames > 1 ? fmt::format("frame {} of {}", frame + 1, frames) : "surface",
                        static_cast<double>(frame) / frames);
            if (frames == 1) {
                make(frame);
                continue;
            }
            try {
                make(frame);
            } catch (const Cancelled&) {
                throw;
            } catch (const OutOfMemory&) {
                throw;
            } catch (const std::runtime_error& error) { // failure of a file or of computing
                throw FileError(failureOf(error.what(), job_, frame, marked_));
            }
        }
        if (frames > 1) {
            writeTable(true);
            // The complete table exists: a failure to remove the other one does no harm.
            std::error_code ignored;
            std::filesystem::remove(tablePath(job_.output, false), ignored);
        }
        outcome_.backend = device_.choice();
        return std::move(outcome_);
    }

private:
    static void timed(double& seconds, const auto& work) {
        const auto start = Clock::now();
        work();
        seconds += secondsSince(start);
    }

    std::string named(const std::string& path, int frame) const {
        return source_.frames() > 1 && !path.empty() ? numberedPath(path, frame) : path;
    }

    void make(int frame) {
        timed(outcome_.readSeconds, [&] {
            if (inTime_)
                inTime_->mean(frame, phi_.view(), ctx_);
            else
                source_.distance(frame, phi_.view(), ctx_);
        });
        timed(outcome_.denoiseSeconds,
              [&] { report_ = denoiseUnder(device_, *job_.method, phi_, *job_.parameters, ctx_); });
        Surface surface;
        timed(outcome_.extractSeconds,
              [&] { surface = surfaceOf(phi_.view(), source_.geometry(), job_.edge, ctx_); });
        ctx_.throwIfCancelled();
        timed(outcome_.writeSeconds, [&] { write(frame, surface); });
    }

    void write(int frame, const Surface& surface) {
        const bool several = source_.frames() > 1;
        if (several && !marked_)
            writeTable(false);
        job_.overwrite.write(named(job_.output, frame),
                             [&](const std::string& path) { writeMesh(path, surface.mesh); });
        job_.overwrite.write(named(job_.distance, frame), [&](const std::string& path) {
            writeVolume(path, source_.geometry(), phi_.view());
        });
        outcome_.frames.push_back({frame, source_.timeOf(frame), named(job_.output, frame),
                                   surface.measures, surface.touchesEdge, report_});
        if (several)
            writeTable(false);
    }

    void writeTable(bool finished) {
        const std::string path = tablePath(job_.output, finished);
        if (!finished && marked_) // the unfinished table of this run may be replaced
            writeTextAtomically(path, tableOf(outcome_.frames));
        else
            job_.overwrite.writeText(path, tableOf(outcome_.frames));
        marked_ = true;
    }

    const DenoiseJob& job_;
    DistanceSource& source_;
    const ExecContext& ctx_;
    DevicePolicy device_;
    Volume phi_;
    std::optional<SurfacesInTime> inTime_;
    DenoiseOutcome outcome_;
    DenoiseReport report_; ///< report on the frame under way
    bool marked_ = false;  ///< the table of an unfinished run is written
};

} // namespace

std::vector<std::string> outputsOf(const DenoiseJob& job, int frames) {
    std::vector<std::string> files;
    if (!job.json.empty())
        files.push_back(job.json);
    if (frames > 1)
        for (const bool finished : {true, false})
            files.push_back(tablePath(job.output, finished));
    for (const std::string& path : {job.output, job.distance})
        for (int frame = 0; frame < frames && !path.empty(); ++frame)
            files.push_back(frames > 1 ? numberedPath(path, frame) : path);
    return files;
}

DenoiseOutcome runDenoise(const DenoiseJob& job, DistanceSource& source, const ExecContext& ctx) {
    return DenoiseRun(job, source, ctx).run();
}

Json denoiseRecord(const DenoiseJob& job, const DistanceSource& source,
                   const DenoiseOutcome& outcome) {
    Json frames = Json::array();
    for (const FrameSurface& frame : outcome.frames)
        frames.push_back(recordOf(frame));
    if (job.method->run)
        for (std::size_t i = 0; i < frames.size(); ++i)
            frames[i]["denoised"] = denoisedOf(outcome.frames[i]);
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
