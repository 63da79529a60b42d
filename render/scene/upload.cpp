// How what a picture shows comes to OpenGL: written in place by CUDA, or uploaded by the host.
#include "compute/core/error.h"
#include "render/colormap_texture.h"
#include "render/device_motion.h"
#include "render/scene/impl.h"

#include <algorithm>
#include <chrono>

namespace systole {

unsigned Scene::Impl::colorTexture(ColorMap map) {
    GlTexture& texture = colorMapTextures[static_cast<std::size_t>(map)];
    if (!texture)
        texture = makeColorMapTexture(map);
    return texture.id();
}

/// The map of |displacement| in mm, on the host.
VolumeView<const float> Scene::Impl::magnitudesOf(const VectorField& field) {
    const FieldView<const float> view = field.view();
    const auto matrix = sampling::matrixOf<double>(field.geometry.voxelToPhysicalMatrix());
    magnitudeVoxels.resize(field.geometry.voxels());
    for (std::size_t i = 0; i < magnitudeVoxels.size(); ++i)
        magnitudeVoxels[i] = static_cast<float>(
            sampling::magnitude<double>(matrix, view.u[i], view.v[i], view.w[i]));
    return VolumeView<const float>(magnitudeVoxels.data(), view.size);
}

void Scene::Impl::uploadFrame(Upload& upload) {
    state.frameTexture = 0;
    if (!state.geometry)
        return;
    const std::shared_ptr<const Volume> onDevice = frameOnDevice();
    TextureSource source;
    source.key = state.frame ? state.frame : onDevice;
    if (!source.key)
        return;
    source.host = [&] { return state.frame->view(); };
    source.interop = onDevice ? interop.get() : nullptr;
    source.device = [&] { return copyToTexture(onDevice); };
    const TextureRing::Shown shown = frames->show(source);
    state.frameTexture = upload.add(shown);
    shownByInterop = shown.byInterop;
    uploadReason = shownByInterop ? "" : interop ? "the frame lies on the host alone" : noInterop;
}

void Scene::Impl::uploadMotion(Upload& upload) {
    const auto magnitudeOf = [&](TextureRing& ring, const MotionSource& motion) {
        TextureSource source;
        source.key = motion.onDevice() ? motion.deviceField : motion.field;
        source.host = [&] { return magnitudesOf(*motion.field); };
        source.interop = motion.interop;
        source.device = [&] { return magnitudeToTexture(motion.deviceField); };
        return upload.add(ring.show(source));
    };
    state.magnitudeTexture = rightMagnitude = differenceTexture = 0;
    if (state.showsMap())
        state.magnitudeTexture = magnitudeOf(*magnitudes, state.motion);
    if (state.display.layout != Layout::SideBySide || !state.geometry)
        return;
    if (rightMotion && state.scaleKnown && state.display.magnitudeMap)
        rightMagnitude = magnitudeOf(*rightMagnitudes, rightMotion);
    if (sides.difference) {
        TextureSource source;
        source.key = sides.difference;
        source.host = [&] { return sides.difference->view(); };
        differenceTexture = upload.add(differences->show(source));
    }
}

/// Everything that this picture needs goes to OpenGL.
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

void Scene::Impl::uploadTextures() {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    takeColors();
    Upload upload;
    uploadFrame(upload);
    uploadMotion(upload);
    state.colorMapTexture = colorTexture(state.display.colorMap);
    colorTexture(differenceMap());

    for (const ViewArea& area : areas) {
        const SceneState seen = seenFrom(area.side);
        const bool bar = hasColorBar(area);
        SliceView* slice = sliceView(area);
        upload.bytes +=
            slice ? slice->update(seen, bar) : viewsOf(area.side).volume.update(seen, bar);
    }
    if (interop)
        interop->flush();
    if (upload.written || upload.bytes > 0) {
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        times.fieldToGlSeconds = std::max(seconds, interop ? interop->lastSeconds() : 0);
        times.fieldToGlBytes = static_cast<double>(upload.bytes);
    }
}

} // namespace systole
