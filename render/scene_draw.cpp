// How a picture comes about: layout, uploads, VTK's passes, the copy to the host's framebuffer.
#include "render/error.h"
#include "render/scene_impl.h"

#include <vtkCommand.h>
#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkOpenGLState.h>
#include <vtkRenderer.h>
#include <vtk_glew.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace systole {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

int pixels(int logical, double ratio) {
    return std::max(1, static_cast<int>(std::lround(logical * ratio)));
}

/// Others drew in this context since VTK did last: VTK must read back the state that it remembers,
/// and the host gets its own state back at the end.
class BorrowedState {
public:
    explicit BorrowedState(vtkOpenGLState* state) : state_(state) {
        state_->Reset();
        state_->Push();
    }
    ~BorrowedState() { state_->Pop(); }
    BorrowedState(const BorrowedState&) = delete;
    BorrowedState& operator=(const BorrowedState&) = delete;

private:
    vtkOpenGLState* state_;
};

} // namespace

Scene::Impl::Impl(const SceneOptions& sceneOptions) : options(sceneOptions) {
    // Before a context exists VTK must not try to draw.
    window->SetReadyForRendering(false);
    window->SetOwnContext(0);
    window->SetFrameBlitModeToNoBlit(); // draw() copies the picture itself
    window->SetMultiSamples(options.multiSamples);
    window->AddObserver(vtkCommand::WindowMakeCurrentEvent, this, &Impl::onWindowEvent);
    window->AddObserver(vtkCommand::WindowIsCurrentEvent, this, &Impl::onWindowEvent);

    ground->SetBackground(0.20, 0.22, 0.27);
    ground->SetBackgroundAlpha(1);
    ground->InteractiveOff();
    window->AddRenderer(ground);
    window->AddRenderer(view3D.renderer());
    for (const SliceView& view : sliceViews)
        window->AddRenderer(view.renderer());
}

Scene::Impl::~Impl() = default;

void Scene::Impl::onWindowEvent(vtkObject*, unsigned long event, void* data) {
    if (event == vtkCommand::WindowMakeCurrentEvent)
        hooks.makeCurrent();
    else
        *static_cast<bool*>(data) = hooks.isCurrent();
}

void Scene::Impl::checkContext() {
    if (!GLEW_VERSION_4_5) {
        const auto* version = reinterpret_cast<const char*>(glGetString(GL_VERSION));
        throw RenderError(std::string("OpenGL 4.5 is needed to draw; this context has ") +
                          (version ? version : "none"));
    }
    rendererName = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    software = false;
    for (const char* word : {"llvmpipe", "softpipe", "swrast", "SWR", "Software"})
        software = software || rendererName.find(word) != std::string::npos;
    quality.setAdaptive(software);
}

/// Gives each view of the layout its part of the window and puts the others to sleep.
void Scene::Impl::arrange() {
    const int w = pixels(width, state.pixelRatio), h = pixels(height, state.pixelRatio);
    window->SetSize(w, h);
    // VTK works in framebuffer pixels; the sizes of its texts follow the dots per inch.
    window->SetDPI(static_cast<int>(std::lround(72 * state.pixelRatio)));
    areas = arrangeViews(state.display.layout, w, h,
                         std::max(1, static_cast<int>(std::lround(2 * state.pixelRatio))));
    view3D.renderer()->DrawOff();
    for (SliceView& view : sliceViews)
        view.renderer()->DrawOff();
    for (const ViewArea& area : areas) {
        vtkRenderer* renderer = view3D.renderer();
        if (SliceView* view = sliceView(area.kind)) {
            view->setArea(area);
            renderer = view->renderer();
        } else {
            view3D.setArea(area);
        }
        renderer->DrawOn();
        renderer->SetViewport(
            area.x / static_cast<double>(w), (h - area.y - area.height) / static_cast<double>(h),
            (area.x + area.width) / static_cast<double>(w), (h - area.y) / static_cast<double>(h));
    }
    layoutChanged = false;
}

void Scene::Impl::prepareSequence() {
    frames = std::make_unique<TextureRing>(state.geometry->size(), halfFloat);
    magnitudes = std::make_unique<TextureRing>(state.geometry->size(), false);
    view3D.setGeometry(state);
    quality.forget();
    sequenceChanged = false;
    transferChanged = true;
}

void Scene::Impl::applyTransfer() {
    activePreset =
        state.display.volumePreset == "auto" ? sequencePreset : state.display.volumePreset;
    if (state.geometry) {
        const Vec3 extent = state.box.extent();
        view3D.setTransfer(volumeTransfer(activePreset, state.low, state.high,
                                          std::max({extent.x, extent.y, extent.z})),
                           state.display.volumeOpacity);
    }
    transferChanged = false;
}

