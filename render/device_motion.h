// Display of frames and fields in the memory of the CUDA device that draws: the device versions of
// glyph_sampling.h, of the host's magnitude map and of the probe. Positions and displacements in
// LPS mm.
#pragma once

#include "compute/cardiac/axis_strain.h"
#include "compute/cuda/interop.h"
#include "render/glyph_sampling.h"

#include <memory>
#include <optional>

namespace systole {

/// Fills a texture of single floats with |displacement| in mm.
InteropWrite magnitudeToTexture(std::shared_ptr<const VectorField> field);

/// Axes of a heart on the device that draws.
struct DeviceAxes {
    Geometry grid;
    Buffer<float> planes; ///< planes as in HeartAxesMap
    std::shared_ptr<const CudaEvent> ready;
};
std::shared_ptr<const DeviceAxes> axesOnDevice(const cardiac::HeartAxesMap& axes,
                                               CudaInterop& interop);

struct StrainChoice {
    int direction = 0; ///< index in cardiac::directionNames
    cardiac::Tensor tensor = cardiac::Tensor::Engineering;
    /// Motion to the time from which strain counts, of the same grid; null: the motion's beginning.
    std::shared_ptr<const VectorField> since{};
};
/// Fills a texture of single floats with the strain (cardiac::axisStrain(), strainSince()) that a
/// motion on the axes' grid has led to, carried along with it (carriedValue()).
InteropWrite strainToTexture(std::shared_ptr<const VectorField> field,
                             std::shared_ptr<const DeviceAxes> axes, const StrainChoice& choice);

/// Fills a buffer with a Glyph for each point of the lattice; points without an arrow get one of
/// length 0, so that no count is needed. `image` (null: everywhere) replaces rules.image.
InteropWrite glyphsToBuffer(std::shared_ptr<const VectorField> field,
                            std::shared_ptr<const Volume> image, const GlyphLattice& lattice,
                            GlyphRules rules);

/// Same results as the host functions. The calling thread waits for a few bytes.
std::optional<float> valueAt(CudaInterop& interop, const Volume& volume, Vec3 position);
std::optional<Vec3> displacementAt(CudaInterop& interop, const VectorField& field, Vec3 position);

} // namespace systole
