#include "app/panels/lab_picture.h"

#include "app/panels/imgui_layer.h"
#include "app/panels/lab_plots.h"
#include "app/picture_file.h"
#include "render/gl/headless_egl.h"
#include "render/gl/offscreen.h"
#include "render/scene.h"

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

/// Releases the OpenGL objects before their context, also after an exception.
class Page {
public:
    Page() : layer_(none_) { layer_.initialize(); }
    ~Page() { layer_.release(); }
    Page(const Page&) = delete;
    Page& operator=(const Page&) = delete;

    ImGuiLayer& layer() { return layer_; }

private:
    Panels none_;
    ImGuiLayer layer_;
};

/// A current OpenGL context with its functions loaded.
class HeadlessContext {
public:
    HeadlessContext() { scene_.initialize(egl_.hooks()); }
    ~HeadlessContext() { scene_.release(); }
    HeadlessContext(const HeadlessContext&) = delete;
    HeadlessContext& operator=(const HeadlessContext&) = delete;

private:
    HeadlessEgl egl_;
    Scene scene_;
};

} // namespace

RgbaImage drawLaboratory(const lab::LabAnswer& answer, int width, int height, double pixelRatio) {
    const auto pixels = [&](int logical) {
        return std::max(1, static_cast<int>(std::lround(logical * pixelRatio)));
    };
    const OffscreenFramebuffer framebuffer(pixels(width), pixels(height));
    Page page;
    framebuffer.bind();
    // ImGui knows the content region of a window from the second frame on.
    for (int i = 0; i < 2; ++i)
        page.layer().drawPage(width, height, pixelRatio, [&] { drawLabPage(answer); });
    return framebuffer.read();
}

void writeLaboratoryPicture(const lab::LabAnswer& answer, const std::string& path, int width,
                            int height) {
    const HeadlessContext context;
    writePng(path, drawLaboratory(answer, width, height));
}

} // namespace systole
