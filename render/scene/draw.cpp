// How a picture is drawn: layout, VTK's passes, the copy to the host's framebuffer.
#include "compute/core/elapsed.h"
#include "render/base/error.h"
#include "render/gl/offscreen.h"
#include "render/scene/impl.h"
#include "render/window_presets.h"

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

int pixels(int logical, double ratio) {
    return std::max(1, static_cast<int>(std::lround(logical * ratio)));
}

std::string joined(const std::string& lines, const std::string& more) {
    return lines + (lines.empty() || more.empty() ? "" : "\n") + more;
}

/// Other code has drawn in this context since VTK last did: VTK must read back the state that it
/// tracks, and the host's own state is restored at the end.
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

/// Limit of the reduced sampling: few rays are cheap in a small view anyway, and fewer than these
/// would lose much of the detail.
double coarsestSampling(const std::vector<ViewArea>& areas) {
    constexpr double minRaysAlongASide = 24;
    double coarsest = QualityControl::onProcessor.coarsest;
    for (const ViewArea& area : areas)
        if (area.kind == ViewKind::Volume3D)
            coarsest = std::min(coarsest, std::min(area.width, area.height) / minRaysAlongASide);
    return std::max(coarsest, 1.0);
}

} // namespace

Scene::Impl::Impl(const SceneOptions& sceneOptions) : options(sceneOptions) {
    state.upload = &voxelUpload;
    state.threads = options.threads;
    // VTK must not try to draw before a context exists.
    window->SetReadyForRendering(false);
    window->SetOwnContext(0);
    window->SetFrameBlitModeToNoBlit(); // draw() copies the picture itself
    window->SetMultiSamples(options.multiSamples);
    if (options.interactivePixelsPerRay)
        quality.fix(*options.interactivePixelsPerRay);
    window->AddObserver(vtkCommand::WindowMakeCurrentEvent, this, &Impl::onWindowEvent);
    window->AddObserver(vtkCommand::WindowIsCurrentEvent, this, &Impl::onWindowEvent);

    ground->SetBackground(0.20, 0.22, 0.27);
    ground->SetBackgroundAlpha(1);
    ground->InteractiveOff();
    window->AddRenderer(ground);
    for (Views& side : views) {
        window->AddRenderer(side.volume.renderer());
        for (SliceView& view : side.slices)
            window->AddRenderer(view.renderer());
    }
    for (const ViewSide side : {ViewSide::Right, ViewSide::Difference}) {
        viewsOf(side).volume.linkTo(view3D);
        for (std::size_t i = 0; i < views[0].slices.size(); ++i)
            viewsOf(side).slices[i].linkTo(views[0].slices[i]);
    }
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
    quality.setPace(software ? QualityControl::onProcessor : QualityControl::onDevice);
}

/// Gives each view of the layout its area of the window and disables the others.
void Scene::Impl::arrange() {
    const int w = pixels(width, state.pixelRatio), h = pixels(height, state.pixelRatio);
    window->SetSize(w, h);
    // VTK works in framebuffer pixels; the sizes of its texts follow the dots per inch.
    window->SetDPI(static_cast<int>(std::lround(72 * state.pixelRatio)));
    areas = arrangeViews(state.display.layout, w, h,
                         std::max(1, static_cast<int>(std::lround(2 * state.pixelRatio))),
                         state.display.sideView);
    for (Views& side : views) {
        side.volume.renderer()->DrawOff();
        for (SliceView& view : side.slices)
            view.renderer()->DrawOff();
    }
    for (const ViewArea& area : areas) {
        vtkRenderer* renderer = viewsOf(area.side).volume.renderer();
        if (SliceView* view = sliceView(area)) {
            view->setArea(area);
            renderer = view->renderer();
        } else {
            viewsOf(area.side).volume.setArea(area);
        }
        renderer->DrawOn();
        renderer->SetViewport(
            area.x / static_cast<double>(w), (h - area.y - area.height) / static_cast<double>(h),
            (area.x + area.width) / static_cast<double>(w), (h - area.y) / static_cast<double>(h));
    }
    layoutChanged = false;
}

