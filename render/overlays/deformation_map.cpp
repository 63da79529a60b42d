// What the motion does to the tissue, volume change or strain, as diverging colors over the slices.
#include "render/overlay.h"
#include "render/overlays/deformation_maps.h"
#include "render/overlays/map_rows.h"
#include "render/overlays/surface_colors.h"
#include "render/slice_layer.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace systole {
namespace {

const std::vector<DisplayRow>& rows() {
    static const std::vector<DisplayRow> rows = withMapScale(
        {
            {.param = switchParam("deformation", false,
                                  "Volume change or strain, as a map of colors on the slices."),
             .label = "&Deformation",
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
         .help = "Upper end of |J|, ln |J| or strain in the deformation map",
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

class DeformationMap : public Overlay {
public:
    Uploaded prepare(const SceneState& state) override {
        texture_ = 0;
        if (!rows()[Shown].isOn(state.display))
            maps_.reset();
        if (!isOn(state))
            return {};
        const Deformation wanted = quantity(state);
        if (of_ != wanted) {
            of_ = wanted;
            ring_.clear();
            if (maps_)
                maps_->clear();
        }
        if (!maps_)
            maps_ = std::make_unique<DeformationMaps>(state.threads);
        const DeformationMaps::Map map = maps_->find(state.motion.field, wanted, state.waits);
        if (!map || map->empty())
            return {};
        if (!colors_)
            colors_ = makeColorMapTexture(ColorMap::Diverging);
        const Size3 size = state.geometry->size();
        TextureSource source;
        source.key = state.motion.field;
        source.host = [&] { return VolumeView<const float>(map->data(), size); };
        const TextureRing::Shown shown = ring_.show(source, size, *state.upload);
        texture_ = shown.texture;
        return shown.uploaded;
    }

    void shade(const SceneState& state, SliceLook& look) const override {
        if (!texture_)
            return;
        const double end = upperEnd(quantity(state), scaleOf(state).maximum);
        SliceMap& map = look.maps[1];
        map.texture = texture_;
        map.colorMap = colors_.id();
        map.opacity = state.motionOpacity() * rows()[Opacity].real(state.display);
        map.low = -end;
        map.high = end;
        map.neutral = 0.5;
    }

    std::optional<ColorScale> ownScale(const SceneState& state) const override {
        return isOn(state) ? std::optional(scaleOf(state).colors) : std::nullopt;
    }

    std::size_t textureBytes() const override { return ring_.memoryBytes(); }
    void releaseTextures() override {
        ring_.clear();
        colors_.reset();
        maps_.reset();
    }
    bool unfinished() const override { return maps_ && maps_->unfinished(); }
    std::uint64_t made() const override { return maps_ ? maps_->made() : 0; }

private:
    Deformation of_ = Deformation::Jacobian;
    TextureRing ring_;
    std::unique_ptr<DeformationMaps> maps_; ///< null while it is off
    GlTexture colors_;
    unsigned texture_ = 0; ///< texture of the current draw; 0: no map
};

} // namespace

OverlayKind deformationOverlay() {
    OverlayKind kind{rows(), makeOverlay<DeformationMap>, "deformation maps"};
    kind.readsHostField = always;
    return kind;
}

} // namespace systole
