// The interface of readers of single image files; source.cpp lists them.
#pragma once

#include "io/base/open_options.h"
#include "io/base/stored_image.h"

#include <string>
#include <string_view>

namespace systole {

struct ImageReader {
    const char* name;
    const char* extensions; ///< extensions in the message that lists readable formats
    /// Whether the file has this format, judged by its first bytes (inflated when it is gzip) and
    /// its name.
    bool (*recognizes)(const std::string& path, std::string_view beginning);
    /// Reads and checks the header and finds the voxels. Throws FileError.
    StoredImage (*read)(const std::string& path, const OpenOptions& options);
};

/// The header of one image file of any known format, of gray values or vectors. Throws FileError.
StoredImage readStoredImage(const std::string& path, const OpenOptions& options);

} // namespace systole
