// Raw images of DIR-Lab: int16 voxels in the order x, y, z, little-endian, and nothing else.
#pragma once

#include "compute/core/volume.h"
#include "io/base/open_options.h"
#include "io/base/stored_image.h"
#include "io/dirlab/cases.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace systole {

/// An image named as DIR-Lab names them: case1_T00_s.img, case6_T50.img, copd3_eBHCT.img, or the
/// same with the extension of a format that has a header.
struct DirLabImageName {
    DirLabCase of;
    int phase = 0;        ///< phase as in DirLabName
    std::size_t rank = 0; ///< formats with a header before .img
};
std::optional<DirLabImageName> dirLabImageName(const std::string& path);

/// Whether the file is an .img with such a name and without an .hdr next to it. Entry of the list
/// in source.cpp.
bool recognizesDirLabImage(const std::string& path, std::string_view beginning);
/// Reads the image as the case in its name, which must have one. Throws FileError unless the file
/// has exactly the voxels of that case.
StoredImage readDirLabImage(const std::string& path, const OpenOptions& options);
/// Reads a file of any name as an image of the given case. Throws FileError unless the file has
/// exactly the voxels of that case.
StoredImage readDirLabImageAs(const DirLabCase& of, const std::string& path,
                              const OpenOptions& options);

/// The images of one case that lie in a folder, by phase, one file each; empty if there are none.
/// Throws FileError if there are images of several cases.
std::vector<std::string> dirLabImagesIn(const std::string& folder);

/// Rounded to whole numbers from −32768 to 32767. Throws FileError.
void writeDirLabImage(const std::string& path, VolumeView<const float> voxels);
/// A MetaImage header (.mhd) for such a file, for grids other than the published ones.
void writeRawHeader(const std::string& path, const Geometry& grid, const std::string& dataFile);

} // namespace systole
