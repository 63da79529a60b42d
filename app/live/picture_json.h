// The record of a picture as JSON, the text "systole" of its PNG file.
#pragma once

#include "app/live/picture_record.h"

#include <string>

namespace systole {

/// ASCII on one line.
std::string toJson(const PictureRecord& record);

/// Checks everything: the text may come from a hostile file. Throws FileError that begins with
/// `path`, the file's name.
PictureRecord pictureFromJson(const std::string& text, const std::string& path);

} // namespace systole
