// The laboratory's answer as a picture: the panel's plots as a full page.
#pragma once

#include "compute/lab/laboratory.h"
#include "render/base/image.h"

#include <string>

namespace systole {

inline constexpr int labPictureWidth = 1280, labPictureHeight = 800;

/// Draws into an offscreen framebuffer. The OpenGL context is current and its functions are loaded
/// (a scene was initialized in it).
RgbaImage drawLaboratory(const lab::LabAnswer& answer, int width, int height,
                         double pixelRatio = 1);

/// Writes a PNG without a display. Throws RenderError and FileError.
void writeLaboratoryPicture(const lab::LabAnswer& answer, const std::string& path,
                            int width = labPictureWidth, int height = labPictureHeight);

} // namespace systole
