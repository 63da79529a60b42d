#include "render/scene.h"

#include "render/error.h"
#include "render/glyph_sampling.h"
#include "render/scene_impl.h"

#include <vtkCommand.h>
#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkOpenGLState.h>
#include <vtkRenderer.h>
#include <vtk_glew.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace systole {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

int pixels(int logical, double ratio) {
    return std::max(1, static_cast<int>(std::lround(logical * ratio)));
}

} // namespace

const char* name(Layout layout) {
    switch (layout) {
    case Layout::Single3D:
        return "single";
    case Layout::ThreeSlices:
        return "three";
    case Layout::FourUp:
        return "four";
    }
    return "";
}

const char* name(ViewKind view) {
    switch (view) {
    case ViewKind::Volume3D:
        return "3D";
    case ViewKind::Axial:
        return "Axial";
    case ViewKind::Coronal:
        return "Coronal";
    case ViewKind::Sagittal:
        return "Sagittal";
    }
    return "";
}

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
    if (layoutChanged)
        arrange();
    if (sequenceChanged)
        prepareSequence();
    if (transferChanged)
        applyTransfer();
    uploadTextures();

    const bool volumeShown =
        state.display.layout != Layout::ThreeSlices && state.display.volume && state.frameTexture;
    const double pixelsPerRay = quality.pixelsPerRay();
    view3D.setSampling(pixelsPerRay);

    const auto start = Clock::now();
    // Others drew in this context since VTK did last: it must read back the state that it
    // remembers, and the host gets its own state back at the end.
    vtkOpenGLState* gl = window->GetState();
    gl->Reset();
    gl->Push();
    gl->vtkglDepthFunc(GL_LEQUAL); // what VTK's passes count on and Qt leaves otherwise
    window->Render();
    gl->vtkglBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
    gl->vtkglDisable(GL_SCISSOR_TEST); // would clip the copy
    window->BlitDisplayFramebuffer();
    gl->Pop();
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    if (software)
        glFinish(); // no device to wait for, and the only way to know what the paint cost
    times.renderSeconds = secondsSince(start);

    if (volumeShown)
        quality.painted(times.renderSeconds);
    volumeOwed = volumeShown && pixelsPerRay > 1;
    dirty = false;
}

