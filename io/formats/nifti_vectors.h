// What a NIfTI header says of three numbers per voxel.
#pragma once

#include "compute/core/field_convention.h"
#include "io/formats/nifti_header.h"

namespace systole {

/// By intent_code, intent_name and intent_p1.
StatedConvention niftiVectors(const NiftiHeader& header);

} // namespace systole
