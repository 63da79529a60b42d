// Surfaces from files and into them, and their volumes.
#include "app/anatomy/ejection.h"
#include "app/feature/tools.h"
#include "app/features/surface/surface_tool.h"
#include "compute/surface/segment.h"
#include "io/base/numbered_files.h"
#include "io/formats/writer.h"
#include "io/meshes/mesh_file.h"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

namespace systole {

void SurfaceTool::choose(SurfaceOrigin source) {
    const auto set = [this, source](const std::string& file) {
        choice.source = source;
        choice.file = file;
        ++choice.revision;
    };
    const bool mesh = source == SurfaceOrigin::Mesh;
    if (mesh || source == SurfaceOrigin::Labels)
        return host().chooseOpen({.title = mesh ? "Surface in LPS millimeters" : "Label map",
                                  .types = mesh ? "Meshes (*.vtp *.stl *.ply *.obj *.vtk)" : ""},
                                 set);
    if (source == SurfaceOrigin::Threshold && session().opened) {
        const IntensityScale& scale = session().opened->scale;
        choice.threshold = 0.5 * static_cast<double>(scale.low + scale.high);
    }
    set("");
}

void SurfaceTool::saveMesh() {
    if (!hasMesh())
        return;
    host().save("Surface",
                {.title = fmt::format("Save the surface of frame {} to", shown->frame),
                 .types = "Meshes (*.vtp *.stl *.ply *.obj)",
                 .name = fmt::format("surface_{:04}.vtp", shown->frame)},
                [mesh = shown->scene->mesh](const std::string& path) { writeMesh(path, *mesh); });
}

void SurfaceTool::saveMeshes(std::function<void()> then) {
    std::vector<int> numbers;
    std::vector<std::shared_ptr<const TriangleMesh>> meshes;
    for (const auto& made : frames())
        if (made && made->scene && made->scene->mesh) {
            numbers.push_back(made->frame);
            meshes.push_back(made->scene->mesh);
        }
    if (meshes.empty())
        return;
    const char* const hint = meshes.size() > 1 ? "; each file gets its frame's number" : "";
    host().chooseSave(
        {.title = fmt::format("Save the surfaces of {} frames{}", meshes.size(), hint),
         .types = "Meshes (*.vtp *.stl *.ply *.obj)",
         .name = "surface.vtp"},
        [=, this, saved = frames(), then = std::move(then)](const std::string& path) {
            const auto write = [=](std::size_t index, const std::string& file) {
                writeMesh(file, *meshes[index]);
            };
            host().write(
                namedByFrame("Surfaces", numbers), firstNumbered(path, numbers),
                [=] { writeNumbered(path, numbers, write); },
                [=, this] {
                    saved_ = saved;
                    then();
                });
        });
}

/// Denoised surfaces, and others that took long; what lies in a file already doesn't count.
std::vector<UnsavedWork> SurfaceTool::unsaved() {
    std::size_t made = 0;
    double seconds = 0;
    for (const auto& frame : frames())
        if (frame && frame->scene && frame->scene->mesh) {
            ++made;
            for (const auto& [stage, took] : frame->stages)
                seconds += took;
        }
    const bool matters = choice.denoise || seconds >= longWorkSeconds;
    if (!choice.isOn() || made == 0 || !matters || frames() == saved_)
        return {};
    return {{fmt::format("{}surface{}", choice.denoise ? "denoised " : "",
                         made == 1 ? "" : fmt::format("s of {} frames", made)),
             [this](std::function<void()> then) { saveMeshes(std::move(then)); }}};
}

std::string SurfaceTool::volumes() const {
    const std::vector<double> seconds =
        session().opened ? session().opened->sequence.timesSeconds : std::vector<double>{};
    const bool carried = choice.isCarried();
    std::string csv = volumesCsv(frames(), seconds, contours(carried));
    if (comparesWays() && ejectionOf(others())) {
        const std::string more = volumesCsv(others(), seconds, contours(!carried));
        csv += more.substr(more.find('\n') + 1);
    }
    return csv;
}

std::string SurfaceTool::contours(bool carried) const {
    return contourText(choice.source, carried, session().motion.method->name);
}

std::vector<KnownEjection> SurfaceTool::ejections() const {
    const bool isChamber =
        choice.source == SurfaceOrigin::Segmentation && choice.label == chamberLabel;
    std::vector<KnownEjection> known;
    for (const bool carried : {false, true})
        if (const auto ejection = isChamber ? ejectionOf(series(carried).frames) : std::nullopt)
            known.push_back({"surface, " + contours(carried), *ejection});
    return known;
}

std::optional<int> SurfaceTool::origin() const {
    const auto* const source = tools().find<LabelSource>();
    return choice.source == SurfaceOrigin::Segmentation && source ? source->origin() : std::nullopt;
}

std::vector<std::string> SurfaceTool::doubts() const {
    const auto* const source = tools().find<LabelSource>();
    return choice.source == SurfaceOrigin::Segmentation && source ? source->doubts()
                                                                  : std::vector<std::string>{};
}

void SurfaceTool::saveVolumes() {
    if (!session().opened)
        return;
    host().save(
        "Volumes and areas",
        {.title = "Save volumes and areas to", .types = "csv (*.csv)", .name = "volumes.csv"},
        [csv = volumes()](const std::string& path) { writeTextAtomically(path, csv); });
}

} // namespace systole
