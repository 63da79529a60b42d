#include "render/overlays/overlay_kinds.h"

#include <algorithm>
#include <utility>

namespace systole {

// Each is defined in its file in render/overlays/.
OverlayKind comparisonOverlay();
OverlayKind arrowsOverlay();
OverlayKind magnitudeOverlay();
OverlayKind deformationOverlay();
OverlayKind heartStrainOverlay();
OverlayKind certaintyOverlay();
OverlayKind gridOverlay();
OverlayKind streamlinesOverlay();
OverlayKind pathlinesOverlay();
OverlayKind surfaceOverlay();
OverlayKind landmarksOverlay();

namespace {

/// All overlays in drawing order, which is also the order of options in lists.
constexpr OverlayKind (*list[])() = {
    comparisonOverlay,  arrowsOverlay,    magnitudeOverlay, deformationOverlay,
    heartStrainOverlay, certaintyOverlay, gridOverlay,      streamlinesOverlay,
    pathlinesOverlay,   surfaceOverlay,   landmarksOverlay,
};

} // namespace

const std::vector<OverlayKind>& overlayKinds() {
    static const std::vector<OverlayKind> kinds = [] {
        std::vector<OverlayKind> made;
        for (const auto& kind : list)
            made.push_back(kind());
        return made;
    }();
    return kinds;
}

Overlays::Overlays() {
    for (const OverlayKind& kind : overlayKinds())
        overlays_.push_back(kind.make());
}

void Overlays::attach(ViewKind view, vtkRenderer* renderer) {
    for (const auto& overlay : overlays_)
        overlay->attach(view, renderer);
}

Uploaded Overlays::prepare(SceneState& state) {
    Uploaded uploaded;
    for (const auto& overlay : overlays_)
        uploaded += overlay->prepare(state);
    state.slicesColored = std::ranges::any_of(overlays_, [&](const auto& overlay) {
        return overlay->colors(state) == OverlayColors::Slices;
    });
    state.arrowScale = arrowScale(state);
    state.motionColored = useColors(state);
    state.ownScales = ownScales(state);
    const auto add = [](std::string& lines, const std::string& more) {
        lines += (lines.empty() || more.empty() ? "" : "\n") + more;
    };
    for (const auto& overlay : overlays_) {
        add(state.label, overlay->label(state));
        add(state.sliceLabel, overlay->sliceLabel(state));
    }
    return uploaded;
}

std::size_t Overlays::update(const SceneState& state, const ViewPose& pose) {
    std::size_t bytes = 0;
    for (const auto& overlay : overlays_)
        bytes += overlay->update(state, pose);
    return bytes;
}

void Overlays::shade(const SceneState& state, SliceLook& look) const {
    for (const auto& overlay : overlays_)
        overlay->shade(state, look);
}

bool Overlays::useColors(const SceneState& state) const {
    return std::ranges::any_of(overlays_, [&](const auto& overlay) {
        return overlay->colors(state) != OverlayColors::None;
    });
}

std::vector<ColorScale> Overlays::ownScales(const SceneState& state) const {
    if (state.values)
        return {state.values.colors->scale};
    std::vector<ColorScale> scales;
    for (const auto& overlay : overlays_)
        if (std::optional<ColorScale> scale = overlay->ownScale(state))
            if (std::ranges::find(scales, *scale) == scales.end())
                scales.push_back(std::move(*scale));
    return scales;
}

double Overlays::volumeOpacity(const SceneState& state) const {
    double factor = 1;
    for (const auto& overlay : overlays_)
        factor = std::min(factor, overlay->volumeOpacity(state));
    return factor;
}

double Overlays::arrowScale(const SceneState& state) const {
    double scale = 0;
    for (const auto& overlay : overlays_)
        scale = std::max(scale, overlay->arrowScale(state));
    return scale;
}

bool Overlays::unfinished() const {
    return std::ranges::any_of(overlays_,
                               [](const auto& overlay) { return overlay->unfinished(); });
}

std::uint64_t Overlays::made() const {
    std::uint64_t sum = 0;
    for (const auto& overlay : overlays_)
        sum += overlay->made();
    return sum;
}

std::vector<BufferPool::Usage::Holder> Overlays::textures(const std::string& whose) const {
    std::vector<BufferPool::Usage::Holder> held;
    for (std::size_t i = 0; i < overlays_.size(); ++i)
        if (const std::size_t bytes = overlays_[i]->textureBytes())
            held.push_back({whose + overlayKinds()[i].textures, bytes});
    return held;
}

void Overlays::releaseTextures() {
    for (const auto& overlay : overlays_)
        overlay->releaseTextures();
}

} // namespace systole
