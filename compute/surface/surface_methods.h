// The list of methods that denoise a surface, as data: `systole denoise` and, later, the panel
// follow from it.
#pragma once

#include "compute/core/exec.h"
#include "compute/core/params.h"
#include "compute/core/volume.h"
#include "compute/surface/nonlocal_means.h"

#include <functional>
#include <string>
#include <vector>

namespace systole {

struct SurfaceMethod {
    std::string name;  ///< NAME in --method NAME
    std::string title; ///< one line for people
    const ParamTable* parameters;
    std::string preset; ///< default preset of the parameters; empty: they have none
    std::vector<Backend> backends;
    /// Changes phi, a signed distance in mm on the grid, where the surface is noisy, and says what
    /// noise it found. Throws ComputeError, and Cancelled within 0.2 s of ctx.cancel. phi lies on
    /// the host; with Backend::Cuda it goes to the device and back. Null: nothing to do.
    std::function<DenoiseReport(VolumeView<float> phi, const Geometry& geometry,
                                const ParamSet& parameters, const ExecContext& ctx)>
        run;

    ParamSet defaults() const {
        return preset.empty() ? ParamSet(*parameters) : ParamSet(*parameters, preset);
    }
};

/// The first is what `denoise` does unasked; the last leaves the surface as it is.
const std::vector<SurfaceMethod>& surfaceMethods();

} // namespace systole
