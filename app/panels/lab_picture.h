// The laboratory's answer as a picture: the curves that the panel draws, on a page of their own.
#pragma once

#include "compute/lab/laboratory.h"
#include "render/image.h"

#include <string>

namespace systole {

inline constexpr int labPictureWidth = 1280, labPictureHeight = 800;

/// Into a framebuffer of its own. The context is current, and the program's OpenGL functions are
/// loaded (a scene was initialised in it).
RgbaImage drawLaboratory(const lab::LabAnswer& answer, int width, int height,
                         double pixelRatio = 1);

/// PNG without a display. Throws RenderError and FileError.
void writeLaboratoryPicture(const lab::LabAnswer& answer, const std::string& path,
                            int width = labPictureWidth, int height = labPictureHeight);

} // namespace systole
