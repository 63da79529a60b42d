#include "app/features/phantom/phantom_lungs.h"

#include "app/base/error.h"
#include "app/cli/option_forms.h"
#include "app/cli/record_parts.h"
#include "compute/core/error.h"
#include "io/dirlab/image.h"
#include "io/formats/writer.h"
#include "io/landmarks/landmark_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <optional>

namespace systole {
namespace {

constexpr int wantedLandmarks = 300; ///< number of landmarks in the DIR-Lab data
constexpr int phasePercent = 100;

bool isPublished(const LungJob& job) { return job.size == Size3{0, 0, 0}; }
/// The frame that is breathed out.
int lastFrame(const LungJob& job) { return job.options.frames / 2; }

std::string phaseName(const LungJob& job, int frame) {
    return fmt::format("{}_T{:02}", job.of.name(), phasePercent * frame / job.options.frames);
}
std::string imageName(const LungJob& job, int frame) { return phaseName(job, frame) + ".img"; }
std::string headerName(const LungJob& job, int frame) { return phaseName(job, frame) + ".mhd"; }
std::string pointsName(const LungJob& job, int frame) {
    return fmt::format("{}_300_T{:02}_xyz.txt", job.of.name(),
                       phasePercent * frame / job.options.frames);
}
std::string tracksName(const LungJob& job) { return job.of.name() + "_tracks.csv"; }
std::string truthName(const LungJob& job) { return job.of.name() + "_T00_T50_displacement.mha"; }

/// Positions of the points of frame 0 in every frame, to rounding error.
LandmarkTracks tracksOf(const LungPhantom& phantom, const std::vector<Vec3>& points) {
    LandmarkTracks tracks;
    for (const Vec3 p : points) {
        LandmarkTracks::Track track{fmt::to_string(tracks.tracks.size() + 1), {}};
        for (int frame = 0; frame < phantom.options().frames; ++frame)
            track.frames.push_back(
                TrackedPosition{phantom.forward(p, phantom.exhalation(frame)), 1});
        tracks.tracks.push_back(std::move(track));
    }
    return tracks;
}

LandmarkSet frameOf(const LandmarkTracks& tracks, int frame) {
    LandmarkSet set{frame, {}};
    for (const LandmarkTracks::Track& track : tracks.tracks)
        set.points.push_back({track.name, track.frames[static_cast<std::size_t>(frame)]->position});
    return set;
}

} // namespace

CLI::Option* LungArguments::addTo(CLI::App& app) {
    CLI::Option* const lungs = app.add_flag(
        "--lungs", lungs_,
        "Not a heart: a chest that breathes, written as DIR-Lab hands out its cases. "
        "caseN_T00.img to T90 (raw int16, Hounsfield units; --frames 2: T00 and T50), "
        "caseN_300_T00_xyz.txt and T50 with up to 300 landmarks in whole voxels, and the same "
        "landmarks to rounding in all phases, caseN_tracks.csv. The lungs slide along the wall. "
        "--size gives the same chest other voxels, and each image a header .mhd beside it");
    app.add_option("--dirlab-case", case_,
                   "With --lungs: the case whose name, size and spacing are taken, case1 to case10")
        ->capture_default_str()
        ->needs(lungs);
    addNumber(app, "--breath", options_.breathMillimeters, 0, 60,
              "With --lungs: largest motion of the lungs from T00 to T50, mm")
        ->needs(lungs);
    addNumber(app, "--uneven", options_.unevenness, 0, 0.5,
              "With --lungs: share of the breath by which neighboring parts of a lung differ")
        ->needs(lungs);
    app.add_flag("--keep-mass", options_.keepsMass,
                 "With --lungs: the less air the lungs hold, the denser they are, as in real "
                 "lungs")
        ->needs(lungs);
    app.add_flag("--truth-field", truthField_,
                 "With --lungs: also write the true displacement from T00 to T50 as "
                 "caseN_T00_T50_displacement.mha, LPS mm")
        ->needs(lungs);
    return lungs;
}

LungJob LungArguments::makeJob() const {
    const std::optional<DirLabCase> of = parseDirLabCase(case_);
    if (!of || of->set != DirLabSet::FourDCt)
        throw UsageError(fmt::format("--dirlab-case: '{}' is none of case1 to case10", case_));
    LungJob job;
    job.of = *of;
    job.truthField = truthField_;
    job.options = options_;
    return job;
}

Geometry LungJob::grid() const {
    if (size == Size3{0, 0, 0})
        return of.geometry();
    const Geometry published = of.geometry();
    Vec3 spacing;
    for (int axis = 0; axis < 3; ++axis)
        spacing[axis] = published.spacing()[axis] * published.size()[axis] / size[axis];
    return {size, spacing, {}, published.direction()};
}

bool isLungFile(std::string_view name) {
    const std::string path(name);
    return dirLabNameOf(path) &&
           (name.ends_with(".img") || name.ends_with(".mhd") || name.ends_with("_xyz.txt") ||
            name.ends_with("_tracks.csv") || name.ends_with("_displacement.mha"));
}

std::vector<std::string> lungFiles(const LungJob& job) {
    std::vector<std::string> files;
    for (int frame = 0; frame < job.options.frames; ++frame) {
        files.push_back(imageName(job, frame));
        if (!isPublished(job))
            files.push_back(headerName(job, frame));
    }
    files.push_back(pointsName(job, 0));
    files.push_back(pointsName(job, lastFrame(job)));
    files.push_back(tracksName(job));
    if (job.truthField)
        files.push_back(truthName(job));
    return files;
}

Json writeLungs(const LungJob& job, RunFolder& folder, const ExecContext& ctx) {
    LungOptions options = job.options;
    options.grid = job.grid();
    const LungPhantom phantom(options);
    const Geometry& grid = phantom.geometry();
    const int frames = options.frames, out = lastFrame(job);

    ctx.report("landmarks", 0);
    const std::vector<Vec3> points = phantom.landmarks(wantedLandmarks, ctx);
    if (points.empty())
        throw ComputeError("the voxels of this size are too coarse to show vessels of the lungs: "
                           "no landmark was found");
    const LandmarkTracks tracks = tracksOf(phantom, points);
    const LandmarkWriteOptions asVoxels{LandmarkFormat::DirLab, grid};
    for (const int frame : {0, out})
        folder.write(pointsName(job, frame), [&](const std::string& path) {
            writeLandmarks(path, frameOf(tracks, frame), asVoxels);
        });
    folder.write(tracksName(job), [&](const std::string& path) { writeTracks(path, tracks); });

    Json images = Json::array();
    Volume voxels(grid, *ctx.pool, "phantom");
    for (int frame = 0; frame < frames; ++frame) {
        ctx.throwIfCancelled();
        ctx.report(fmt::format("image {} of {}", frame + 1, frames),
                   static_cast<double>(frame) / frames);
        phantom.image(frame, voxels.view(), ctx);
        folder.write(imageName(job, frame),
                     [&](const std::string& path) { writeDirLabImage(path, voxels.view()); });
        if (!isPublished(job))
            folder.write(headerName(job, frame), [&](const std::string& path) {
                writeRawHeader(path, grid, imageName(job, frame));
            });
        images.push_back(isPublished(job) ? imageName(job, frame) : headerName(job, frame));
    }
    if (job.truthField)
        folder.write(truthName(job), [&](const std::string& path) {
            writeField(path, toMillimeters(phantom.truth(0, out, ctx), *ctx.pool),
                       FieldFormat::MetaImage);
        });

    return {{"program", programOf()},
            {"shape", "lungs"},
            {"frame_of_reference", "LPS"},
            {"units", "mm"},
            {"case", job.of.name()},
            {"size", grid.size()},
            {"spacing_mm", grid.spacing()},
            {"frames", frames},
            {"breath_mm", options.breathMillimeters},
            {"unevenness", options.unevenness},
            {"keeps_mass", options.keepsMass},
            {"noise_hounsfield", options.noiseHounsfield},
            {"seed", options.seed},
            {"images", std::move(images)},
            {"landmarks",
             {{"count", points.size()},
              {"voxels", {pointsName(job, 0), pointsName(job, out)}},
              {"exact", tracksName(job)}}},
            {"truth", job.truthField ? Json(truthName(job)) : Json(nullptr)}};
}

} // namespace systole
