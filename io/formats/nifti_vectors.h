// Conventions that a NIfTI header states for three numbers per voxel.
#pragma once

#include "compute/core/field_convention.h"
#include "io/formats/nifti_header.h"

namespace systole {

/// Convention according to intent_code, intent_name and intent_p1.
StatedConvention niftiVectors(const NiftiHeader& header);

} // namespace systole
