// Lines along the motion as it stands between two frames: in the slices along its part in them, in
// the volume along all of it.
#include "render/glyph_sampling.h"
#include "render/overlays/line_overlay.h"

namespace systole {
namespace {

const std::vector<DisplayRow>& rows() {
    static const std::vector<DisplayRow> rows{
        {.param = switchParam("streamlines", false,
                              "Lines along the motion to the next frame, with "
                              "arrowheads where they lead."),
         .label = "Streamlines",
         .section = "Motion",
         .key = 'F',
         .extra = true},
        {.param = realParam("streamline-spacing", 0, 0, 1e6, "mm",
                            "Millimeters between the starts of streamlines; chosen when not "
                            "given."),
         .label = "streaml. spacing",
         .automatic = true,
         .group = "Grid and lines",
         .sliderMaximum = 40},
        {.param = realParam("streamline-length", 0, 0, 1e6, "mm",
                            "Length of a streamline, at most twice the volume's diagonal; three "
                            "times their spacing when not given."),
         .label = "streaml. length",
         .automatic = true,
         .group = "Grid and lines",
         .sliderMaximum = 100},
        {.param = realParam("streamline-opacity", 0.9, 0, 1, "", "Opacity of the streamlines."),
         .label = "streaml. opacity",
         .group = "Grid and lines"},
    };
    return rows;
}
enum Row { Shown, Spacing, Length, Opacity };

constexpr UsualLines usualLines{.alongSlice = 20, .inVolume = 1000};
constexpr double lengthInSpacings = 3;
constexpr double longestInDiagonals = 2; ///< circles never end by themselves
constexpr double stepInVoxels = 0.5;
/// Length of an arrowhead: the smaller of both.
constexpr double headInSpacings = 0.3, headInLengths = 0.2;

class Streamlines : public LineOverlay {
public:
    Streamlines() : LineOverlay(rows(), Opacity, 1.6) {}

protected:
    std::vector<double> lineOptions(const SceneState& state) const override {
        return {rows()[Spacing].real(state.display), rows()[Length].real(state.display)};
    }

    std::vector<FlowLine> lines(const SceneState& state, ViewKind view) const override {
        const Geometry& grid = state.motion.geometry();
        const bool volume = view == ViewKind::Volume3D;
        const double spacing =
            spacingOf(state, view, rows()[Spacing].real(state.display), usualLines);
        const double wanted = rows()[Length].real(state.display);
        StreamlineRules rules;
        rules.length = std::min(wanted > 0 ? wanted : lengthInSpacings * spacing,
                                longestInDiagonals * sampling::norm(boxAround(grid).extent()));
        rules.step = stepInVoxels * smallestSpacing(grid);
        rules.axis = volume ? -1 : viewPlane(view).axis;
        const sampling::ArrowSource source = sourceOf(state);
        std::vector<FlowLine> all;
        for (const Vec3 place : placesOf(state, view, spacing))
            if (FlowLine line = streamline(source, place, rules); line.size() > 1) {
                const double drawn = rules.step * static_cast<double>(line.size() - 1);
                const double head = std::min(headInSpacings * spacing, headInLengths * drawn);
                for (FlowLine& barb : arrowhead(line, head, rules.axis))
                    all.push_back(std::move(barb));
                all.push_back(std::move(line));
            }
        return all;
    }
};

} // namespace

OverlayKind streamlinesOverlay() {
    OverlayKind kind{rows(), makeOverlay<Streamlines>};
    kind.colorsMotion = always;
    kind.readsHostField = always;
    return kind;
}

} // namespace systole
