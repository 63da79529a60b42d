// What the scene shows, where it is stored, and the scale of its colors.
#include "compute/core/error.h"
#include "render/device_motion.h"
#include "render/error.h"
#include "render/glyph_sampling.h"
#include "render/scene/impl.h"

#include <algorithm>
#include <tuple>
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
    if (interop)
        scales = std::make_unique<DeviceQuantiles>(*interop);
    uploadReason = noInterop;
    shownByInterop = interop != nullptr;
    locateMotion();
    forgetArrows();
    learnColors();
}

/// Needs the context current; the objects that it wrote into are already released.
void Scene::Impl::closeInterop() {
    scales.reset();
    interop.reset();
    askedScale = {};
    locateMotion();
    forgetArrows();
}

/// Needs the context current. A lost device, or one out of memory, must not end the viewer.
void Scene::Impl::recoverFromInterop() {
    releaseTextures();
    noInterop = std::exchange(interopFailure, {});
    closeInterop();
    learnColors();
}

void Scene::Impl::locateMotion() {
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

/// Lines under the name of a view whose motion can't be shown; empty otherwise.
std::string Scene::Impl::whyNoMotion(const SceneState& seen) const {
    const bool hidden = seen.result && seen.result->device && !seen.motion;
    if (!hidden)
        return {};
    return "no motion shown: it is on a CUDA device,\n" +
           (interop ? "but not on the one that draws" : "and host upload is used: " + noInterop);
}

void Scene::setFrame(std::shared_ptr<const Volume> frame, std::shared_ptr<const Volume> onDevice) {
    Impl& m = *impl_;
    for (const Volume* volume : {frame.get(), onDevice.get()})
        if (volume && (!m.state.geometry || volume->geometry.size() != m.state.geometry->size()))
            throw RenderError("a frame of another size than its sequence's can't be shown");
    if (frame == m.state.frame && onDevice == m.deviceFrame)
        return;
    m.state.frame = std::move(frame);
    m.deviceFrame = std::move(onDevice);
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
    checkGrid(result.get(), m.state.geometry);
    m.state.result = std::move(result);
    ++m.state.resultCount;
    m.locateMotion();
    m.dirty = true;
    if (m.state.geometry)
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
    m.locateMotion();
    m.dirty = m.dirty || m.state.display.layout == Layout::SideBySide;
    if (m.state.geometry)
        m.learnColors();
}

/// The scale of colors and arrows, shared by both sides, grows with what they show.
void Scene::Impl::learnColors() {
    const FrameResult* results[] = {state.result.get(), sides.right.get()};
    const MotionSource* motions[] = {&state.motion, &rightMotion};
    const std::shared_ptr<const FrameResult> owners[] = {state.result, sides.right};
    takeColors();
    for (std::size_t side = 0; side < std::size(results); ++side) {
        const MotionSource& motion = *motions[side];
        if (motion.field) {
            const auto quantile = [&](double part) {
                return magnitudeQuantile(*motion.field, part, motion.fixed.get(), state.darkest());
            };
            learn(side, results[side]->generation,
                  {quantile(MagnitudeQuantiles::typicalPart),
                   quantile(MagnitudeQuantiles::highestPart)});
        } else if (motion.onDevice() && askedScale[side].lock() != owners[side]) {
            try {
                scales->ask(motion.deviceField, motion.deviceFixed, state.darkest(),
                            {side, results[side]->generation});
                askedScale[side] = owners[side];
            } catch (const ComputeError& error) {
                failInterop(error.what());
            }
        }
    }
    seenDifference = std::max(seenDifference, roundUp(sides.quantile99));
}

void Scene::Impl::learn(std::size_t side, std::uint64_t generation, MagnitudeQuantiles quantiles) {
    const auto scale = [&] {
        return std::tuple(state.scaleKnown, state.typicalMagnitude, state.colorMaximum);
    };
    const auto before = scale();
    learnt[side] = quantiles;
    // Fields with other parameters have their own scale.
    if (std::exchange(seenGeneration[side], generation) != generation)
        seenMaximum = seenDifference = state.typicalMagnitude = 0;
    const MotionSource* motions[] = {&state.motion, &rightMotion};
    for (std::size_t each = 0; each < learnt.size(); ++each) {
        if (!*motions[each])
            continue;
        state.typicalMagnitude = std::max(state.typicalMagnitude, learnt[each].typical);
        seenMaximum = std::max(seenMaximum, roundUp(learnt[each].highest));
    }
    if (state.display.colorMaximum <= 0)
        state.colorMaximum = seenMaximum > 0 ? seenMaximum : 1;
    state.scaleKnown = true;
    dirty = dirty || scale() != before;
}

/// Takes the scales that the device has computed since.
void Scene::Impl::takeColors() {
    while (scales) {
        const std::optional<DeviceQuantiles::Answer> answer = scales->take();
        if (!answer)
            return;
        const auto [side, generation] = answer->tag;
        const FrameResult* shown = side == 0 ? state.result.get() : sides.right.get();
        if (!shown || shown->generation != generation)
            continue; // from outdated parameters
        learn(side, generation, answer->quantiles);
    }
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

std::optional<float> Scene::Impl::valueUnder(Vec3 position) {
    if (state.frame)
        return valueAt(*state.frame, position);
    const std::shared_ptr<const Volume> onDevice = frameOnDevice();
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
