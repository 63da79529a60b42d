// The readers of single image files, as ImageReader (io/base/image_reader.h) has them: each tells
// by the beginning of a file (inflated when it is gzip) and its name whether it reads it. All throw
// FileError.
#pragma once

#include "io/base/open_options.h"
#include "io/base/stored_image.h"

#include <string>
#include <string_view>

namespace systole {

/// NIfTI-1 and -2: one file, or a header and its data.
bool recognizesNifti(const std::string& path, std::string_view beginning);
StoredImage readNifti(const std::string& path, const OpenOptions& options);

/// NRRD, also the sequences of .seq.nrrd with either order of the axes.
bool recognizesNrrd(const std::string& path, std::string_view beginning);
StoredImage readNrrd(const std::string& path, const OpenOptions& options);

/// MetaImage: .mha, and .mhd with its data file.
bool recognizesMetaImage(const std::string& path, std::string_view beginning);
StoredImage readMetaImage(const std::string& path, const OpenOptions& options);

/// VTK legacy: structured points. Recognized by the file's extension.
bool recognizesVtk(const std::string& path, std::string_view beginning);
StoredImage readVtk(const std::string& path, const OpenOptions& options);

/// GIPL, whose header ITK reads for us. Recognized by the file's extension, as in ITK.
bool recognizesItkImage(const std::string& path, std::string_view beginning);
StoredImage readItkImage(const std::string& path, const OpenOptions& options);

} // namespace systole
