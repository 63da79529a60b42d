// Copies of an image among the files of a folder.
#pragma once

#include "io/dicom/pixels.h"
#include "io/dicom/planes.h"

#include <string>
#include <vector>

namespace systole {

/// Whether two planes hold the same numbers. Reads both. Throws FileError.
bool havePixelsOfOne(DicomPixelReader& reader, const DicomPlane& a, const DicomPlane& b);

/// Files with one SOP instance UID are copies of one image, of which one is kept, that named
/// `wanted` if it is among them, with a note.
/// Throws FileError when they lie at one place and time and their pixels differ. Where their places
/// or times differ, the UID is wrong, and all are kept, with a note.
void leaveOutCopies(std::vector<DicomPlane>& planes, const std::string& wanted,
                    std::vector<std::string>& notes);

} // namespace systole
