#include "render/scene/scene.h"

#include "compute/core/enum_text.h"
#include "render/base/error.h"
#include "render/scene/impl.h"
#include "render/window_presets.h"

#include <vtkGenericOpenGLRenderWindow.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace systole {

const char* name(UploadPath path) { return enumText(path, {"auto", "interop", "host"}); }

Scene::Scene(const SceneOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Scene::~Scene() = default;

void Scene::initialize(const ContextHooks& hooks) {
    Impl& m = *impl_;
    m.hooks = hooks;
    m.window->SetReadyForRendering(true);
    m.window->OpenGLInit(); // loads the OpenGL functions, ours included, and prepares its state
    m.checkContext();
    m.openInterop();
    m.initialized = true;
    m.sequenceChanged = m.state.geometry.has_value();
    m.layoutChanged = m.dirty = true;
}

bool Scene::initialized() const { return impl_->initialized; }

void Scene::draw(unsigned framebuffer, int fromBottom) {
    if (impl_->initialized)
        impl_->draw(framebuffer, fromBottom);
}

void Scene::release() {
    Impl& m = *impl_;
    if (!m.initialized)
        return;
    for (Impl::Views& views : m.views)
        views.volume.release();
    m.window->Finalize(); // frees the OpenGL objects of VTK and our props
    m.releaseTextures();
    for (GlTexture& texture : m.colorMapTextures)
        texture.reset();
    m.timer.release();
    m.closeInterop();
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

void Scene::setSequence(const Sequence& sequence, float low, float high, double motionRange) {
    Impl& m = *impl_;
    m.state.frame.reset();
    m.deviceFrame.reset();
    m.state.values = {};
    m.state.result.reset();
    m.state.surface.reset();
    m.state.tracks.reset();
    m.state.marks.clear();
    m.state.cycle.clear();
    m.rightCycle.clear();
    m.sides = {};
    m.notes = {};
    m.heldScale.reset();
    m.locateMotion();
    m.state.geometry = sequence.geometry;
    m.state.box = boxAround(sequence.geometry);
    m.state.low = std::isfinite(low) ? low : 0;
    m.state.high = std::isfinite(high) && high > m.state.low ? high : m.state.low + 1;
    m.sequenceModality = modalityOf(sequence.modality, m.state.low, m.state.high);
    m.automaticScale = automaticScale(motionRange, sequence.geometry);
    m.followWindow();
    m.followScale();
    m.state.crosshair = m.state.box.center();
    for (int axis = 0; axis < 3; ++axis) // a position between thick slices shows both, blurred
        if (sliceSpacing(sequence.geometry, axis) > 1.5 * smallestSpacing(sequence.geometry))
            m.state.crosshair[axis] =
                steppedPosition(sequence.geometry, m.state.crosshair, axis, 0);
    m.unknownLook = "mr";
    m.lookOpen = m.sequenceModality.empty();
    // Half floats have 11 significant bits: an 8-bit image loses nothing.
    m.halfFloat = (sequence.voxelType == "uint8" || sequence.voxelType == "int8") &&
                  std::max(std::abs(m.state.low), std::abs(m.state.high)) <= 2048;
    m.sequenceChanged = m.transferChanged = m.dirty = true;
    resetCameras();
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
    windowPreset(display.windowPreset); // known
    m.transferChanged = m.transferChanged || display.volumePreset != m.state.display.volumePreset ||
                        display.modality != m.state.display.modality ||
                        display.volumeOpacity != m.state.display.volumeOpacity;
    m.state.display = display;
    m.followWindow();
    m.followScale();
    if (m.layoutChanged)
        m.arrange();
    m.dirty = true;
}

WindowLevel Scene::automaticWindow(const DisplayOptions& display) const {
    return windowOf(windowPreset(display.windowPreset), impl_->state.low, impl_->state.high);
}
void Scene::onWindowLevelDragged(std::function<void(WindowLevel)> callback) {
    impl_->windowLevelDragged = std::move(callback);
}

void Scene::onLegendDragged(std::function<void(LegendCorner)> callback) {
    impl_->legendDragged = std::move(callback);
}

std::string Scene::modality() const { return impl_->modality(); }
const std::string& Scene::activePreset() const { return impl_->activePreset; }
const DisplayScale& Scene::scale() const { return impl_->state.scale; }
std::vector<ColorScale> Scene::ownScales() const { return impl_->ownScales(); }

bool Scene::needsRender() const {
    const Impl& m = *impl_;
    return m.dirty || (m.volumeOwed && !m.quality.interactive()) || m.made() != m.madeBefore;
}

void Scene::setWaits(bool waits) { impl_->state.waits = waits; }

bool Scene::unfinished() const {
    const Impl& m = *impl_;
    return m.made() != m.madeBefore || std::ranges::any_of(m.views, [](const Impl::Views& side) {
               return side.overlays.unfinished();
           });
}

bool Scene::volumeIsDue() const { return impl_->volume3D == Impl::Volume3D::Due; }

void Scene::setInteractive(bool interactive) { impl_->quality.setInteractive(interactive); }

void Scene::flicker(bool second) { impl_->change(impl_->state.flickers, second); }
bool Scene::flickered() const { return impl_->state.flickers; }

const std::string& Scene::rendererName() const { return impl_->rendererName; }
bool Scene::isSoftware() const { return impl_->software; }
const char* Scene::uploadPath() const {
    return impl_->shownByInterop ? "cuda-interop" : "host upload";
}
const std::string& Scene::uploadReason() const { return impl_->uploadReason; }
std::optional<int> Scene::interopDevice() const {
    return impl_->interop ? std::optional(impl_->interop->device()) : std::nullopt;
}
const SceneOptions& Scene::options() const { return impl_->options; }
SceneTimes Scene::times() const { return impl_->times; }

SceneMemory Scene::memory() const {
    SceneMemory memory;
    if (const std::size_t bytes = impl_->frames ? impl_->frames->memoryBytes() : 0)
        memory.textures.push_back({"frames", bytes});
    if (const std::size_t bytes = impl_->valueMaps.memoryBytes())
        memory.textures.push_back({"maps of values", bytes});
    static constexpr const char* whose[] = {"", "right ", "difference's "};
    for (std::size_t side = 0; side < impl_->views.size(); ++side)
        for (const auto& held : impl_->views[side].overlays.textures(whose[side]))
            memory.textures.push_back(held);
    if (const std::size_t bytes = impl_->voxelUpload.memoryBytes())
        memory.upload = {.budgetBytes = BufferPool::unlimited,
                         .usedBytes = bytes,
                         .peakBytes = bytes,
                         .holders = {{"upload buffers", bytes}}};
    if (impl_->interop)
        memory.scratch = impl_->interop->cuda().devicePool().usage();
    return memory;
}

} // namespace systole
