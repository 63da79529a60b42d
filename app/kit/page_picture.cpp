#include "app/kit/page_picture.h"

#include "app/kit/imgui_layer.h"
#include "render/gl/offscreen.h"
#include "render/gl/released.h"

#include <algorithm>
#include <cmath>

namespace systole {

RgbaImage pagePicture(int width, int height, double pixelRatio, const std::function<void()>& draw) {
    const auto pixels = [&](int logical) {
        return std::max(1, static_cast<int>(std::lround(logical * pixelRatio)));
    };
    const OffscreenFramebuffer framebuffer(pixels(width), pixels(height));
    Panels none;
    ImGuiLayer layer(none);
    const Released released(layer);
    layer.initialize();
    framebuffer.bind();
    // ImGui knows the content region of a window from the second frame on.
    for (int i = 0; i < 2; ++i)
        layer.drawPage(width, height, pixelRatio, draw);
    return framebuffer.read();
}

} // namespace systole
