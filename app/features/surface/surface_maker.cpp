#include "app/features/surface/surface_maker.h"

#include "app/features/surface/fitted_source.h"
#include "app/features/surface/frame_distance.h"
#include "compute/core/elapsed.h"
#include "compute/core/error.h"
#include "compute/core/profile.h"
#include "compute/surface/carried_mesh.h"
#include "compute/surface/mesh_measures.h"
#include "compute/surface/nonlocal_surface.h"
#include "compute/surface/segment.h"
#include "compute/surface/surface.h"
#include "io/meshes/mesh_file.h"
#include "io/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace systole {
namespace {

using Clock = std::chrono::steady_clock;

/// Adds the time since the last stage as one.
class Stages {
public:
    explicit Stages(LiveSurface& surface) : surface_(surface) {}
    void end(const char* stage) {
        surface_.stages.emplace_back(stage, secondsSince(start_));
        start_ = Clock::now();
    }
    /// Adds those of a profile instead.
    void end(const FrameProfile& profile) {
        for (const std::string& stage : profile.stages())
            surface_.stages.emplace_back(stage, profile.seconds(stage));
        start_ = Clock::now();
    }

private:
    LiveSurface& surface_;
    Clock::time_point start_ = Clock::now();
};

constexpr double cubicMillimetersPerMilliliter = 1000, squareMillimetersPerCentimeter = 100;

void setMeasures(LiveSurface& surface, const TriangleMesh& mesh, const ExecContext& ctx) {
    const MeshMeasures measures = measureSize(mesh, ctx);
    surface.closed = measures.closed() || measures.triangles == 0; // nothing encloses nothing
    if (measures.closed())
        surface.milliliters =
            std::abs(measures.volumeCubicMillimeters) / cubicMillimetersPerMilliliter;
    surface.squareCentimeters = measures.areaSquareMillimeters / squareMillimetersPerCentimeter;
}

FrameDistance distanceOf(const SurfaceTask& task, const Volume& source, const ExecContext& ctx) {
    return task.choice.source == SurfaceOrigin::Threshold
               ? FrameDistance::ofThreshold(source, static_cast<float>(task.choice.threshold), ctx)
               : FrameDistance::ofLabel(source, task.choice.label, ctx);
}

/// The labels of a segmentation as a label map holds them.
std::shared_ptr<const Volume> volumeOf(const SurfaceTask& task, const ExecContext& ctx) {
    auto volume = std::make_shared<Volume>(task.grid, *ctx.pool, "labels");
    std::ranges::transform(*task.labels, volume->view().data,
                           [](std::uint8_t label) { return static_cast<float>(label); });
    return volume;
}

/// True for the chamber of a segmentation that has a wall: its ghost is what the outer border of
/// both encloses. Other labels, as a right ventricle, aren't part of it.
bool hasWall(const SurfaceTask& task) {
    return task.choice.source == SurfaceOrigin::Segmentation && task.choice.label == chamberLabel &&
           std::ranges::find(*task.labels, wallLabel) != task.labels->end();
}
FrameDistance distanceWithWall(const SurfaceTask& task, const ExecContext& ctx) {
    Volume all(task.grid, *ctx.pool, "labels");
    std::ranges::transform(*task.labels, all.view().data, [](std::uint8_t label) {
        return label == chamberLabel || label == wallLabel ? 1.0f : 0.0f;
    });
    return FrameDistance::ofLabel(all, 1, ctx);
}

DenoiseReport denoise(FrameDistance& distance, const ParamSet& values, Stages& stages,
                      const ExecContext& ctx) {
    KernelProfile profile;
    ExecContext profiled = ctx;
    profiled.profile = &profile;
    profile.beginFrame(0);
    const DenoiseReport report = distance.denoise(NonlocalMeansParameters::from(values), profiled);
    stages.end(profile.endFrame());
    return report;
}

/// Message about a source that has no surface.
ComputeError noSurface(const SurfaceTask& task, const std::string& reason) {
    const SurfaceChoice& choice = task.choice;
    const std::string what = choice.source == SurfaceOrigin::Threshold
                                 ? fmt::format("threshold {:g}", choice.threshold)
                             : choice.source == SurfaceOrigin::Segmentation
                                 ? fmt::format("label {} of the segmentation", choice.label)
                                 : fmt::format("label {} of {}", choice.label, choice.file);
    return ComputeError(fmt::format("frame {} has no surface of {}: {}", task.frame, what, reason));
}

} // namespace

