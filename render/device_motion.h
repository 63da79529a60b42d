// What is shown of frames and fields that lie on the CUDA device that draws: the twins of
// glyph_sampling.h, of the host's map of magnitudes and of the probe. Volumes and fields in device
// memory; positions and displacements in LPS mm.
#pragma once

#include "compute/cuda/interop.h"
#include "render/glyph_sampling.h"

#include <memory>
#include <optional>

namespace systole {

/// Fills a texture of single floats with |displacement| in mm.
InteropWrite magnitudeToTexture(std::shared_ptr<const VectorField> field);

/// Fills a buffer with a Glyph for each place of the lattice; places without an arrow get one of
/// length 0, so that nobody needs to know how many there are. `image` (null: everywhere) takes the
/// place of rules.image.
InteropWrite glyphsToBuffer(std::shared_ptr<const VectorField> field,
                            std::shared_ptr<const Volume> image, const GlyphLattice& lattice,
                            GlyphRules rules);

/// As the functions on the host. The calling thread waits for a few bytes.
std::optional<float> valueAt(CudaInterop& interop, const Volume& volume, Vec3 position);
std::optional<Vec3> displacementAt(CudaInterop& interop, const VectorField& field, Vec3 position);

} // namespace systole
