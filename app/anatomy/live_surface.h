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
    std::shared_ptr<const SceneSurface> scene; ///< what the views draw; null: none, see `problem`
    std::string problem;                       ///< why there is none, one sentence; empty: there is
    double milliliters = 0, squareCentimeters = 0; ///< enclosed volume and area
    bool closed = true;       ///< false: it encloses no volume, which is then 0
    bool touchesEdge = false; ///< of the grid that it was extracted from; see hasLid()
    bool carried = false;     ///< of a sequence that is carried by the motion, as its first frame
    bool still = false;       ///< of a label map whose one frame is that of every frame
    /// Stages of its making and their seconds, in their order.
    std::vector<std::pair<std::string, double>> stages;
    Backend backend = Backend::Cpu; ///< that made it
    std::string note; ///< that it is coarser, or not made on the device asked for; empty: neither
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