std::shared_ptr<const Volume> SurfaceMaker::labels(const SurfaceTask& task,
                                                   const ExecContext& ctx) {
    if (task.choice.source == SurfaceOrigin::Segmentation)
        return volumeOf(task, ctx);
    if (!labels_ || labelFile_ != task.choice.file) {
        labels_ = openSequence({task.choice.file});
        labelFile_ = task.choice.file;
    }
    if (labels_->frames != 1 && labels_->frames != task.frames)
        throw ComputeError(
            fmt::format("{}: has {} frames; a label map of this sequence has 1 or {}",
                        task.choice.file, labels_->frames, task.frames));
    auto volume = std::make_shared<Volume>(labels_->geometry, *ctx.pool, "labels");
    labels_->source->read(labels_->frames == 1 ? 0 : task.frame, volume->view());
    return volume;
}

LiveSurface SurfaceMaker::make(const SurfaceTask& task, const ExecContext& ctx) {
    LiveSurface made;
    made.frame = task.frame;
    made.carried = task.choice.isCarried();
    Stages stages(made);
    made.backend = ctx.backend;
    auto scene = std::make_shared<SceneSurface>();
    ExtractedSurface surface;
    std::shared_ptr<const Volume> source; ///< null: a mesh
    if (task.choice.source == SurfaceOrigin::Mesh) {
        surface.mesh = std::make_shared<TriangleMesh>(readMesh(task.choice.file));
        made.backend = Backend::Cpu;
        stages.end("read");
    } else {
        if (task.choice.source == SurfaceOrigin::Threshold) {
            FittedSource fitted =
                fittedSource(task.gray, static_cast<float>(task.choice.threshold), ctx);
            source = std::move(fitted.volume);
            made.note = std::move(fitted.note);
        } else {
            source = labels(task, ctx);
        }
        stages.end("read");
        made.still = task.choice.source == SurfaceOrigin::Labels && labels_->frames == 1;
        try {
            FrameDistance distance = distanceOf(task, *source, ctx);
            stages.end("distance");
            ExtractedSurface ghost;
            scene->walled = hasWall(task);
            if (scene->walled) {
                ghost = distanceWithWall(task, ctx).extract(ctx);
                stages.end("outer border");
            } else if (task.choice.denoise) {
                ghost = distance.extract(ctx);
                stages.end("original");
            }
            if (task.choice.denoise) {
                const DenoiseReport report = denoise(distance, task.choice.denoising, stages, ctx);
                made.bandElements = report.elements;
                made.denoised = textOf(report);
                surface = distance.extract(ctx);
                stages.end("isosurface");
                scene->distance = distance.distancesFromOriginal(surface, ctx);
                stages.end("distances from original");
            } else {
                surface = distance.extract(ctx);
                stages.end("isosurface");
            }
            scene->original = std::move(ghost.mesh);
            scene->originalOnDevice = std::move(ghost.onDevice);
        } catch (const Cancelled&) {
            throw;
        } catch (const OutOfMemory&) {
            throw;
        } catch (const ComputeError& error) {
            throw noSurface(task, error.what());
        }
    }
    TriangleMesh& mesh = *surface.mesh;
    if (mesh.normals.empty())
        setNormals(mesh);
    scene->curvature = meanCurvature(mesh, ctx);
    stages.end("curvature");
    setMeasures(made, mesh, ctx);
    made.touchesEdge = source && hasLid(mesh, source->geometry);
    stages.end("measures");
    scene->mesh = std::move(surface.mesh);
    scene->meshOnDevice = std::move(surface.onDevice);
    made.scene = std::move(scene);
    return made;
}

LiveSurface SurfaceMaker::carry(const LiveSurface& from, const FrameResult& motion,
                                const ExecContext& ctx) {
    if (!motion.field)
        throw ComputeError("a surface is carried by motion on the host");
    LiveSurface made;
    made.frame = motion.movingFrame;
    Stages stages(made);
    const SceneSurface& before = *from.scene;
    auto scene = std::make_shared<SceneSurface>();
    auto mesh = std::make_shared<TriangleMesh>(carried(*before.mesh, *motion.field, ctx));
    if (before.original)
        scene->original =
            std::make_shared<TriangleMesh>(carried(*before.original, *motion.field, ctx));
    stages.end("carry");
    scene->curvature = meanCurvature(*mesh, ctx);
    stages.end("curvature");
    scene->distance = before.distance;
    scene->walled = before.walled;
    setMeasures(made, *mesh, ctx);
    made.carried = true;
    made.touchesEdge = from.touchesEdge;
    made.bandElements = from.bandElements;
    made.denoised = from.denoised;
    stages.end("measures");
    scene->mesh = std::move(mesh);
    made.scene = std::move(scene);
    return made;
}

} // namespace systole
