// How far the motion may be wrong, its standard error in mm, as colors over the slices.
#include "render/overlays/map_rows.h"
#include "render/overlays/own_map.h"
#include "render/overlays/surface_colors.h"
#include "render/standard_error.h"

#include <memory>
#include <string>
#include <vector>

namespace systole {
namespace {

const std::vector<DisplayRow>& rows() {
    static const std::vector<DisplayRow> rows = withMapScale(
        {
            {.param = switchParam("certainty", false,
                                  "Standard error of the motion, as a map of colors on the slices; "
                                  "only of methods that estimate it (clg)."),
             .label = "C&ertainty",
             .section = "Motion",
             .extra = true},
            {.param = choiceParam("certainty-of", "largest", {"largest", "x", "y", "z"},
                                  "Direction whose standard error is shown: an axis of the grid (z "
                                  "passes through the slices), or that where it is largest."),
             .label = "error along",
             .group = "Certainty map"},
        },
        {.id = "certainty",
         .label = "error",
         .group = "Certainty map",
         .help = "Standard error at the upper end of the colors",
         .unit = "mm",
         .highest = 1e6,
         .sliderMaximum = 5});
    return rows;
}
enum Row { Shown, Of, Maximum, Opacity };

std::shared_ptr<const VectorField> errorOf(const SceneState& state) {
    return state.showsMotion() && state.result && rows()[Shown].isOn(state.display)
               ? state.result->standardError
               : nullptr;
}

const ErrorComponent& component(const SceneState& state) {
    return errorComponent(rows()[Of].text(state.display));
}

SurfaceScale scaleOf(const SceneState& state) {
    return standardErrorScale(component(state), rows()[Maximum].real(state.display),
                              *state.geometry, state.display.colorMap);
}

class CertaintyMap : public OwnMap {
public:
    Uploaded prepare(const SceneState& state) override {
        hideMap();
        const std::shared_ptr<const VectorField> error = errorOf(state);
        if (!error)
            return {};
        const ErrorComponent& of = component(state);
        if (of_ != &of)
            forgetMaps();
        of_ = &of;
        const Size3 size = state.geometry->size();
        TextureSource source;
        source.key = error;
        source.host = [&] {
            voxels_.resize(size.voxels());
            for (std::size_t i = 0; i < voxels_.size(); ++i)
                voxels_[i] = standardErrorAt(*error, of, i);
            return VolumeView<const float>(voxels_.data(), size);
        };
        return showMap(source, size, scaleOf(state).colors.map, state);
    }

    void shade(const SceneState& state, SliceLook& look) const override {
        if (!hasMap())
            return;
        SliceMap& shown = look.maps[3];
        shown = map();
        shown.opacity = state.motionOpacity() * rows()[Opacity].real(state.display);
        shown.high = scaleOf(state).maximum;
    }

    std::string label(const SceneState& state) const override {
        const bool unknown = state.showsMotion() && state.result && !state.result->errors &&
                             !state.result->standardError && rows()[Shown].isOn(state.display);
        return unknown ? "no certainty map: only clg estimates its errors" : "";
    }

    std::optional<ColorScale> ownScale(const SceneState& state) const override {
        return errorOf(state) ? std::optional(scaleOf(state).colors) : std::nullopt;
    }

private:
    const ErrorComponent* of_ = nullptr;
    std::vector<float> voxels_;
};

} // namespace

OverlayKind certaintyOverlay() {
    OverlayKind kind{rows(), makeOverlay<CertaintyMap>, "certainty maps"};
    kind.readsStandardError = always;
    return kind;
}

} // namespace systole
