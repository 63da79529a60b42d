// The recorded state of files that a step of a cohort reads or writes.
#pragma once

#include <string>
#include <vector>

namespace systole {

struct FileState {
    std::string file;   ///< relative to the folder of the cohort, or absolute
    std::string stamp;  ///< size, inode, dates of content and inode; unchanged: nobody wrote to it
    std::string sha256; ///< empty until computed by hashOf()
    bool operator==(const FileState&) const = default;
};

/// States, without hashes, of files and of all files in folders and below, sorted; links to files
/// are followed. `output` is the folder of the cohort. Throws FileError for a missing path.
std::vector<FileState> stampsOf(const std::string& output, const std::vector<std::string>& paths);

/// SHA-256 of the file, in hexadecimal; reads it. `output` is the folder of the cohort. Throws
/// FileError.
std::string hashOf(const std::string& output, const FileState& file);

/// The executable of this process, with its hash. Throws FileError.
FileState ownProgram();

/// The image and the files in which its header says that the voxels are (.mhd, .nhdr, .hdr).
std::vector<std::string> filesOfImage(const std::string& image);

} // namespace systole
