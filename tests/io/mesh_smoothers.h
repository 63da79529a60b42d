// The smoothers of meshes that users know, as peers of denoising: Taubin's lambda | mu, and VTK's
// windowed sinc.
#pragma once

#include "compute/core/triangle_mesh.h"

namespace systole::test {

/// 60 steps of lambda 0.6 and mu by turns (Taubin 1995) with this pass band.
TriangleMesh taubin(TriangleMesh mesh, double passBand);
/// vtkWindowedSincPolyDataFilter with 50 iterations and this pass band, edges not kept apart.
TriangleMesh windowedSinc(TriangleMesh mesh, double passBand);

} // namespace systole::test
