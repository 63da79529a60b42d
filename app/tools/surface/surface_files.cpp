// Surfaces from files and into them, and their volumes.
#include "app/surface/ejection.h"
#include "app/tools/surface/surface_tool.h"
#include "io/meshes/mesh_file.h"
#include "io/writer.h"

#include <fmt/format.h>

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
                                  .types = mesh ? "Meshes (*.vtp *.stl *.ply *.obj)" : ""},
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

void SurfaceTool::saveVolumes() {
    if (!session().opened)
        return;
    host().save(
        "Volumes and areas",
        {.title = "Save volumes and areas to", .types = "csv (*.csv)", .name = "volumes.csv"},
        [csv = volumes()](const std::string& path) { writeTextAtomically(path, csv); });
}

} // namespace systole
