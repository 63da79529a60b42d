// NRRD, also the sequences of .seq.nrrd with either order of the axes.
#pragma once

#include "io/open_options.h"
#include "io/stored_image.h"

#include <cstddef>
#include <span>
#include <string>

namespace systole {

/// As ImageReader (io/image_reader.h) has them.
bool recognizesNrrd(const std::string& path, std::span<const std::byte> beginning);
StoredImage readNrrd(const std::string& path, const OpenOptions& options);

} // namespace systole
