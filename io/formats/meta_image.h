// MetaImage: .mha, and .mhd with its data file.
#pragma once

#include "io/open_options.h"
#include "io/stored_image.h"

#include <cstddef>
#include <span>
#include <string>

namespace systole {

/// As ImageReader (io/image_reader.h) has them.
bool recognizesMetaImage(const std::string& path, std::span<const std::byte> beginning);
StoredImage readMetaImage(const std::string& path, const OpenOptions& options);

} // namespace systole
