// Images of several kinds at one place and time, such as magnitude and phase: one kind makes a
// sequence.
#pragma once

#include "io/dicom/planes.h"

#include <string>
#include <vector>

namespace systole {

using DicomStack = std::vector<DicomPlane>; ///< planes at one position

/// Leaves in the stacks the images of one kind: that of the file `wanted` if it is among them, else
/// magnitude before phase, originals before what was derived from them, the first echo, the first
/// acquisition. Copies of an image are left out. Notes say what was left out and how to read it.
/// Throws FileError when nothing but their numbers tells images of one place and time apart.
void keepOneKind(std::vector<DicomStack>& stacks, const std::string& wanted,
                 std::vector<std::string>& notes);

} // namespace systole
