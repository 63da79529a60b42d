// Conventions that a NRRD header states for three numbers per voxel.
#pragma once

#include "compute/core/field_convention.h"
#include "io/formats/nrrd_header.h"

#include <string>

namespace systole {

struct NrrdVectorField {
    StatedConvention stated;
    double millimeters = 1; ///< length of one unit of the numbers, mm
};

/// `kind` is that of the axis of components, in lower case. By it, "measurement frame", "space",
/// "sample units" and Slicer's "displacement field type". Throws FileError.
NrrdVectorField nrrdVectors(const std::string& path, const NrrdHeader& header,
                            const std::string& kind);

} // namespace systole
