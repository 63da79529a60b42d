// How data for a picture reaches OpenGL: written in place by CUDA, or uploaded by the host.
#include "compute/core/elapsed.h"
#include "compute/core/error.h"
#include "render/base/error.h"
#include "render/device_motion.h"
#include "render/scene/impl.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace systole {
namespace {

using Clock = std::chrono::steady_clock;

/// Logical pixels; in a narrower view more than two lines would lie on the heart.
constexpr double widthForAllLines = 260;

/// First and last line of a label: the name and the outcome; panels show the settings between them.
std::string firstAndLastLine(const std::string& text) {
    const std::size_t first = text.find('\n'), last = text.rfind('\n');
    return first == last ? text : text.substr(0, first) + text.substr(last);
}

} // namespace

unsigned Scene::Impl::colorTexture(ColorMap map) {
    GlTexture& texture = colorMapTextures[static_cast<std::size_t>(map)];
    if (!texture)
        texture = makeColorMapTexture(map);
    return texture.id();
}

Uploaded Scene::Impl::uploadFrame() {
    state.frameTexture = 0;
    if (!state.geometry)
        return {};
    const std::shared_ptr<const Volume> onDevice = frameOnDevice();
    TextureSource source;
    source.key = state.frame ? state.frame : onDevice;
    if (!source.key)
        return {};
    source.host = [&] { return state.frame->view(); };
    source.boxes = frameBoxes;
    source.interop = onDevice ? interop.get() : nullptr;
    source.device = [&] { return copyToTexture(onDevice); };
    const TextureRing::Shown shown = frames->show(source, state.geometry->size(), voxelUpload);
    state.frameTexture = shown.texture;
    shownByInterop = shown.byInterop;
    uploadReason = shownByInterop ? "" : interop ? "the frame is only on the host" : noInterop;
    return shown.uploaded;
}

Uploaded Scene::Impl::uploadValues() {
    state.valueTexture = state.valueColorTexture = 0;
    const ValueMap& map = state.values;
    const std::shared_ptr<const Volume> onDevice = valuesOnDevice();
    if (!state.geometry || !map.colors || !(map.values || onDevice)) {
        valueMaps.clear();
        return {};
    }
    TextureSource source;
    source.key = map.values ? map.values : onDevice;
    source.host = [&] { return map.values->view(); };
    source.boxes = map.boxes;
    source.interop = onDevice ? interop.get() : nullptr;
    source.device = [&] { return copyToTexture(onDevice); };
    const TextureRing::Shown shown = valueMaps.show(source, state.geometry->size(), voxelUpload);
    state.valueTexture = shown.texture;
    state.valueColorTexture = colorTexture(map.colors->scale.map);
    return shown.uploaded;
}

void Scene::Impl::prepareFrame(const std::shared_ptr<const Volume>& next) {
    if (!initialized || interop || !frames || sequenceChanged || !next)
        return;
    if (!hooks.isCurrent())
        hooks.makeCurrent();
    const Clock::time_point start = Clock::now();
    TextureSource source;
    source.key = next;
    source.host = [&] { return next->view(); };
    try {
        prepared += frames->show(source, state.geometry->size(), voxelUpload).uploaded;
    } catch (const RenderError&) { // the draw that shows it says so
    }
    preparedSeconds += secondsSince(start);
}

void Scene::prepareFrame(const std::shared_ptr<const Volume>& next) { impl_->prepareFrame(next); }

void Scene::Impl::releaseTextures() {
    if (frames)
        frames->clear();
    valueMaps.clear();
    for (Views& side : views)
        side.overlays.releaseTextures();
    voxelUpload.release();
}

/// Transfers everything that this picture needs to OpenGL.
void Scene::Impl::upload() {
    if (!interopFailure.empty())
        recoverFromInterop();
    try {
        uploadTextures();
    } catch (const ComputeError& error) {
        if (!interop)
            throw;
        failInterop(error.what());
        recoverFromInterop();
        uploadTextures();
    }
}

std::size_t Scene::Impl::updateView(const ViewArea& area, const SceneState& seen) {
    const bool legend = hasLegend(area);
    SliceView* const slice = sliceView(area);
    if (!slice)
        return viewsOf(area.side).volume.update(seen, legend);
    const bool narrow = area.width < widthForAllLines * seen.pixelRatio;
    if (seen.sliceLabel.empty() && !narrow)
        return slice->update(seen, legend);
    SceneState own = seen;
    if (narrow)
        own.label = firstAndLastLine(own.label);
    if (!seen.sliceLabel.empty())
        own.label += (own.label.empty() ? "" : "\n") + seen.sliceLabel;
    return slice->update(own, legend);
}

void Scene::Impl::uploadTextures() {
    const Clock::time_point start = Clock::now();
    Uploaded uploaded = uploadFrame();
    uploaded += std::exchange(prepared, {});
    const double before = std::exchange(preparedSeconds, 0);
    state.colorMapTexture = colorTexture(state.display.colorMap);
    colorTexture(differenceMap());
    uploaded += uploadValues();

    // States by side.
    std::array<std::optional<SceneState>, std::tuple_size_v<decltype(views)>> seen;
    for (const ViewArea& area : areas) {
        std::optional<SceneState>& ours = seen[static_cast<std::size_t>(area.side)];
        if (ours)
            continue;
        ours = seenFrom(area.side);
        uploaded += viewsOf(area.side).overlays.prepare(*ours);
        if (area.side == ViewSide::Right) // its legends are the left side's, too
            ours->ownScales = ownScales();
    }
    for (const ViewArea& area : areas)
        uploaded.bytes += updateView(area, *seen[static_cast<std::size_t>(area.side)]);
    if (interop)
        interop->flush();
    if (uploaded.written || uploaded.bytes > 0) {
        const double seconds = before + secondsSince(start);
        times.fieldToGlSeconds = std::max(seconds, interop ? interop->lastSeconds() : 0);
        times.fieldToGlBytes = static_cast<double>(uploaded.bytes);
    }
}

} // namespace systole
