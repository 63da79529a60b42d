// Bull's-eyes, curves and tables on a page of their own: the picture that is saved.
#pragma once

#include "app/features/cardiac/cardiac_plots.h"
#include "render/base/image.h"

#include <string>

namespace systole {

inline constexpr int cardiacPageWidth = 1280, cardiacPageHeight = 860;

/// Draws into an offscreen framebuffer. The OpenGL context is current and its functions are loaded.
RgbaImage drawCardiacPage(const CardiacShown& shown, const std::string& heading, double pixelRatio);

} // namespace systole
