// What is known of files that a step reads or writes.
#pragma once

#include <string>
#include <vector>

namespace systole {

struct FileState {
    std::string file;   ///< relative to the folder of the cohort, or absolute
    std::string stamp;  ///< size, inode, dates of content and inode: the same: nobody wrote to it
    std::string sha256; ///< empty until hashOf() was asked
    bool operator==(const FileState&) const = default;
};

/// Of files and of all files in folders and below, sorted; links to files are followed. Throws
/// FileError for what isn't there.
std::vector<FileState> stampsOf(const std::string& output, const std::vector<std::string>& paths);

/// Reads the file. Throws FileError.
std::string hashOf(const std::string& output, const FileState& file);

/// The executable of this process, with its hash. Throws FileError.
FileState ownProgram();

/// The image and the files in which its header says that the voxels are (.mhd, .nhdr, .hdr).
std::vector<std::string> filesOfImage(const std::string& image);

} // namespace systole
