// Colors, spacing and font of the panels.
#pragma once

namespace systole {

/// Sets the style of the current ImGui context.
void applyPanelStyle();
/// Adds the font to its atlas, rasterized for so many framebuffer pixels per logical pixel; ImGui's
/// own where no font file is found.
void addPanelFont(float pixelRatio);

} // namespace systole
