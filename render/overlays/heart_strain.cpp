// Strain along the heart's axes since end diastole, as diverging colors over the slices:
// contraction is red along each axis, as in the bull's-eye. The map is carried along with the wall.
#include "compute/cardiac/axis_strain_math.h"
#include "compute/ops/carried_map.h"
#include "render/device_motion.h"
#include "render/overlays/map_rows.h"
#include "render/overlays/own_map.h"
#include "render/overlays/surface_colors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace systole {
namespace {

constexpr const char* directions[] = {"longitudinal", "circumferential", "radial"};
constexpr const char* captions[] = {"longitudinal strain", "circumferential strain",
                                    "radial strain"};
/// Signs and words of contraction per direction.
constexpr Contraction contractions[] = {lengthContracts, lengthContracts, wallContracts};
/// The end of the colors, %, when none is given: a healthy wall thickens more than it shortens.
constexpr double usualLimit[] = {30, 30, 60};

const std::vector<DisplayRow>& rows() {
    static const std::vector<DisplayRow> rows = withMapScale(
        {
            {.param = switchParam(
                 "strain", false,
                 "Strain along the heart's axes since end diastole, as a map of colors on "
                 "the slices, once the Cardiac panel measures the left ventricle. "
                 "Contraction is red."),
             .label = "Heart &strain",
             .section = "Motion",
             .extra = true},
            {.param = choiceParam("strain-along", directions[0],
                                  {std::begin(directions), std::end(directions)},
                                  "The axis of the heart along which the strain map shows strain."),
             .label = "strain along",
             .group = "Heart strain"},
            {.param =
                 choiceParam("strain-tensor", "engineering", {"engineering", "green-lagrange"},
                             "Kind of strain in that map: the change of length over length, or "
                             "the Green-Lagrange tensor's component."),
             .label = "strain tensor",
             .group = "Heart strain"},
        },
        {.id = "strain",
         .label = "strain",
         .group = "Heart strain",
         .help = "Strain at both ends of the map's colors",
         .unit = "%",
         .highest = 1000,
         .sliderMaximum = 100,
         .opacity = 0.7});
    return rows;
}
enum Row { Shown, Along, TensorOf, Maximum, Opacity };

/// Inputs of the maps, except the motion.
struct Wanted {
    std::shared_ptr<const cardiac::Ventricle> ventricle;
    std::size_t direction = 0;
    cardiac::Tensor tensor = cardiac::Tensor::Engineering;
    std::shared_ptr<const FrameResult> diastole; ///< motion as in SceneStrain::diastole
    bool operator==(const Wanted&) const = default;
};

Wanted wantedOf(const SceneState& state) {
    const auto found = std::ranges::find(directions, rows()[Along].text(state.display));
    return {state.strain->ventricle, static_cast<std::size_t>(found - std::begin(directions)),
            rows()[TensorOf].text(state.display) == "engineering" ? cardiac::Tensor::Engineering
                                                                  : cardiac::Tensor::GreenLagrange,
            state.strain->diastole};
}

bool isOn(const SceneState& state) {
    return rows()[Shown].isOn(state.display) && state.geometry && state.strain &&
           state.strain->ventricle->wall.grid.matches(*state.geometry, 1e-3);
}

/// The largest strain of the colors, %.
double limitOf(const SceneState& state) {
    const double given = rows()[Maximum].real(state.display);
    return given > 0 ? given : usualLimit[wantedOf(state).direction];
}

/// The moved wall's voxels and those around them.
VoxelBox boxOf(const cardiac::TissueVoxels& wall, FieldView<const float> motion) {
    constexpr int margin = 2;
    std::array<int, 3> low{motion.size.x, motion.size.y, motion.size.z}, high{-1, -1, -1};
    for (const auto& index : wall.index) {
        const std::size_t i = motion.componentView(0).offset(index[0], index[1], index[2]);
        for (int axis = 0; axis < 3; ++axis) {
            const auto k = static_cast<std::size_t>(axis);
            const int at = index[k] + static_cast<int>(std::lround(motion.component(axis)[i]));
            low[k] = std::max(std::min(low[k], at - margin), 0);
            high[k] = std::min(std::max(high[k], at + margin), motion.size[axis] - 1);
        }
    }
    return {low[0],
            low[1],
            low[2],
            {std::max(high[0] - low[0] + 1, 0), std::max(high[1] - low[1] + 1, 0),
             std::max(high[2] - low[2] + 1, 0)}};
}

/// Whether end diastole is shown, where strain is zero everywhere and has no map.
bool isZero(const SceneStrain& strain) {
    return !strain.awaitsMotion && strain.motion == strain.diastole;
}

class HeartStrain : public OwnMap {
public:
    Uploaded prepare(const SceneState& state) override {
        hideMap();
        if (!isOn(state)) {
            releaseTextures();
            return {};
        }
        if (!resources_)
            resources_ = std::make_unique<ExecResources>(state.threads);
        follow(wantedOf(state));
        const SceneStrain& strain = *state.strain;
        if (isZero(strain) || strain.awaitsMotion)
            return {};
        const MotionSource motion(strain.motion.get(), state.interop),
            since(strain.diastole.get(), state.interop);
        if (strain.motion && !motion)
            return {};
        TextureSource source;
        if (motion.onDevice() && (!strain.diastole || since.onDevice())) {
            source.interop = motion.interop;
            source.key = motion.deviceField;
            source.device = [&] {
                if (!device_)
                    device_ = axesOnDevice(*axes_, *motion.interop);
                return strainToTexture(motion.deviceField, device_,
                                       {.direction = static_cast<int>(wanted_.direction),
                                        .tensor = wanted_.tensor,
                                        .since = since.deviceField});
            };
        } else {
            const std::shared_ptr<const VectorField> field = strain.motion ? motion.field : still();
            if (!field || (strain.diastole && !since.field))
                return {};
            source.key = field;
            source.host = [this, field] {
                return VolumeView<const float>(mapOf(field).data(), axes_->grid.size());
            };
        }
        return showMap(source, axes_->grid.size(), ColorMap::Diverging, state);
    }

