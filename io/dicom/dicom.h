// DICOM: a folder or files of slices (classic or enhanced multi-frame), or the Cartesian 3D+t echo
// that Philips QLAB exports.
#pragma once

#include "compute/core/sequence.h"
#include "io/base/open_options.h"
#include "io/dicom/file.h"

#include <string>
#include <vector>

namespace systole {

/// `named` is the path given by the user, for titles and messages about the whole series.
Sequence openDicomFiles(const std::string& named, const std::vector<std::string>& files,
                        const OpenOptions& options);
/// Every DICOM file below the folder.
Sequence openDicomFolder(const std::string& folder, const OpenOptions& options);

bool isPhilipsCartesian(const DicomFile& file);
Sequence openPhilipsCartesian(const DicomFile& file, const OpenOptions& options);

} // namespace systole
