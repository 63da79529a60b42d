// Position of the grid according to a NIfTI header: its sform, its qform, and pixdim.
#pragma once

#include "compute/core/geometry.h"
#include "io/formats/nifti_header.h"

#include <string>
#include <vector>

namespace systole {

/// The note on a header without sform and qform; empty: it has one.
std::string assumedNiftiOrientation(const NiftiHeader& header);

/// The sform where it is stated and usable, else the qform; RAS becomes LPS. A note names what
/// isn't usable or contradicts, and what is used instead. Throws FileError where nothing is.
Geometry niftiGeometry(const std::string& path, const NiftiHeader& header, Size3 size,
                       std::vector<std::string>& notes);

} // namespace systole
