// |displacement|, or the difference of two displacements, as a color map over the slices.
#include "render/device_motion.h"
#include "render/overlay.h"
#include "render/sampling_math.h"
#include "render/slice_layer.h"

namespace systole {
namespace {

constexpr double differenceOpacity = 0.9;

const std::vector<DisplayRow>& rows() {
    static const std::vector<DisplayRow> rows{
        {.param = switchParam("magnitude", false,
                              "Magnitude of the motion, as a map of colors on the slices."),
         .label = "&Magnitude map",
         .section = "Motion",
         .key = 'O',
         .extra = true},
        {.param = realParam("magnitude-opacity", 0.6, 0, 1, "", "Opacity of the magnitude map."),
         .former = "map-opacity",
         .label = "map opacity"},
    };
    return rows;
}
enum Row { Shown, Opacity };

bool isOn(const SceneState& state) {
    return state.showsMotion() && rows()[Shown].isOn(state.display);
}

class MagnitudeMap : public Overlay {
public:
    Uploaded prepare(const SceneState& state) override {
        texture_ = 0;
        if (!state.geometry || !(state.difference || isOn(state)))
            return {};
        const TextureRing::Shown shown =
            ring_.show(source(state), state.geometry->size(), *state.upload);
        texture_ = shown.texture;
        return shown.uploaded;
    }

    void shade(const SceneState& state, SliceLook& look) const override {
        SliceMap& map = look.maps[0];
        map.texture = texture_;
        map.colorMap = state.colorMapTexture;
        map.opacity = state.motionOpacity() *
                      (state.difference ? differenceOpacity : rows()[Opacity].real(state.display));
        map.high = state.colorMaximum;
        map.rest = state.difference ? state.scale.rounding : state.scale.rest;
        look.darkest = static_cast<double>(state.darkest());
        look.darkFade = 0.5 * static_cast<double>(state.darkest() - state.low);
        if (state.difference) {
            look.darkest = -1e30; // lower than any image's values
            look.darkFade = 1e29;
        }
    }

    OverlayColors colors(const SceneState& state) const override {
        return state.difference || isOn(state) ? OverlayColors::Slices : OverlayColors::None;
    }

    std::size_t textureBytes() const override { return ring_.memoryBytes(); }
    void releaseTextures() override { ring_.clear(); }

private:
    TextureSource source(const SceneState& state) {
        TextureSource source;
        if (state.difference) {
            source.key = state.difference;
            source.host = [&state] { return state.difference->view(); };
            return source;
        }
        const MotionSource& motion = state.motion;
        source.key = motion.onDevice() ? motion.deviceField : motion.field;
        source.host = [this, &motion] { return magnitudesOf(*motion.field); };
        source.interop = motion.interop;
        source.device = [&motion] { return magnitudeToTexture(motion.deviceField); };
        return source;
    }

    /// Magnitudes in mm, on the host.
    VolumeView<const float> magnitudesOf(const VectorField& field) {
        const FieldView<const float> view = field.view();
        const auto matrix = sampling::matrixOf<double>(field.geometry.voxelToPhysicalMatrix());
        voxels_.resize(field.geometry.voxels());
        for (std::size_t i = 0; i < voxels_.size(); ++i)
            voxels_[i] = static_cast<float>(
                sampling::magnitude<double>(matrix, view.u[i], view.v[i], view.w[i]));
        return VolumeView<const float>(voxels_.data(), view.size);
    }

    TextureRing ring_;
    std::vector<float> voxels_;
    unsigned texture_ = 0; ///< texture of the current draw; 0: no map
};

} // namespace

OverlayKind magnitudeOverlay() {
    OverlayKind kind{rows(), makeOverlay<MagnitudeMap>, "magnitude maps"};
    kind.colorsMotion = always;
    return kind;
}

} // namespace systole
