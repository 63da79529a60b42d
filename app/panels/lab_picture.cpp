#include "app/panels/lab_picture.h"

#include "app/panels/imgui_layer.h"
#include "app/panels/lab_plots.h"
#include "app/picture_file.h"
#include "render/gl/headless_egl.h"
#include "render/gl/offscreen.h"
#include "render/gl/released.h"
#include "render/scene.h"

#include <algorithm>
#include <cmath>

namespace systole {

RgbaImage drawLaboratory(const lab::LabAnswer& answer, int width, int height, double pixelRatio) {
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
        layer.drawPage(width, height, pixelRatio, [&] { drawLabPage(answer); });
    return framebuffer.read();
}

void writeLaboratoryPicture(const lab::LabAnswer& answer, const std::string& path, int width,
                            int height) {
    HeadlessEgl egl;
    Scene scene; // loads the functions of OpenGL
    const Released released(scene);
    scene.initialize(egl.hooks());
    writePng(path, drawLaboratory(answer, width, height));
}

} // namespace systole
