// Maps of the tissue's deformation, volume change or strain, in diverging colors over the slices.
#include "render/overlays/deformation_maps.h"
#include "render/overlays/map_rows.h"
#include "render/overlays/own_map.h"
#include "render/overlays/surface_colors.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace systole {
namespace {

const std::vector<DisplayRow>& rows() {
    static const std::vector<DisplayRow> rows = withMapScale(
        {
            {.param = switchParam("deformation", false,
                                  "Volume change or strain, as a map of colors on the slices. "
                                  "Contraction is red."),
             .label = "&Deformation",
             .section = "Motion",
             .key = 'J',
             .extra = true},
            {.param =
                 choiceParam("deformation-of", "jacobian",
                             {"jacobian", "log-jacobian", "largest-strain", "smallest-strain"},
                             "What the deformation map shows: the Jacobian determinant |J| or its "
                             "logarithm, or the largest or smallest principal strain "
                             "(Green-Lagrange) of the motion shown."),
             .label = "deformation",
             .group = "Deformation map",
             .titles = {"|J|", "ln |J|", "largest strain", "smallest strain"}},
        },
        {.id = "deformation",
         .label = "deform.",
         .group = "Deformation map",
         .help = "Largest |J|, ln |J| or strain in the deformation map",
         .unit = "",
         .highest = 100,
         .sliderMaximum = 3});
    return rows;
}
enum Row { Shown, Of, Maximum, Opacity };

bool isOn(const SceneState& state) {
    return state.showsMotion() && state.motion.field && rows()[Shown].isOn(state.display);
}

Deformation quantity(const SceneState& state) {
    return *deformationNamed(rows()[Of].text(state.display));
}

SurfaceScale scaleOf(const SceneState& state) {
    return deformationScale(quantity(state), rows()[Maximum].real(state.display),
                            state.result && state.result->sinceFirst);
}

class DeformationMap : public OwnMap {
public:
    Uploaded prepare(const SceneState& state) override {
        hideMap();
        if (!rows()[Shown].isOn(state.display))
            maps_.reset();
        if (!isOn(state))
            return {};
        const Deformation wanted = quantity(state);
        if (of_ != wanted) {
            of_ = wanted;
            forgetMaps();
            if (maps_)
                maps_->clear();
        }
        if (!maps_)
            maps_ = std::make_unique<DeformationMaps>(state.threads);
        const DeformationMaps::Map map = maps_->find(state.motion.field, wanted, state.waits);
        if (!map || map->empty())
            return {};
        const Size3 size = state.geometry->size();
        TextureSource source;
        source.key = state.motion.field;
        source.host = [&] { return VolumeView<const float>(map->data(), size); };
        return showMap(source, size, ColorMap::Diverging, state);
    }

    void shade(const SceneState& state, SliceLook& look) const override {
        if (!hasMap())
            return;
        const double red = redEnd(quantity(state), scaleOf(state).maximum);
        SliceMap& shown = look.maps[1];
        shown = map();
        shown.opacity = state.motionOpacity() * rows()[Opacity].real(state.display);
        shown.low = -red;
        shown.high = red;
        shown.neutral = 0.5;
    }

    std::optional<ColorScale> ownScale(const SceneState& state) const override {
        return isOn(state) ? std::optional(scaleOf(state).colors) : std::nullopt;
    }

    void releaseTextures() override {
        OwnMap::releaseTextures();
        maps_.reset();
    }
    bool unfinished() const override { return maps_ && maps_->unfinished(); }
    std::uint64_t made() const override { return maps_ ? maps_->made() : 0; }

private:
    Deformation of_ = Deformation::Jacobian;
    std::unique_ptr<DeformationMaps> maps_; ///< null while it is off
};

} // namespace

OverlayKind deformationOverlay() {
    OverlayKind kind{rows(), makeOverlay<DeformationMap>, "deformation maps"};
    kind.readsHostField = always;
    return kind;
}

} // namespace systole
