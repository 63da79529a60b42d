// The signed distance of one frame while its surface is made: on the host, or with Backend::Cuda in
// device memory, where everything that follows is done, too.
#pragma once

#include "app/task/backend.h"
#include "compute/core/exec.h"
#include "compute/core/triangle_mesh.h"
#include "compute/core/volume.h"
#include "compute/surface/isosurface_device.h"
#include "compute/surface/nonlocal_means.h"
#include "compute/surface/surface_methods.h"

#include <memory>
#include <vector>

namespace systole {

/// A surface on the host and, if it was made there, on the device as well.
struct ExtractedSurface {
    std::shared_ptr<TriangleMesh> mesh;
    std::shared_ptr<const DeviceMesh> onDevice; ///< null: on the host only
};

/// Denoises a distance on the host by a method, under the device policy: a device works on a copy,
/// so that what it leaves half done is lost with it. Throws what the method throws.
DenoiseReport denoiseUnder(DevicePolicy& device, const SurfaceMethod& method, Volume& phi,
                           const ParamSet& parameters, const ExecContext& ctx);

class FrameDistance {
public:
    /// `source` on the host. Throw as distanceOfLabel() and distanceOfThreshold() do.
    static FrameDistance ofLabel(const Volume& source, int label, const ExecContext& ctx);
    static FrameDistance ofThreshold(const Volume& source, float threshold, const ExecContext& ctx);

    /// Closed at the grid's edge.
    ExtractedSurface extract(const ExecContext& ctx) const;
    /// Denoises, and keeps what was before.
    DenoiseReport denoise(const NonlocalMeansParameters& parameters, const ExecContext& ctx);
    /// Distances of the surface's points from the zero level before denoise(), mm.
    std::vector<float> distancesFromOriginal(const ExtractedSurface& surface,
                                             const ExecContext& ctx) const;

private:
    FrameDistance(const Geometry& geometry, const ExecContext& ctx);

    Volume phi_, noisy_;
};

} // namespace systole
