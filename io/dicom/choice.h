// Choice of the series of a folder that make the sequence, and notes on the others.
#pragma once

#include "io/dicom/order.h"
#include "io/dicom/planes.h"

#include <string>
#include <vector>

namespace systole {

/// A DICOM file that holds no image, or one that isn't read.
struct OtherDicomFile {
    DicomImageFile identity;
    std::string what;  ///< "structured report"
    std::string error; ///< the whole sentence; empty: not an image
    bool isColor = false;
};

struct DicomContents {
    std::vector<DicomPlane> planes; ///< planes of all series
    std::vector<OtherDicomFile> others;
};

/// A sequence in time before single volumes, magnitude before phase, the largest of equals, or that
/// which the file `wanted` belongs to, unless it is empty. Series that hold one phase or one slice
/// each are joined. Notes say which series there are and how to read another. Throws FileError as
/// arrangePlanes() does, and for an image of the chosen series that isn't read.
DicomArrangement chooseAndArrange(const std::string& named, DicomContents contents,
                                  const std::string& wanted);

/// The kind of object in a DICOM file that holds no image, for messages.
std::string objectName(const DicomImageFile& file);

} // namespace systole
