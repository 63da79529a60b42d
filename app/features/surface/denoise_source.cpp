// The sources of `systole denoise`: label maps and gray values by frame, and closed meshes.
#include "app/anatomy/label_grid.h"
#include "app/anatomy/tissue_labels.h"
#include "app/base/error.h"
#include "app/cli/record_parts.h"
#include "app/features/surface/denoise_job.h"
#include "compute/core/error.h"
#include "compute/surface/label_box.h"
#include "compute/surface/mesh_distance.h"
#include "compute/surface/nonlocal_means.h"
#include "io/base/error.h"
#include "io/meshes/mesh_file.h"
#include "io/source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>

namespace systole {
namespace {

/// Follows what is said of values that are no labels.
constexpr const char* border = "; a border in gray values is named by --threshold";

/// Voxels that a mesh may be sampled on: 1 GiB of distances.
constexpr std::size_t maxGridVoxels = std::size_t{1} << 28;
/// Voxels around a mesh: the patches of a denoising method and its band, on a coarser grid.
constexpr double marginVoxels = 12;

/// Labels or gray values of a sequence.
class ImageSource : public DistanceSource {
public:
    ImageSource(const DenoiseJob& job, const ExecContext& ctx)
        : source_(job.source)
        , path_(job.files.front())
        , sequence_(openSequence(job.files, {.frameTimeMilliseconds = job.frameTimeMilliseconds}))
        , values_(sequence_.geometry, *ctx.pool, "frame") {
        if (source_.kind == SurfaceSource::Kind::Label && !source_.label) {
            read(0);
            source_.label = onlyLabel();
        }
        geometry_ = sequence_.geometry;
        box_ = VoxelBox::whole(geometry_.size());
        // A written distance is that of the whole grid.
        if (source_.kind == SurfaceSource::Kind::Label && job.distance.empty())
            keepBoxOfLabel(bandOf(job), ctx);
    }

    const Geometry& geometry() const override { return geometry_; }
    Geometry wholeGeometry() const override { return sequence_.geometry; }
    VoxelBox box() const override { return box_; }
    int frames() const override { return sequence_.frames; }
    double timeOf(int frame) const override {
        return sequence_.timeKnown() ? sequence_.timeOf(frame) : unknownTime;
    }

    void distance(int frame, VolumeView<float> phi, const ExecContext& ctx) override {
        read(frame);
        try {
            if (source_.kind == SurfaceSource::Kind::Label) {
                roundToLabels(values_.voxels.span(), nameOf(frame), border);
                Volume labels(geometry_, *ctx.pool, "labels");
                copyBox(values_.view(), box_, labels.view());
                distanceOfLabel(labels.view(), *source_.label, geometry_, phi, ctx);
            } else {
                distanceOfThreshold(values_.view(), static_cast<float>(source_.threshold),
                                    sequence_.geometry, phi, ctx);
            }
        } catch (const Cancelled&) {
            throw;
        } catch (const OutOfMemory&) {
            throw;
        } catch (const ComputeError& error) {
            throw FileError(fmt::format("{}: {}", nameOf(frame), error.what()));
        }
    }

    Json record() const override {
        const bool isLabel = source_.kind == SurfaceSource::Kind::Label;
        return {{"kind", isLabel ? "label" : "threshold"},
                {"label", isLabel ? Json(*source_.label) : Json(nullptr)},
                {"threshold", isLabel ? Json(nullptr) : Json(source_.threshold)},
                {"format", sequence_.format},
                {"size", sequence_.geometry.size()},
                {"spacing_mm", sequence_.geometry.spacing()}};
    }

private:
    std::string nameOf(int frame) const {
        return sequence_.frames > 1 ? fmt::format("{}: frame {}", path_, frame) : path_;
    }

    void read(int frame) { sequence_.source->read(frame, values_.view()); }

