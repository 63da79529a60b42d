// NIfTI-1 and -2: one file, or a header and its data.
#pragma once

#include "io/open_options.h"
#include "io/stored_image.h"

#include <cstddef>
#include <span>
#include <string>

namespace systole {

/// As ImageReader (io/image_reader.h) has them.
bool recognizesNifti(const std::string& path, std::span<const std::byte> beginning);
StoredImage readNifti(const std::string& path, const OpenOptions& options);

} // namespace systole
