// Formats that ITK reads for us, behind our own checks: VTK legacy and GIPL.
#pragma once

#include "io/open_options.h"
#include "io/stored_image.h"

#include <cstddef>
#include <span>
#include <string>

namespace systole {

/// As ImageReader (io/image_reader.h) has them. Recognized by the file's extension, as in ITK.
bool recognizesItkImage(const std::string& path, std::span<const std::byte> beginning);
/// FileError also for whatever ITK throws.
StoredImage readItkImage(const std::string& path, const OpenOptions& options);

} // namespace systole
