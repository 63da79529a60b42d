#include "app/features/surface/surface_choice.h"

#include "app/base/error.h"
#include "io/meshes/mesh_file.h"

#include <charconv>
#include <iterator>

namespace systole {

const char* name(SurfaceOrigin source) {
    static constexpr const char* names[] = {"none", "label map", "threshold", "mesh",
                                            "segmentation"};
    // The names have the order of surfaceOrigins.
    static_assert(std::size(names) == std::size(surfaceOrigins));
    return names[static_cast<std::size_t>(source)];
}

std::string contourText(SurfaceOrigin source, bool carried, const std::string& method) {
    if (carried)
        return "carried by the motion (" + method + ")";
    return source == SurfaceOrigin::Threshold ? "threshold in each frame"
           : source == SurfaceOrigin::Labels  ? "labels of each frame"
                                              : "contours found in each frame";
}

SurfaceChoice surfaceFromOption(const std::string& text) {
    SurfaceChoice choice;
    choice.revision = 1;
    choice.file = text;
    choice.source = isMeshFile(text) ? SurfaceOrigin::Mesh : SurfaceOrigin::Labels;
    const std::size_t colon = text.rfind(':');
    if (choice.source == SurfaceOrigin::Mesh || colon == std::string::npos || colon == 0)
        return choice;
    const char* const begin = text.data() + colon + 1;
    const char* const end = text.data() + text.size();
    int label = 0;
    const auto parsed = std::from_chars(begin, end, label);
    if (begin == end || parsed.ptr != end)
        return choice; // the colon belongs to the name
    if (parsed.ec != std::errc{} || label < 1)
        throw UsageError("--surface: expected FILE or FILE:LABEL with a label from 1, found '" +
                         text + "'");
    choice.file = text.substr(0, colon);
    choice.label = label;
    return choice;
}

} // namespace systole