void Scene::Impl::prepareSequence() {
    frames = std::make_unique<TextureRing>(halfFloat);
    for (Views& side : views) {
        side.overlays.releaseTextures();
        side.prepared = false;
    }
    quality.forget();
    volume3D = options.slicesFirst ? Volume3D::Waits : Volume3D::Drawn;
    sequenceChanged = false;
    transferChanged = true;
}

std::string Scene::Impl::modality() const {
    return state.display.modality == "auto" ? sequenceModality : state.display.modality;
}

double Scene::Impl::opacityWithOverlays() const { return views[0].overlays.volumeOpacity(state); }

void Scene::Impl::applyTransfer() {
    const std::string known = modality();
    activePreset = state.display.volumePreset != "auto" ? state.display.volumePreset
                   : known.empty()                      ? unknownLook
                                                        : known;
    overlaysOpacity = opacityWithOverlays();
    if (state.geometry) {
        const Vec3 extent = state.box.extent();
        const VolumeTransfer transfer = volumeTransfer(activePreset, state.low, state.high,
                                                       std::max({extent.x, extent.y, extent.z}));
        for (Views& side : views)
            if (side.prepared)
                side.volume.setTransfer(transfer, state.display.volumeOpacity * overlaysOpacity);
    }
    transferChanged = false;
}

void Scene::Impl::followWindow() {
    const DisplayOptions& display = state.display;
    const WindowPreset& preset = windowPreset(display.windowPreset);
    const WindowLevel ofPreset = windowOf(preset, state.low, state.high);
    state.windowLevel = display.window > 0 ? WindowLevel{display.window, display.level} : ofPreset;
    const bool named = preset.id != "auto" && state.windowLevel == ofPreset;
    state.windowName = named ? preset.title : "";
}

/// Volume rendering is set up only for views that show it: three of them only side by side.
void Scene::Impl::prepareViews() {
    for (const ViewArea& area : areas) {
        Views& side = viewsOf(area.side);
        if (side.prepared || !state.geometry || sliceView(area))
            continue;
        side.volume.setGeometry(state);
        side.prepared = transferChanged = true;
    }
}

SceneState Scene::Impl::seenFrom(ViewSide side) const {
    SceneState seen = state;
    seen.display.volume = seen.display.volume && volume3D == Volume3D::Drawn;
    seen.note = notes.left;
    if (state.display.layout != Layout::SideBySide) {
        seen.label = whyNoMotion(seen);
        return seen;
    }
    switch (side) {
    case ViewSide::Left:
        seen.label = joined(sides.leftLabel, whyNoMotion(seen));
        break;
    case ViewSide::Right:
        seen.result = sides.right;
        seen.motion = rightMotion;
        seen.cycle = rightCycle;
        seen.strain = nullptr; // the strain belongs to the left side's motion
        seen.label = joined(sides.rightLabel, whyNoMotion(seen));
        seen.note = notes.right;
        seen.resultCount = sidesCount;
        break;
    case ViewSide::Difference:
        seen.label = sides.differenceLabel;
        seen.note = notes.difference;
        seen.result = nullptr;
        seen.cycle.clear();
        seen.motion = {};
        seen.surface = nullptr;
        seen.strain = nullptr;
        seen.difference = sides.difference;
        seen.colorMaximum = seen.scale.difference;
        seen.colorCaption = "difference";
        seen.colorMapTexture = colorMapTextures[static_cast<std::size_t>(differenceMap())].id();
        seen.display.colorMap = differenceMap();
        // The difference would be invisible inside a volume.
        seen.display.volume = false;
        seen.display.slicesIn3D = true;
        if (sides.difference && sides.maximum > seen.scale.rounding)
            seen.marker = sides.maximumAt;
        break;
    }
    return seen;
}

/// Differs from the displacement's map, so that the two bars aren't confused.
ColorMap Scene::Impl::differenceMap() const {
    return beside(state.display.colorMap, ColorMap::Cividis);
}

