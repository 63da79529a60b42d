#include "render/scene.h"

#include "render/error.h"
#include "render/glyph_sampling.h"
#include "render/scene_impl.h"

#include <vtkGenericOpenGLRenderWindow.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace systole {
const char* name(Layout layout) {
    switch (layout) {
    case Layout::Single3D:
        return "single";
    case Layout::ThreeSlices:
        return "three";
    case Layout::FourUp:
        return "four";
    case Layout::SideBySide:
        return "side";
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

void Scene::release() {
    Impl& m = *impl_;
    if (!m.initialized)
        return;
    for (Impl::Views& views : m.views)
        views.volume.release();
    m.window->Finalize(); // what VTK and our props have in OpenGL
    for (const auto& ring : {&m.frames, &m.magnitudes, &m.rightMagnitudes, &m.differences})
        if (*ring)
            (*ring)->clear();
    for (GlTexture& texture : m.colorMapTextures)
        texture.reset();
    m.timer.release();
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
    m.sides = {};
    m.state.geometry = sequence.geometry;
    m.state.box = boxAround(sequence.geometry);
    m.state.low = std::isfinite(low) ? low : 0;
    m.state.high = std::isfinite(high) && high > m.state.low ? high : m.state.low + 1;
    m.state.display.window = static_cast<double>(m.state.high - m.state.low);
    m.state.display.level = 0.5 * static_cast<double>(m.state.low + m.state.high);
    m.state.crosshair = m.state.box.centre();
    m.seenMaximum = m.seenDifference = m.state.typicalMagnitude = 0;
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

namespace {

void checkGrid(const FrameResult* result, const std::optional<Geometry>& geometry) {
    if (result && result->field &&
        (!geometry || result->field->geometry.size() != geometry->size()))
        throw RenderError(
            "a displacement field on another grid than its sequence's can't be shown");
}

} // namespace

/// The scale of colours and arrows, which both sides share, grows with what they show.
void Scene::Impl::learnColors() {
    const FrameResult* shown[] = {state.result.get(), sides.right.get()};
    // Fields of other parameters have a scale of their own.
    for (std::size_t side = 0; side < std::size(shown); ++side)
        if (shown[side] &&
            std::exchange(seenGeneration[side], shown[side]->generation) != shown[side]->generation)
            seenMaximum = seenDifference = state.typicalMagnitude = 0;
    for (const FrameResult* result : shown) {
        if (!result || !result->field)
            continue;
        const auto quantile = [&](double part) {
            return magnitudeQuantile(*result->field, part, result->fixed.get(), state.darkest());
        };
        state.typicalMagnitude = std::max(state.typicalMagnitude, quantile(0.9));
        seenMaximum = std::max(seenMaximum, roundUp(quantile(0.99)));
    }
    seenDifference = std::max(seenDifference, roundUp(sides.quantile99));
    if (state.display.colorMaximum <= 0)
        state.colorMaximum = seenMaximum > 0 ? seenMaximum : 1;
}

void Scene::setResult(std::shared_ptr<const FrameResult> result) {
    Impl& m = *impl_;
    if (result == m.state.result)
        return;
    checkGrid(result.get(), m.state.geometry);
    m.state.result = std::move(result);
    ++m.state.resultCount;
    m.dirty = true;
    if (m.state.showsMotion())
        m.learnColors();
}

void Scene::setSideBySide(const SideBySide& sides) {
    Impl& m = *impl_;
    if (sides == m.sides)
        return;
    checkGrid(sides.right.get(), m.state.geometry);
    if (sides.difference &&
        (!m.state.geometry || sides.difference->geometry.size() != m.state.geometry->size()))
        throw RenderError("a difference on another grid than its sequence's can't be shown");
    if (sides.right != m.sides.right)
        ++m.sidesCount;
    m.sides = sides;
    m.dirty = m.dirty || m.state.display.layout == Layout::SideBySide;
    if (m.state.geometry)
        m.learnColors();
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
    m.layoutChanged = m.layoutChanged || display.layout != m.state.display.layout ||
                      display.sideView != m.state.display.sideView;
    m.transferChanged = m.transferChanged || display.volumePreset != m.state.display.volumePreset ||
                        display.volumeOpacity != m.state.display.volumeOpacity;
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
double Scene::differenceMaximum() const {
    return impl_->seenDifference > 0 ? impl_->seenDifference : 1;
}

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