Scene::Scene(const SceneOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Scene::~Scene() = default;

void Scene::initialize(const ContextHooks& hooks) {
    Impl& m = *impl_;
    m.hooks = hooks;
    m.window->SetReadyForRendering(true);
    m.window->OpenGLInit(); // loads the OpenGL functions, ours included, and readies its state
    m.checkContext();
    m.initialized = true;
    m.sequenceChanged = m.state.geometry.has_value();
    m.layoutChanged = m.dirty = true;
}

bool Scene::initialized() const { return impl_->initialized; }

void Scene::draw(unsigned framebuffer) {
    if (impl_->initialized)
        impl_->draw(framebuffer);
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

void Scene::release() {
    Impl& m = *impl_;
    if (!m.initialized)
        return;
    m.view3D.release();
    m.window->Finalize(); // what VTK and our props have in OpenGL
    if (m.frames)
        m.frames->clear();
    if (m.magnitudes)
        m.magnitudes->clear();
    m.colorMapTexture.reset();
    m.shownColorMap.reset();
    m.window->SetReadyForRendering(false);
    m.initialized = false;
}

void Scene::resize(int width, int height, double pixelRatio) {
    Impl& m = *impl_;
    m.width = std::max(width, 1);
    m.height = std::max(height, 1);
    m.state.pixelRatio = pixelRatio > 0 ? pixelRatio : 1;
    m.layoutChanged = m.dirty = true;
    m.quality.forget();
    m.arrange();
}

void Scene::setSequence(const Sequence& sequence, float low, float high) {
    Impl& m = *impl_;
    m.state.frame.reset();
    m.state.result.reset();
    m.state.geometry = sequence.geometry;
    m.state.box = boxAround(sequence.geometry);
    m.state.low = std::isfinite(low) ? low : 0;
    m.state.high = std::isfinite(high) && high > m.state.low ? high : m.state.low + 1;
    m.state.display.window = static_cast<double>(m.state.high - m.state.low);
    m.state.display.level = 0.5 * static_cast<double>(m.state.low + m.state.high);
    m.state.crosshair = m.state.box.centre();
    m.seenMaximum = m.state.typicalMagnitude = 0;
    m.state.colorMaximum = m.state.display.colorMaximum;
    m.sequencePreset = presetOfModality(sequence.modality);
    m.presetOpen = m.sequencePreset.empty();
    if (m.presetOpen)
        m.sequencePreset = "mr";
    // Half floats have 11 bits: nothing of an 8-bit image is lost.
    m.halfFloat = (sequence.voxelType == "uint8" || sequence.voxelType == "int8") &&
                  std::max(std::abs(m.state.low), std::abs(m.state.high)) <= 2048;
    m.sequenceChanged = m.transferChanged = m.dirty = true;
    resetCameras();
    if (m.crosshairChanged)
        m.crosshairChanged(m.state.crosshair);
}

void Scene::setFrame(std::shared_ptr<const Volume> frame) {
    Impl& m = *impl_;
    if (frame && (!m.state.geometry || frame->geometry.size() != m.state.geometry->size()))
        throw RenderError("a frame of another size than its sequence's can't be shown");
    if (frame == m.state.frame)
        return;
    m.state.frame = std::move(frame);
    if (m.state.frame && m.presetOpen) {
        m.sequencePreset = automaticPreset(*m.state.frame, m.state.low, m.state.high);
        m.presetOpen = false;
        m.transferChanged = true;
    }
    m.dirty = true;
}

void Scene::setResult(std::shared_ptr<const FrameResult> result) {
    Impl& m = *impl_;
    if (result == m.state.result)
        return;
    if (result && result->field &&
        (!m.state.geometry || result->field->geometry.size() != m.state.geometry->size()))
        throw RenderError(
            "a displacement field on another grid than its sequence's can't be shown");
    m.state.result = std::move(result);
    ++m.state.resultCount;
    m.dirty = true;
    if (!m.state.showsMotion())
        return;
    const auto quantile = [&](double part) {
        return magnitudeQuantile(*m.state.result->field, part, m.state.result->fixed.get(),
                                 m.state.darkest());
    };
    m.state.typicalMagnitude = std::max(m.state.typicalMagnitude, quantile(0.9));
    m.seenMaximum = std::max(m.seenMaximum, roundUp(quantile(0.99)));
    if (m.state.display.colorMaximum <= 0)
        m.state.colorMaximum = m.seenMaximum > 0 ? m.seenMaximum : 1;
}

const DisplayOptions& Scene::display() const { return impl_->state.display; }

void Scene::setDisplay(const DisplayOptions& display) {
    Impl& m = *impl_;
    if (display == m.state.display)
        return;
    const auto known = [&](const VolumePreset& p) { return p.id == display.volumePreset; };
    if (!std::ranges::any_of(volumePresets(), known))
        throw RenderError("no volume preset is named '" + display.volumePreset +
                          "'; there are auto, echo, ct and mr");
    m.layoutChanged = m.layoutChanged || display.layout != m.state.display.layout;
    m.transferChanged = true;
    m.state.display = display;
    if (!(display.window > 0)) {
        m.state.display.window = static_cast<double>(m.state.high - m.state.low);
        m.state.display.level = 0.5 * static_cast<double>(m.state.low + m.state.high);
    }
    m.state.colorMaximum = display.colorMaximum > 0 ? display.colorMaximum
                           : m.seenMaximum > 0      ? m.seenMaximum
                                                    : 1;
    if (m.layoutChanged)
        m.arrange();
    m.dirty = true;
}

const std::string& Scene::activePreset() const { return impl_->activePreset; }
double Scene::colorMaximum() const { return impl_->state.colorMaximum; }

bool Scene::needsRender() const {
    const Impl& m = *impl_;
    return m.dirty || (m.volumeOwed && !m.quality.interactive());
}

void Scene::setInteractive(bool interactive) { impl_->quality.setInteractive(interactive); }

const std::string& Scene::rendererName() const { return impl_->rendererName; }
bool Scene::isSoftware() const { return impl_->software; }
const char* Scene::uploadPath() const { return TextureRing::uploadPath(); }
SceneTimes Scene::times() const { return impl_->times; }

} // namespace systole