    /// Width of the band around a surface that denoising reads, mean voxel sides: half its band,
    /// patches, and the distance by which a neighbor in time or a mean place reaches beyond.
    static double bandOf(const DenoiseJob& job) {
        constexpr double beyond = 12;
        const bool hasBand = job.parameters && std::ranges::any_of(job.parameters->table().rows(),
                                                                   [](const ParamRow& row) {
                                                                       return row.id == "delta";
                                                                   });
        return beyond + std::max(hasBand ? job.parameters->real("delta") : 0, job.inTime.delta);
    }

    void keepBoxOfLabel(double sides, const ExecContext& ctx) {
        std::optional<VoxelBox> all;
        for (int frame = 0; frame < sequence_.frames; ++frame) {
            ctx.throwIfCancelled();
            read(frame);
            roundToLabels(values_.voxels.span(), nameOf(frame), border);
            if (const auto one = boxOfLabel(values_.view(), *source_.label))
                all = all ? hull(*all, *one) : *one;
        }
        if (!all)
            return; // distance() says so
        const Geometry& grid = sequence_.geometry;
        box_ = grownBy(*all, sides * nlm::meanVoxelSide(grid.spacing()), grid);
        geometry_ = geometryOf(box_, grid);
    }

    int onlyLabel() {
        roundToLabels(values_.voxels.span(), nameOf(0), border);
        const std::set<int> labels = labelsIn(values_.voxels.span(), nameOf(0));
        // Largest number of labels in a label map; more are gray values.
        constexpr std::size_t most = 12;
        if (labels.size() > most)
            throw UsageError(
                fmt::format("{}: has {} different values, like an image and not a label map; name "
                            "a border in gray values with --threshold, or a label with --label",
                            path_, labels.size()));
        if (labels.size() > 1)
            throw UsageError(
                fmt::format("{}: has the labels {}; choose one with --label, or a border in gray "
                            "values with --threshold",
                            path_, fmt::join(labels, ", ")));
        return *labels.begin();
    }

    SurfaceSource source_;
    std::string path_;
    Sequence sequence_;
    Volume values_;
    Geometry geometry_; ///< box_ as a grid
    VoxelBox box_;
};

class MeshSource : public DistanceSource {
public:
    explicit MeshSource(const DenoiseJob& job)
        : path_(job.files.front())
        , mesh_(readMesh(path_))
        , geometry_(gridOf(job.source.meshSpacing)) {}

    const Geometry& geometry() const override { return geometry_; }
    int frames() const override { return 1; }
    double timeOf(int) const override { return unknownTime; }

    void distance(int, VolumeView<float> phi, const ExecContext& ctx) override {
        try {
            ExecContext part = ctx; // denoising takes most of the time
            part.progress = [&](const std::string& phase, double fraction) {
                ctx.report(phase, fraction / 4);
            };
            signedDistanceOfMesh(mesh_, geometry_, phi, part);
        } catch (const Cancelled&) {
            throw;
        } catch (const ComputeError& error) {
            throw FileError(fmt::format("{}: {}", path_, error.what()));
        }
    }

    Json record() const override {
        return {{"kind", "mesh"},
                {"points", mesh_.points.size()},
                {"triangles", mesh_.triangles.size()},
                {"size", geometry_.size()},
                {"spacing_mm", geometry_.spacing()}};
    }

private:
    Geometry gridOf(double spacing) const {
        try {
            return gridAround(mesh_, spacing, marginVoxels * spacing, maxGridVoxels);
        } catch (const ComputeError& error) {
            throw FileError(fmt::format("{}: {}", path_, error.what()));
        }
    }

    std::string path_;
    TriangleMesh mesh_;
    Geometry geometry_;
};

} // namespace

std::unique_ptr<DistanceSource> openDistanceSource(const DenoiseJob& job, const ExecContext& ctx) {
    if (job.source.kind == SurfaceSource::Kind::Mesh)
        return std::make_unique<MeshSource>(job);
    return std::make_unique<ImageSource>(job, ctx);
}

} // namespace systole
