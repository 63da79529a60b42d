// The motion that the scene shows: where it is stored, and the scale of its colors.
#include "compute/core/error.h"
#include "render/base/error.h"
#include "render/device_motion.h"
#include "render/glyph_sampling.h"
#include "render/scene/impl.h"

#include <utility>

namespace systole {
namespace {

void checkGrid(const FrameResult* result, const std::optional<Geometry>& geometry) {
    const auto fits = [&](const VectorField* field) {
        return !field || (geometry && field->geometry.size() == geometry->size());
    };
    if (result && !(fits(result->field.get()) &&
                    fits(result->device ? result->device->field.get() : nullptr)))
        throw RenderError(
            "a displacement field on another grid than its sequence's can't be shown");
}

void checkSurface(const SceneSurface& surface) {
    for (const TriangleMesh* mesh : {surface.mesh.get(), surface.original.get()}) {
        if (!mesh)
            continue;
        const std::size_t points = mesh->points.size();
        for (const auto& triangle : mesh->triangles)
            for (const std::uint32_t point : triangle)
                if (point >= points)
                    throw RenderError("a surface whose triangles name points that it doesn't have "
                                      "can't be shown");
    }
    const std::size_t points = surface.mesh ? surface.mesh->points.size() : 0;
    for (const std::vector<float>* values : {&surface.curvature, &surface.distance})
        if (!values->empty() && values->size() != points)
            throw RenderError("a surface needs as many values as points to be colored by them");
}

} // namespace

/// Needs the context current. Whether CUDA can write here is determined once per context.
void Scene::Impl::openInterop() {
    noInterop = "requested";
    if (options.upload != UploadPath::Host) {
        const GlTexture trial = makeScalarTexture({2, 2, 2}, false);
        CudaInterop::Answer answer = CudaInterop::tryOn(trial.id());
        interop = std::move(answer.interop);
        noInterop = answer.reason;
    }
    if (!interop && options.upload == UploadPath::Interop)
        throw RenderError("interop was requested but is unavailable: " + noInterop);
    uploadReason = noInterop;
    shownByInterop = interop != nullptr;
    locateMotion();
    forgetArrows();
}

/// Needs the context current; the objects that it wrote into are already released.
void Scene::Impl::closeInterop() {
    interop.reset();
    locateMotion();
    forgetArrows();
}

/// Needs the context current. A lost device, or one out of memory, must not end the viewer.
void Scene::Impl::recoverFromInterop() {
    releaseTextures();
    noInterop = std::exchange(interopFailure, {});
    closeInterop();
}

void Scene::Impl::locateMotion() {
    state.interop = interop.get();
    state.motion = MotionSource(state.result.get(), interop.get());
    rightMotion = MotionSource(sides.right.get(), interop.get());
}

/// Makes the views sample the arrows again: from elsewhere, or into another context's buffer.
void Scene::Impl::forgetArrows() {
    ++state.resultCount;
    ++sidesCount;
}

std::shared_ptr<const Volume> Scene::Impl::frameOnDevice() const {
    if (!interop)
        return nullptr;
    if (deviceFrame && interop->reaches(deviceFrame->voxels.data()))
        return deviceFrame;
    // The result includes its fixed frame, often the shown one.
    return state.result && state.frame && state.result->fixed == state.frame
               ? state.motion.deviceFixed
               : nullptr;
}

std::shared_ptr<const Volume> Scene::Impl::valuesOnDevice() const {
    const std::shared_ptr<const Volume>& onDevice = state.values.onDevice;
    return interop && onDevice && interop->reaches(onDevice->voxels.data()) ? onDevice : nullptr;
}

/// Lines under the name of a view whose motion can't be shown; empty otherwise.
std::string Scene::Impl::whyNoMotion(const SceneState& seen) const {
    const bool hidden = seen.result && seen.result->device && !seen.motion;
    if (!hidden)
        return {};
    return "no motion shown: it is on a CUDA device,\n" +
           (interop ? "but not on the one that draws" : "and host upload is used: " + noInterop);
}

void Scene::setFrame(std::shared_ptr<const Volume> frame, std::shared_ptr<const Volume> onDevice,
                     std::vector<VoxelBox> boxes) {
    Impl& m = *impl_;
    for (const Volume* volume : {frame.get(), onDevice.get()})
        if (volume && (!m.state.geometry || volume->geometry.size() != m.state.geometry->size()))
            throw RenderError("a frame of another size than its sequence's can't be shown");
    if (frame == m.state.frame && onDevice == m.deviceFrame)
        return;
    m.state.frame = std::move(frame);
    m.deviceFrame = std::move(onDevice);
    m.frameBoxes = std::move(boxes);
    if (m.state.frame && m.lookOpen && m.frameBoxes.empty()) {
        m.unknownLook = lookOf(*m.state.frame);
        m.lookOpen = false;
        m.transferChanged = true;
    }
    m.dirty = true;
}

void Scene::setResult(std::shared_ptr<const FrameResult> result) {
    Impl& m = *impl_;
    if (result != m.state.result)
        checkGrid(result.get(), m.state.geometry);
    if (!m.change(m.state.result, std::move(result)))
        return;
    ++m.state.resultCount;
    m.locateMotion();
}

void Scene::setCycle(std::vector<std::shared_ptr<const FrameResult>> left,
                     std::vector<std::shared_ptr<const FrameResult>> right) {
    Impl& m = *impl_;
    for (const auto* side : {&left, &right})
        for (const auto& result : *side)
            checkGrid(result.get(), m.state.geometry);
    const bool leftChanged = m.change(m.state.cycle, std::move(left));
    if (m.change(m.rightCycle, std::move(right)) || leftChanged)
        ++m.state.cycleCount;
}

void Scene::setSurface(std::shared_ptr<const SceneSurface> surface, std::string note) {
    if (surface && surface != impl_->state.surface)
        checkSurface(*surface);
    impl_->change(impl_->state.surface, std::move(surface));
    impl_->change(impl_->state.surfaceNote, std::move(note));
}

void Scene::setStrain(std::shared_ptr<const SceneStrain> strain) {
    const auto& now = impl_->state.strain;
    if (!strain || !now || !(*strain == *now))
        impl_->change(impl_->state.strain, std::move(strain));
}

void Scene::setTracks(std::shared_ptr<const SceneTracks> tracks, int frame) {
    Impl& m = *impl_;
    if (tracks == m.state.tracks && (!tracks || frame == m.state.trackFrame))
        return;
    m.state.tracks = std::move(tracks);
    m.state.trackFrame = frame;
    m.dirty = true;
}

const std::vector<SceneMark>& Scene::marks() const { return impl_->state.marks; }

void Scene::setValues(ValueMap values) {
    Impl& m = *impl_;
    for (const Volume* volume : {values.values.get(), values.onDevice.get()})
        if (volume && (!m.state.geometry || volume->geometry.size() != m.state.geometry->size()))
            throw RenderError("a map on another grid than its sequence's can't be shown");
    m.change(m.state.values, std::move(values));
}

void Scene::setMarks(std::vector<SceneMark> marks) {
    impl_->change(impl_->state.marks, std::move(marks));
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
    m.locateMotion();
    m.followScale();
    m.dirty = m.dirty || m.state.display.layout == Layout::SideBySide;
}

/// One scale serves both sides; that of a shown difference may depend on it.
void Scene::Impl::followScale() {
    state.scale = heldScale.value_or(scaleFor(state.display, automaticScale, sides.quantile99));
    state.colorMaximum = state.scale.motion;
}

std::optional<Vec3> Scene::Impl::displacementUnder(const MotionSource& motion, Vec3 position) {
    if (motion.field)
        return displacementAt(*motion.field, position);
    if (!motion.onDevice())
        return std::nullopt;
    try {
        return displacementAt(*interop, *motion.deviceField, position);
    } catch (const ComputeError& error) {
        failInterop(error.what());
        return std::nullopt;
    }
}

std::optional<float> Scene::Impl::valueUnder(const std::shared_ptr<const Volume>& onHost,
                                             const std::shared_ptr<const Volume>& onDevice,
                                             Vec3 position) {
    if (onHost)
        return valueAt(*onHost, position);
    if (!onDevice)
        return std::nullopt;
    try {
        return valueAt(*interop, *onDevice, position);
    } catch (const ComputeError& error) {
        failInterop(error.what());
        return std::nullopt;
    }
}

} // namespace systole
