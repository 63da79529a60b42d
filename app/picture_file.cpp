#include "app/picture_file.h"

#include "io/writer.h"

namespace systole {

void writePng(const std::string& path, const RgbaImage& image) {
    writeTextAtomically(path, encodePng(image));
}

} // namespace systole
