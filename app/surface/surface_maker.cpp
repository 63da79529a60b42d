#include "app/surface/surface_maker.h"

#include "compute/core/elapsed.h"
#include "compute/core/error.h"
#include "compute/core/profile.h"
#include "compute/ops/sample.h"
#include "compute/surface/carried_mesh.h"
#include "compute/surface/isosurface.h"
#include "compute/surface/mean_place.h"
#include "compute/surface/mesh_measures.h"
#include "compute/surface/nonlocal_means.h"
#include "compute/surface/redistance.h"
#include "compute/surface/surface.h"
#include "io/meshes/mesh_file.h"
#include "io/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

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

void setMeasures(LiveSurface& surface, const TriangleMesh& mesh) {
    const MeshMeasures measures = measure(mesh);
    surface.closed = measures.closed() || measures.triangles == 0; // nothing encloses nothing
    if (measures.closed())
        surface.milliliters =
            std::abs(measures.volumeCubicMillimeters) / cubicMillimetersPerMilliliter;
    surface.squareCentimeters = measures.areaSquareMillimeters / squareMillimetersPerCentimeter;
}

/// The signed distance of the label or of the threshold.
Volume distanceOf(const SurfaceTask& task, const Volume& source, const ExecContext& ctx) {
    Volume phi(source.geometry, *ctx.pool, "signed distance");
    if (task.choice.source == SurfaceOrigin::Threshold)
        distanceOfThreshold(source.view(), static_cast<float>(task.choice.threshold),
                            source.geometry, phi.view(), ctx);
    else
        distanceOfLabel(source.view(), task.choice.label, source.geometry, phi.view(), ctx);
    return phi;
}

/// The labels of a segmentation as a label map holds them.
std::shared_ptr<const Volume> volumeOf(const SurfaceTask& task, const ExecContext& ctx) {
    auto volume = std::make_shared<Volume>(task.grid, *ctx.pool, "labels");
    std::ranges::transform(*task.labels, volume->view().data,
                           [](std::uint8_t label) { return static_cast<float>(label); });
    return volume;
}

/// The outer border of all that a segmentation labels, where more than the innermost label is
/// there: that of the wall around a chamber. Null: there isn't.
std::shared_ptr<const TriangleMesh> outerBorder(const SurfaceTask& task, const ExecContext& ctx) {
    if (task.choice.source != SurfaceOrigin::Segmentation || task.choice.label != 1 ||
        std::ranges::none_of(*task.labels, [](std::uint8_t label) { return label > 1; }))
        return nullptr;
    Volume all(task.grid, *ctx.pool, "labels"), phi(task.grid, *ctx.pool, "signed distance");
    std::ranges::transform(*task.labels, all.view().data,
                           [](std::uint8_t label) { return label > 0 ? 1.0f : 0.0f; });
    distanceOfLabel(all.view(), 1, task.grid, phi.view(), ctx);
    return std::make_shared<TriangleMesh>(
        isosurface(phi.view(), phi.geometry, SurfaceEdge::Closed, ctx));
}

Volume copyOf(const Volume& phi, const ExecContext& ctx) {
    Volume copy(phi.geometry, *ctx.pool, "signed distance before denoising");
    std::ranges::copy(phi.view().span(), copy.view().span().begin());
    return copy;
}

/// Returns the number of voxels in the band. `noisy` is phi as it comes.
int denoise(Volume& phi, const Volume& noisy, const ParamSet& values, Stages& stages,
            const ExecContext& ctx) {
    KernelProfile profile;
    ExecContext profiled = ctx;
    profiled.profile = &profile;
    profile.beginFrame(0);
    const Vec3 spacing = phi.geometry.spacing();
    constexpr float everywhere = std::numeric_limits<float>::infinity();
    const auto parameters = NonlocalMeansParameters::from(values);
    const DenoiseReport report =
        denoiseSurface(phi.view(), spacing, parameters, profiled, [&](VolumeView<float> drifted) {
            redistance(drifted, spacing, everywhere, ctx);
        });
    keepMeanPlace(noisy.view(), phi.view(), spacing,
                  MeanPlaceParameters::around(parameters.delta, parameters.patchRadius), profiled);
    stages.end(profile.endFrame());
    return report.elements;
}

/// Of the points of a mesh from the zero level of the signed distance.
std::vector<float> distancesFrom(const Volume& phi, const TriangleMesh& mesh) {
    std::vector<float> distances;
    distances.reserve(mesh.points.size());
    const VolumeView<const float> view = phi.view();
    for (const auto& p : mesh.points) {
        const Vec3 at = phi.geometry.physicalToIndex(
            {static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2])});
        const TrilinearSample sample(view.size, static_cast<float>(at.x), static_cast<float>(at.y),
                                     static_cast<float>(at.z));
        distances.push_back(std::abs(sample.of(view.data)));
    }
    return distances;
}

/// What a user reads of a source that has no surface.
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
    Stages stages(made);
    auto scene = std::make_shared<SceneSurface>();
    auto mesh = std::make_shared<TriangleMesh>();
    if (task.choice.source == SurfaceOrigin::Mesh) {
        *mesh = readMesh(task.choice.file);
        stages.end("read");
    } else {
        const std::shared_ptr<const Volume> source =
            task.choice.source == SurfaceOrigin::Threshold ? task.gray : labels(task, ctx);
        stages.end("read");
        try {
            Volume phi = distanceOf(task, *source, ctx);
            stages.end("distance");
            if (task.choice.denoise) {
                auto original = std::make_shared<TriangleMesh>(
                    isosurface(phi.view(), phi.geometry, SurfaceEdge::Closed, ctx));
                stages.end("original");
                const Volume noisy = copyOf(phi, ctx);
                made.bandElements = denoise(phi, noisy, task.choice.denoising, stages, ctx);
                *mesh = isosurface(phi.view(), phi.geometry, SurfaceEdge::Closed, ctx);
                stages.end("isosurface");
                scene->distance = distancesFrom(noisy, *mesh);
                scene->original = std::move(original);
            } else {
                *mesh = isosurface(phi.view(), phi.geometry, SurfaceEdge::Closed, ctx);
                stages.end("isosurface");
                scene->original = outerBorder(task, ctx);
                scene->walled = scene->original != nullptr;
                if (scene->walled)
                    stages.end("outer border");
            }
        } catch (const Cancelled&) {
            throw;
        } catch (const ComputeError& error) {
            throw noSurface(task, error.what());
        }
    }
    if (mesh->normals.empty())
        setNormals(*mesh);
    scene->curvature = meanCurvature(*mesh);
    setMeasures(made, *mesh);
    stages.end("measures");
    scene->mesh = std::move(mesh);
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
    scene->curvature = meanCurvature(*mesh);
    scene->distance = before.distance;
    scene->walled = before.walled;
    setMeasures(made, *mesh);
    made.bandElements = from.bandElements;
    stages.end("measures");
    scene->mesh = std::move(mesh);
    made.scene = std::move(scene);
    return made;
}

} // namespace systole
