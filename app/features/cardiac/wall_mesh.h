// The wall of a left ventricle as triangles, whole or one segment of it.
#pragma once

#include "compute/cardiac/shell.h"
#include "compute/core/triangle_mesh.h"

#include <span>

namespace systole {

/// The wall between the rows and columns of a shell, closed; `segment` 0: all, else the cells whose
/// line nearest to the apex has that number in `segments`, which are by line. Empty if none has.
/// Its inner and outer surface lie `beyond` the wall's, as a fraction of the wall's thickness.
TriangleMesh wallMesh(const cardiac::CarriedShell& shell, std::span<const int> segments,
                      int segment, double beyond = 0);

} // namespace systole
