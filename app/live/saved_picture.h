// A picture as a PNG file that says what it shows and how to make it again.
#pragma once

#include "app/live/picture_record.h"
#include "render/base/image.h"

#include <string>

namespace systole {

/// The picture with its caption below it, unless the record's display has it switched off.
RgbaImage captioned(const RgbaImage& picture, const PictureRecord& record);

/// The bytes of a PNG file with the record in its texts: under "systole" as JSON, and under
/// standard keywords. Throws RenderError.
std::string encodePicture(const RgbaImage& image, const PictureRecord& record);

/// The record of a PNG file of ours, which may be hostile. Throws FileError.
PictureRecord readPictureRecord(const std::string& path);

} // namespace systole
