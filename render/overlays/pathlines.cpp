// The ways of tissue through the frames, from where it lies in the frame shown: as far as the
// motion of the frames that follow is known.
#include "render/glyph_sampling.h"
#include "render/overlays/line_overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace systole {
namespace {

const std::vector<DisplayRow>& rows() {
    static const std::vector<DisplayRow> rows{
        {.param = switchParam("pathlines", false,
                              "Paths of tissue through the following frames, as far as their "
                              "motion is estimated."),
         .label = "Pat&hlines",
         .section = "Motion",
         .key = 'P',
         .extra = true},
        {.param = realParam("pathline-spacing", 0, 0, 1e6, "mm",
                            "Millimeters between the starts of pathlines; chosen when not given."),
         .label = "pathl. spacing",
         .automatic = true,
         .group = "Grid and lines",
         .sliderMaximum = 40},
        {.param = realParam("pathline-frames", 0, 0, 1e6, "",
                            "Frames that pathlines follow tissue; once around when not given."),
         .label = "pathl. frames",
         .automatic = true,
         .group = "Grid and lines",
         .sliderMaximum = 50},
        {.param = switchParam("pathline-closed", false,
                              "Pathlines once around the cycle end where they began: what remains "
                              "is taken off each step in equal parts. Of motion from frame to "
                              "frame."),
         .label = "Closed pathlines",
         .section = "Motion",
         .group = "Grid and lines"},
        {.param = realParam("pathline-opacity", 0.9, 0, 1, "", "Opacity of the pathlines."),
         .label = "pathl. opacity",
         .group = "Grid and lines"},
    };
    return rows;
}
enum Row { Shown, Spacing, Frames, Closed, Opacity };

constexpr UsualLines usualLines{.alongSlice = 24, .inVolume = 1500};

struct Steps {
    std::vector<sampling::ArrowSource> fields;
    bool around = false; ///< the last one leads back to where the first one begins
};

/// The fields that follow one another from the frame shown on; since the first frame: all.
Steps stepsOf(const SceneState& state) {
    const double wanted = rows()[Frames].real(state.display);
    const std::size_t maxSteps =
        wanted > 0 ? static_cast<std::size_t>(std::max(1.0, std::round(wanted))) : SIZE_MAX;
    Steps made;
    std::vector<sampling::ArrowSource>& steps = made.fields;
    const auto add = [&](const FrameResult& result) {
        steps.push_back(arrowSource(*result.field, {}));
    };
    if (state.result->sinceFirst) {
        for (const auto& result : state.cycle)
            if (result->sinceFirst && result->field && steps.size() < maxSteps)
                add(*result);
        return made;
    }
    add(*state.result);
    int frame = state.result->movingFrame;
    const auto begins = [&](const auto& result) {
        return result->fixedFrame == frame && !result->sinceFirst && result->field;
    };
    while (steps.size() < maxSteps && frame != state.result->fixedFrame) {
        const auto next = std::ranges::find_if(state.cycle, begins);
        if (next == state.cycle.end() || steps.size() > state.cycle.size())
            break;
        add(**next);
        frame = (*next)->movingFrame;
    }
    made.around = frame == state.result->fixedFrame;
    return made;
}

bool closes(const SceneState& state, const Steps& steps) {
    return steps.around && rows()[Closed].isOn(state.display);
}

class Pathlines : public LineOverlay {
public:
    Pathlines() : LineOverlay(rows(), Opacity, 1.6) {}

protected:
    std::vector<double> lineOptions(const SceneState& state) const override {
        return {rows()[Spacing].real(state.display), rows()[Frames].real(state.display),
                rows()[Closed].isOn(state.display) ? 1.0 : 0.0};
    }
    bool followsCycle() const override { return true; }

    std::string label(const SceneState& state) const override {
        if (!shows(state))
            return "";
        const Steps found = stepsOf(state);
        const std::size_t steps = found.fields.size();
        if (steps == 1 && rows()[Frames].real(state.display) != 1)
            return "pathlines over 1 frame: they grow with the cycle's motion";
        return fmt::format("pathlines over {} frame{}{}", steps, steps == 1 ? "" : "s",
                           closes(state, found) ? ", closed" : "");
    }

    std::vector<FlowLine> lines(const SceneState& state, ViewKind view) const override {
        const double spacing =
            spacingOf(state, view, rows()[Spacing].real(state.display), usualLines);
        const Steps steps = stepsOf(state);
        const sampling::ArrowSource source = sourceOf(state);
        std::vector<FlowLine> all;
        for (const Vec3 place : placesOf(state, view, spacing)) {
            if (sampling::tooDark(source, place))
                continue;
            FlowLine line = state.result->sinceFirst ? pathlineSinceFirst(steps.fields, place)
                                                     : pathline(steps.fields, place);
            if (closes(state, steps) && line.size() == steps.fields.size() + 1)
                line = closedPathline(std::move(line));
            const auto moves = [&](const FlowPoint& point) {
                return point.magnitude >= source.smallestMagnitude;
            };
            if (line.size() > 1 && std::ranges::any_of(line, moves))
                all.push_back(std::move(line));
        }
        return all;
    }
};

} // namespace

OverlayKind pathlinesOverlay() {
    OverlayKind kind{rows(), makeOverlay<Pathlines>};
    kind.colorsMotion = always;
    kind.readsHostField = kind.readsCycle = always;
    return kind;
}

} // namespace systole