    void shade(const SceneState& state, SliceLook& look) const override {
        if (!hasMap())
            return;
        const double red = contractions[wanted_.direction].redEnd(limitOf(state)) / 100;
        SliceMap& shown = look.maps[2];
        shown = map();
        shown.opacity = rows()[Opacity].real(state.display);
        shown.low = -red;
        shown.high = red;
        shown.neutral = 0.5;
    }

    std::string label(const SceneState& state) const override {
        if (!state.showsMotion() || !rows()[Shown].isOn(state.display))
            return "";
        return !state.strain                ? "no strain map: Cardiac hasn't measured this motion"
               : state.strain->awaitsMotion ? "no strain map: this frame isn't measured yet"
               : isZero(*state.strain)      ? "no strain map: end diastole"
                                            : "";
    }

    std::optional<ColorScale> ownScale(const SceneState& state) const override {
        if (!isOn(state))
            return std::nullopt;
        const std::size_t direction = wantedOf(state).direction;
        return contractionScale(captions[direction], "%", limitOf(state), contractions[direction])
            .colors;
    }

    void releaseTextures() override {
        OwnMap::releaseTextures();
        maps_.clear();
        device_.reset();
        axes_.reset();
        still_.reset();
        diastole_.clear();
        wanted_ = {};
    }

private:
    void follow(Wanted wanted) {
        if (axes_ && wanted == wanted_)
            return;
        if (!axes_ || wanted.ventricle != wanted_.ventricle) {
            axes_ =
                std::make_unique<cardiac::HeartAxesMap>(cardiac::heartAxesMap(*wanted.ventricle));
            device_.reset();
            still_.reset();
        }
        diastole_.clear();
        wanted_ = std::move(wanted);
        maps_.clear();
        forgetMaps();
    }

    const std::vector<float>& mapOf(const std::shared_ptr<const VectorField>& field) {
        std::erase_if(maps_, [](const auto& map) { return map.first.expired(); });
        std::vector<float>& map = maps_[field];
        if (!map.empty())
            return map;
        std::vector<float> strain = strainOf(*field);
        if (wanted_.diastole && diastole_.empty())
            diastole_ = strainOf(*wanted_.diastole->field);
        for (std::size_t i = 0; i < diastole_.size(); ++i)
            strain[i] = cardiac::strainSince(diastole_[i], strain[i], wanted_.tensor);
        map.resize(strain.size());
        carryMap(field->view(), {strain.data(), axes_->grid.size()},
                 boxOf(wanted_.ventricle->wall, field->view()), {map.data(), axes_->grid.size()},
                 resources_->context());
        return map;
    }

    /// Strain along the selected axis since the ventricle's frame, one value per voxel.
    std::vector<float> strainOf(const VectorField& field) {
        const Size3 size = axes_->grid.size();
        const std::size_t n = size.voxels();
        std::vector<float> strain(4 * n); // J and three directions
        cardiac::axisStrain({.motion = field.view(),
                             .longitudinal = axes_->longitudinal(),
                             .radial = axes_->radial(),
                             .scale = cardiac::axisScale(axes_->grid),
                             .tensor = wanted_.tensor,
                             .jacobian = {strain.data(), size},
                             .strain = {strain.data() + n, size}},
                            resources_->context());
        const auto along =
            strain.begin() + static_cast<std::ptrdiff_t>((1 + wanted_.direction) * n);
        return {along, along + static_cast<std::ptrdiff_t>(n)};
    }

    /// The motion into the ventricle's own frame: none.
    const std::shared_ptr<const VectorField>& still() {
        if (!still_) {
            auto field =
                std::make_shared<VectorField>(axes_->grid, resources_->pool(), "motion of none");
            std::ranges::fill(field->components.span(), 0.0f);
            still_ = field;
        }
        return still_;
    }

    Wanted wanted_;
    /// Axes of `wanted_`'s ventricle; null: nothing was shown.
    std::unique_ptr<cardiac::HeartAxesMap> axes_;
    std::shared_ptr<const DeviceAxes> device_; ///< copy on the device; made when first needed
    std::unique_ptr<ExecResources> resources_; ///< threads; made when first needed
    /// Maps of the fields that others hold: a cycle that is played again isn't computed again.
    std::map<std::weak_ptr<const VectorField>, std::vector<float>, std::owner_less<>> maps_;
    std::vector<float> diastole_; ///< strain at end diastole; empty: not needed, or not made yet
    std::shared_ptr<const VectorField> still_; ///< made when first needed
};

} // namespace

OverlayKind heartStrainOverlay() {
    return {rows(), makeOverlay<HeartStrain>, "maps of the heart's strain"};
}

} // namespace systole
