// The surface of one frame, its measures, and what it took.
#pragma once

#include "compute/core/exec.h"
#include "render/scene_surface.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace systole {

struct LiveSurface {
    int frame = 0;
    std::shared_ptr<const SceneSurface> scene; ///< the drawn surface; null: none, see `problem`
    std::string problem; ///< reason for a missing surface, one sentence; empty: there is one
    double milliliters = 0, squareCentimeters = 0; ///< enclosed volume and area
    bool closed = true;       ///< false: it encloses no volume, which is then 0
    bool touchesEdge = false; ///< it touches the edge of its grid; see hasLid()
    bool carried = false;     ///< it is carried by the motion from the first frame
    bool still = false;       ///< it is from a label map whose only frame stands for all
    /// Stages of its making and their seconds, in their order.
    std::vector<std::pair<std::string, double>> stages;
    Backend backend = Backend::Cpu; ///< backend that made it
    /// Note that it is coarser, or not made on the requested device; empty: neither.
    std::string note;
    int bandElements = 0; ///< voxels of the band that was denoised; 0: it wasn't
    std::string denoised; ///< the noise found and what was chosen; empty: it wasn't

    double seconds() const {
        double sum = 0;
        for (const auto& stage : stages)
            sum += stage.second;
        return sum;
    }
};

/// The surfaces of a sequence by frame; null: not made yet.
using LiveSurfaces = std::vector<std::shared_ptr<const LiveSurface>>;

/// Every frame has one.
bool complete(const LiveSurfaces& frames);

/// frame, time_s, volume_ml, area_cm2, contour of the frames there are; `seconds` per frame, empty:
/// unknown. `contour` says how they came about.
std::string volumesCsv(const LiveSurfaces& frames, const std::vector<double>& seconds,
                       const std::string& contour);

} // namespace systole
