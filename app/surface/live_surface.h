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
    bool closed = true; ///< false: it encloses no volume, which is then 0
    /// Stages of its making and their seconds, in their order.
    std::vector<std::pair<std::string, double>> stages;
    Backend backend = Backend::Cpu; ///< that made it
    std::string note;               ///< why not the device that was asked for; empty: it was that
    int bandElements = 0;           ///< voxels of the band that was denoised; 0: it wasn't

    double seconds() const {
        double sum = 0;
        for (const auto& stage : stages)
            sum += stage.second;
        return sum;
    }
};

/// The surfaces of a sequence by frame; null: not made yet.
using LiveSurfaces = std::vector<std::shared_ptr<const LiveSurface>>;

/// End-diastolic and end-systolic volume, the largest and the smallest.
struct Ejection {
    int largestFrame = 0, smallestFrame = 0;
    double largest = 0, smallest = 0; ///< ml
    double fraction = 0;              ///< (largest − smallest) / largest
};
/// Needs the closed surface of every frame, and at least two; false otherwise.
bool ejectionOf(const LiveSurfaces& frames, Ejection& ejection);

/// frame, time_s, volume_ml, area_cm2 of the frames there are; `seconds` per frame, empty: unknown.
std::string volumesCsv(const LiveSurfaces& frames, const std::vector<double>& seconds);

} // namespace systole