std::vector<ColorScale> Scene::Impl::ownScales() const {
    const Overlays& overlays = views[0].overlays;
    std::vector<ColorScale> scales = overlays.ownScales(state);
    if (state.display.layout == Layout::SideBySide)
        for (ColorScale& scale : overlays.ownScales(seenFrom(ViewSide::Right)))
            if (std::ranges::find(scales, scale) == scales.end())
                scales.push_back(std::move(scale));
    return scales;
}

/// The legend is in the last view of the layout that has these colors.
bool Scene::Impl::hasLegend(const ViewArea& area) const {
    const bool motion = views[0].overlays.useColors(state) || !ownScales().empty();
    switch (state.display.layout) {
    case Layout::ThreeSlices:
        return motion && area.kind == ViewKind::Sagittal;
    case Layout::SideBySide:
        return area.side == ViewSide::Difference ? sides.difference && state.geometry
                                                 : motion && area.side == ViewSide::Right;
    case Layout::Single3D:
    case Layout::FourUp:
        break;
    }
    return motion && area.kind == ViewKind::Volume3D;
}

std::uint64_t Scene::Impl::made() const {
    std::uint64_t sum = 0;
    for (const Views& side : views)
        sum += side.overlays.made();
    return sum;
}

void Scene::Impl::draw(unsigned framebuffer, int fromBottom) {
    madeBefore = made();
    {
        const BorrowedState borrowed(window->GetState());
        if (layoutChanged)
            arrange();
        if (volume3D == Volume3D::Due)
            volume3D = Volume3D::Drawn;
        if (sequenceChanged)
            prepareSequence();
        prepareViews();
        if (transferChanged || overlaysOpacity != opacityWithOverlays())
            applyTransfer();
        upload();
        render(framebuffer, fromBottom);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    if (volume3D == Volume3D::Waits && state.frameTexture)
        volume3D = Volume3D::Due;
    dirty = volume3D == Volume3D::Due;
}

void Scene::Impl::render(unsigned framebuffer, int fromBottom) {
    const bool volumeShown =
        state.display.volume && volume3D == Volume3D::Drawn && state.frameTexture &&
        std::ranges::any_of(areas, [&](const ViewArea& area) { return !sliceView(area); });
    const double pixelsPerRay = std::min(quality.pixelsPerRay(), coarsestSampling(areas));
    for (Views& side : views)
        side.volume.setSampling(pixelsPerRay);

    const auto start = Clock::now();
    timer.begin();
    vtkOpenGLState* gl = window->GetState();
    gl->vtkglDepthFunc(GL_LEQUAL); // VTK's passes rely on it; Qt leaves another function
    window->Render();
    gl->vtkglBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
    gl->vtkglDisable(GL_SCISSOR_TEST); // would clip the copy
    const int w = pixels(width, state.pixelRatio), h = pixels(height, state.pixelRatio);
    const int up = static_cast<int>(std::lround(fromBottom * state.pixelRatio));
    window->BlitDisplayFramebuffer(0, 0, 0, w, h, 0, up, w, h, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    timer.end();
    if (software)
        glFinish(); // no device to wait for, and the only way to measure the cost of the paint
    times.renderSeconds = std::max(secondsSince(start), software ? 0 : timer.lastSeconds());

    if (volumeShown)
        quality.painted(times.renderSeconds);
    volumeOwed = volumeShown && pixelsPerRay > 1;
}

RgbaImage Scene::capture() {
    Impl& m = *impl_;
    if (!m.initialized)
        throw RenderError("a picture can't be taken before the scene has an OpenGL context");
    const OffscreenFramebuffer framebuffer(pixels(m.width, m.state.pixelRatio),
                                           pixels(m.height, m.state.pixelRatio));
    GLint before = 0;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &before);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer.id());
    const bool waits = std::exchange(m.state.waits, true);
    do
        m.draw(framebuffer.id(), 0);
    while (volumeIsDue());
    m.state.waits = waits;
    glBindFramebuffer(GL_FRAMEBUFFER, static_cast<GLuint>(before));
    return framebuffer.read();
}

} // namespace systole