void Scene::Impl::uploadTextures() {
    const auto start = Clock::now();
    std::size_t bytes = 0;
    state.frameTexture = state.magnitudeTexture = 0;
    if (state.frame && state.geometry) {
        const auto shown = frames->show(state.frame, [&] { return state.frame->view(); });
        state.frameTexture = shown.texture;
        bytes += shown.bytes;
    }
    if (state.showsMap()) {
        const auto shown = magnitudes->show(state.result->field, [&] {
            const VectorField& field = *state.result->field;
            const FieldView<const float> view = field.view();
            magnitudeVoxels.resize(field.geometry.voxels());
            for (std::size_t i = 0; i < magnitudeVoxels.size(); ++i)
                magnitudeVoxels[i] = static_cast<float>(length(
                    field.geometry.voxelVectorToPhysical({view.u[i], view.v[i], view.w[i]})));
            return VolumeView<const float>(magnitudeVoxels.data(), view.size);
        });
        state.magnitudeTexture = shown.texture;
        bytes += shown.bytes;
    }
    if (shownColorMap != state.display.colorMap) {
        colorMapTexture = makeColorMapTexture(state.display.colorMap);
        shownColorMap = state.display.colorMap;
    }
    state.colorMapTexture = colorMapTexture.id();

    // The bar goes to the last view of the layout that is wide enough to spare its place.
    const bool bar = state.showsGlyphs() || state.showsMap();
    const bool barIn3D = bar && state.display.layout != Layout::ThreeSlices;
    for (const ViewArea& area : areas) {
        if (SliceView* view = sliceView(area.kind))
            bytes += view->update(state, bar && !barIn3D && area.kind == ViewKind::Sagittal);
        else
            bytes += view3D.update(state, barIn3D);
    }
    if (bytes > 0) {
        times.fieldToGlSeconds = secondsSince(start);
        times.fieldToGlBytes = static_cast<double>(bytes);
    }
}

void Scene::Impl::draw(unsigned framebuffer) {
    {
        const BorrowedState borrowed(window->GetState());
        if (layoutChanged)
            arrange();
        if (sequenceChanged)
            prepareSequence();
        if (transferChanged)
            applyTransfer();
        uploadTextures();
        render(framebuffer);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    dirty = false;
}

void Scene::Impl::render(unsigned framebuffer) {
    const bool volumeShown =
        state.display.layout != Layout::ThreeSlices && state.display.volume && state.frameTexture;
    const double pixelsPerRay = quality.pixelsPerRay();
    view3D.setSampling(pixelsPerRay);

    const auto start = Clock::now();
    timer.begin();
    vtkOpenGLState* gl = window->GetState();
    gl->vtkglDepthFunc(GL_LEQUAL); // what VTK's passes count on and Qt leaves otherwise
    window->Render();
    gl->vtkglBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
    gl->vtkglDisable(GL_SCISSOR_TEST); // would clip the copy
    window->BlitDisplayFramebuffer();
    timer.end();
    if (software)
        glFinish(); // no device to wait for, and the only way to know what the paint cost
    times.renderSeconds = std::max(secondsSince(start), software ? 0 : timer.lastSeconds());

    if (volumeShown)
        quality.painted(times.renderSeconds);
    volumeOwed = volumeShown && pixelsPerRay > 1;
}

RgbaImage Scene::capture() {
    Impl& m = *impl_;
    if (!m.initialized)
        throw RenderError("a picture can't be taken before the scene has an OpenGL context");
    RgbaImage image;
    image.width = pixels(m.width, m.state.pixelRatio);
    image.height = pixels(m.height, m.state.pixelRatio);
    GLuint names[2] = {};
    glCreateTextures(GL_TEXTURE_2D, 1, &names[0]);
    const GlTexture color(names[0]);
    glTextureStorage2D(color.id(), 1, GL_RGBA8, image.width, image.height);
    glCreateFramebuffers(1, &names[1]);
    const GlFramebuffer framebuffer(names[1]);
    glNamedFramebufferTexture(framebuffer.id(), GL_COLOR_ATTACHMENT0, color.id(), 0);
    GLint before = 0;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &before);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer.id());
    m.draw(framebuffer.id());
    glBindFramebuffer(GL_FRAMEBUFFER, static_cast<GLuint>(before));

    const std::size_t row = 4 * static_cast<std::size_t>(image.width);
    const std::size_t rows = static_cast<std::size_t>(image.height);
    std::vector<std::uint8_t> upwards(row * rows);
    glGetTextureImage(color.id(), 0, GL_RGBA, GL_UNSIGNED_BYTE,
                      static_cast<GLsizei>(upwards.size()), upwards.data());
    image.pixels.resize(upwards.size());
    for (std::size_t y = 0; y < rows; ++y)
        std::copy_n(upwards.data() + (rows - 1 - y) * row, row, image.pixels.data() + y * row);
    for (std::size_t i = 3; i < image.pixels.size(); i += 4)
        image.pixels[i] = 255;
    return image;
}

} // namespace systole
