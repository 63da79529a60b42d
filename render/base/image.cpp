#include "render/base/image.h"

#include "render/base/error.h"

#include <png.h>
#include <string>

namespace systole {

/// libpng itself, which tells what it lacks: VTK's writer of PNG ends the program where memory is
/// short.
std::string encodePng(const RgbaImage& image) {
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    png.width = static_cast<png_uint_32>(image.width);
    png.height = static_cast<png_uint_32>(image.height);
    png.format = PNG_FORMAT_RGBA;
    std::string bytes(PNG_IMAGE_PNG_SIZE_MAX(png), '\0');
    png_alloc_size_t size = bytes.size();
    if (png_image_write_to_memory(&png, bytes.data(), &size, 0, image.pixels.data(), 0, nullptr) ==
        0)
        throw RenderError(std::string("a picture could not be packed as PNG: ") + png.message);
    bytes.resize(size);
    return bytes;
}

} // namespace systole
