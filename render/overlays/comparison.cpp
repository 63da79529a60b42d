// The fixed frame against the moving one, warped onto it by the motion or as it is: as a
// checkerboard, behind a curtain, in turn, or their difference.
#include "render/overlay.h"
#include "render/overlays/surface_colors.h"
#include "render/slice_layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace systole {
namespace {

/// Ids in the order of FrameComparison after None.
constexpr std::array modes{"checkerboard", "curtain", "flicker", "difference"};

const std::vector<DisplayRow>& rows() {
    static const std::vector<DisplayRow> rows{
        {.param = switchParam("compare", false,
                              "The fixed frame against the moving one, on the slices."),
         .label = "Compa&re frames",
         .section = "Motion",
         .key = 'K',
         .extra = true},
        {.param = choiceParam("compare-by", modes.front(), {modes.begin(), modes.end()},
                              "How the frames are compared: in the squares of a checkerboard, on "
                              "both sides of a curtain, alternating, or as the fixed frame minus "
                              "the other one, gray where they are alike."),
         .label = "compare by",
         .group = "Compare frames"},
        {.param = choiceParam("compare-with", "warped", {"warped", "moving"},
                              "What the fixed frame is compared with: the moving frame, warped "
                              "onto it by the motion, or as it is."),
         .label = "compare with",
         .group = "Compare frames",
         .titles = {"warped frame", "moving frame"}},
        {.param = realParam("compare-square", 0, 0, 1e6, "mm",
                            "Side of the checkerboard's squares; chosen when not given."),
         .label = "square",
         .automatic = true,
         .group = "Compare frames",
         .sliderMaximum = 50},
        {.param = realParam("compare-curtain", 50, 0, 100, "%",
                            "Percentage of the slice's width, left of the curtain, that shows the "
                            "fixed frame."),
         .label = "curtain at",
         .group = "Compare frames"},
        {.param = realParam("compare-opacity", 1, 0, 1, "",
                            "Opacity of the other frame over the fixed one."),
         .label = "frame opacity",
         .group = "Compare frames"},
    };
    return rows;
}
enum Row { Shown, By, With, Square, Curtain, Opacity };

constexpr double squaresAlong = 10; ///< number of squares along the longest side of the volume

FrameComparison modeOf(const DisplayOptions& display) {
    const auto found = std::ranges::find(modes, rows()[By].text(display));
    return static_cast<FrameComparison>(1 + (found - modes.begin()));
}

bool isWarped(const DisplayOptions& display) { return rows()[With].text(display) == "warped"; }

/// The frame with which the fixed frame is compared; null: it isn't on the host.
std::shared_ptr<const Volume> otherFrame(const SceneState& state) {
    if (!state.geometry || !state.result || !rows()[Shown].isOn(state.display) ||
        !(state.motionOpacity() > 0))
        return nullptr;
    return isWarped(state.display) ? state.result->warped : state.result->moving;
}

bool fits(const std::shared_ptr<const Volume>& frame, const SceneState& state) {
    return frame && frame->geometry.size() == state.geometry->size();
}

class ComparedFrames : public Overlay {
public:
    Uploaded prepare(const SceneState& state) override {
        first_ = second_ = 0;
        const std::shared_ptr<const Volume> other = otherFrame(state);
        if (!fits(other, state) || !fits(state.result->fixed, state))
            return {};
        Uploaded uploaded;
        const auto show = [&](const std::shared_ptr<const Volume>& frame) {
            TextureSource source;
            source.key = frame;
            source.host = [&] { return frame->view(); };
            const TextureRing::Shown shown =
                ring_.show(source, state.geometry->size(), *state.upload);
            uploaded += shown.uploaded;
            return shown.texture;
        };
        first_ = show(state.result->fixed);
        second_ = show(other);
        return uploaded;
    }

    void shade(const SceneState& state, SliceLook& look) const override {
        SliceComparison& compared = look.compared;
        compared.first = first_;
        compared.second = second_;
        if (!first_)
            return;
        compared.mode = modeOf(state.display);
        compared.showsSecond = state.flickers;
        compared.opacity = rows()[Opacity].real(state.display);
        compared.curtain = rows()[Curtain].real(state.display) / 100;
        const double wanted = rows()[Square].real(state.display);
        const Vec3 extent = state.box.extent();
        compared.square =
            wanted > 0 ? wanted : std::max({extent.x, extent.y, extent.z}) / squaresAlong;
    }

    std::string sliceLabel(const SceneState& state) const override {
        if (!first_)
            return {};
        const FrameResult& result = *state.result;
        const std::string other = fmt::format("frame {}{}", result.movingFrame,
                                              isWarped(state.display) ? " warped onto it" : "");
        if (modeOf(state.display) == FrameComparison::Flicker)
            return state.flickers ? other : fmt::format("frame {}", result.fixedFrame);
        const bool less = modeOf(state.display) == FrameComparison::Difference;
        return fmt::format("frame {} {} {}", result.fixedFrame, less ? "less" : "|", other);
    }

    std::optional<ColorScale> ownScale(const SceneState& state) const override {
        if (!first_ || modeOf(state.display) != FrameComparison::Difference)
            return std::nullopt;
        SurfaceScale scale = divergingScale("difference", "", state.windowLevel.window / 2);
        scale.colors.map = ColorMap::Gray;
        return scale.colors;
    }

    std::size_t textureBytes() const override { return ring_.memoryBytes(); }
    void releaseTextures() override { ring_.clear(); }

private:
    TextureRing ring_;
    unsigned first_ = 0, second_ = 0; ///< textures of the current draw; 0: nothing is compared
};

} // namespace

OverlayKind comparisonOverlay() {
    OverlayKind kind{rows(), makeOverlay<ComparedFrames>, "compared frames"};
    kind.readsHostField = always;
    kind.flickers = [](const DisplayOptions& display) {
        return modeOf(display) == FrameComparison::Flicker;
    };
    return kind;
}

} // namespace systole
