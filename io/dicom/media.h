// DICOM files that lie in a folder or that the DICOMDIR of a medium names.
#pragma once

#include "io/dicom/file.h"

#include <string>
#include <vector>

namespace systole {

/// How far below a folder DICOM files are looked for.
enum class FolderDepth { ThisFolder, PatientStudySeries };

/// A file that may be one of the images by its name, and holds none.
struct NoDicomFile {
    std::string path;
    std::string what; ///< "empty", "a web page", "its content isn't here"
};
/// "'IM010' and 2 more (empty), 'README.dcm' (a web page)", by their places below what was opened.
std::string listOf(const std::string& opened, const std::vector<NoDicomFile>& files);

struct DicomFolder {
    std::vector<std::string> files; ///< DICOM files, sorted
    std::vector<NoDicomFile> others;
};

/// Every DICOM file below the folder. Hidden files and folders, and what archives of a Mac
/// add, are left out, with a note if they are named like DICOM files. Throws FileError when the
/// folder can't be read, and for what may be a DICOM file by its name and whose content isn't here
/// or can't be looked at: an image would be missing.
DicomFolder dicomFilesIn(const std::string& folder, FolderDepth depth,
                         std::vector<std::string>& notes);

/// Whether the file is a directory of a medium, whatever its name.
bool isMediaDirectory(const DicomFile& file);
/// The files that a DICOMDIR names, below its own folder, in its order, without those that are
/// missing, which a note counts. Throws FileError when it names none that is there, or one whose
/// content isn't here.
std::vector<std::string> filesOfMediaDirectory(const DicomFile& directory,
                                               std::vector<std::string>& notes);

/// A file as messages name it: its path below the folder of what the user opened; the whole path if
/// it lies elsewhere.
std::string nameBelow(const std::string& opened, const std::string& path);

} // namespace systole
