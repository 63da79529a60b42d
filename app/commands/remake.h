// Makes a saved picture again from its record: the same pixels on the same machine.
#pragma once

#include "app/live/picture_record.h"
#include "render/image.h"

#include <functional>
#include <string>
#include <vector>

namespace systole {

struct Remade {
    RgbaImage image;                   ///< without a caption
    PictureRecord record;              ///< of the new picture
    std::vector<std::string> warnings; ///< one sentence each: why it may differ
};

/// `picture` is the name of the picture's file, for messages. `files`: the image now; empty: where
/// the record says, or else beside the picture. Throws FileError, ComputeError (the motion can't be
/// estimated here) and RenderError.
Remade remakePicture(const PictureRecord& record, const std::string& picture,
                     const std::vector<std::string>& files, int threads,
                     const std::function<void(const std::string& phase, double part)>& progress);

} // namespace systole
