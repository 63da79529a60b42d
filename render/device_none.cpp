// Functions for builds without CUDA, which have no device whose motion could be shown.
#include "render/base/error.h"
#include "render/device_motion.h"

namespace systole {
namespace {

[[noreturn]] void none() { throw RenderError("the program was built without CUDA"); }

} // namespace

// These need a CudaInterop, which such a build cannot make, so they are never called.
InteropWrite magnitudeToTexture(std::shared_ptr<const VectorField>) { none(); }
std::shared_ptr<const DeviceAxes> axesOnDevice(const cardiac::HeartAxesMap&, CudaInterop&) {
    none();
}
InteropWrite strainToTexture(std::shared_ptr<const VectorField>, std::shared_ptr<const DeviceAxes>,
                             const StrainChoice&) {
    none();
}
InteropWrite glyphsToBuffer(std::shared_ptr<const VectorField>, std::shared_ptr<const Volume>,
                            const GlyphLattice&, GlyphRules) {
    none();
}
std::optional<float> valueAt(CudaInterop&, const Volume&, Vec3) { none(); }
std::optional<Vec3> displacementAt(CudaInterop&, const VectorField&, Vec3) { none(); }

} // namespace systole
