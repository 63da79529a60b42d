#include "app/base/picture_file.h"

#include "io/formats/writer.h"

namespace systole {

void writePng(const std::string& path, const RgbaImage& image) {
    writeTextAtomically(path, encodePng(image));
}

} // namespace systole
