#include "app/anatomy/ejection.h"
#include "app/base/units.h"
#include "app/feature/panel.h"
#include "app/features/surface/surface_tool.h"
#include "app/kit/tool_widgets.h"
#include "compute/surface/surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace systole {
namespace {

/// Values of the frames that have a surface; gaps elsewhere.
template <typename Value>
std::vector<PlotPoint> curveOf(const LiveSurfaces& frames, const Value& value) {
    std::vector<PlotPoint> curve;
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const bool known = frames[i] && frames[i]->scene;
        curve.push_back({static_cast<double>(i), known ? value(*frames[i]) : curveGap});
    }
    return curve;
}

std::vector<PlotPoint> volumeCurve(const LiveSurfaces& frames) {
    std::vector<PlotPoint> curve;
    for (const double volume : millilitersByFrame(frames))
        curve.push_back({static_cast<double>(curve.size()), volume});
    return curve;
}
double areaOf(const LiveSurface& surface) { return surface.squareCentimeters; }

/// The preset with these values; "changed" where there is none.
std::string presetOf(const ParamSet& values) {
    for (const std::string& name : values.table().presets()) {
        const ParamSet preset(values.table(), name);
        if (std::ranges::all_of(values.table().rows(), [&](const ParamRow& row) {
                return values.value(row.id) == preset.value(row.id);
            }))
            return name;
    }
    return "changed";
}

class SurfacePanel : public Panel {
public:
    explicit SurfacePanel(SurfaceTool& tool) : tool_(tool) {}
    const char* title() const override { return surfaceTitle; }

    void draw(Session& session) override {
        SurfaceChoice& choice = tool_.choice;
        drawSource(session);
        if (!choice.isOn())
            return wrappedText("Choose where the surface comes from: a label map or a mesh from a "
                               "file, gray values above a threshold, or the labels of the Segment "
                               "panel. Its volume in every frame, the ejection fraction and "
                               "denoising follow.",
                               dimColor());
        if (choice.source != SurfaceOrigin::Mesh) {
            drawFollowing(choice);
            drawDenoising(choice);
        }
        ImGui::Separator();
        drawFigures();
        drawVolumes(session);
        drawEjections(session.marks);
        drawFrames("area, cm²", session, curveOf(tool_.frames(), areaOf), 2);
        drawExport();
    }

    std::string text(const Session& session) const override {
        std::string text = tool_.volumes();
        std::ranges::replace(text, ',', '\t');
        text += stagesText() + "\n";
        const Ejections all = ejections(session.marks);
        for (const auto* lines : {&all.figures, &all.doubts})
            for (const std::string& line : *lines)
                text += line + "\n";
        return text;
    }

private:
    void drawSource(const Session& session) {
        SurfaceChoice& choice = tool_.choice;
        choiceRow(
            "from", name(choice.source), surfaceOrigins,
            [](SurfaceOrigin source) { return name(source); },
            [&](SurfaceOrigin source) {
                if (source != choice.source)
                    tool_.choose(source);
            });
        tooltip("What the surface encloses: a label of a label map (3D or 4D), the gray values "
                "above a threshold, a mesh from a file, or a label of what the Segment panel has "
                "made.");
        if (choice.needsFile()) {
            panelLabel("file");
            ImGui::TextUnformatted(std::filesystem::path(choice.file).filename().string().c_str());
            if (ImGui::SmallButton("Another file ..."))
                tool_.choose(choice.source);
        }
        if (choice.needsLabel()) {
            panelLabel("label");
            if (ImGui::InputInt("##label", &choice.label)) {
                choice.label = std::max(choice.label, 1);
                ++choice.revision;
            }
        }
        if (choice.source == SurfaceOrigin::Threshold && session.opened) {
            const IntensityScale& scale = session.opened->scale;
            if (slider("threshold", choice.threshold, double{scale.low}, double{scale.high}, "%.4g",
                       "Gray value; what is above it is inside."))
                ++choice.revision;
        }
    }

    static void drawFollowing(SurfaceChoice& choice) {
        panelLabel("frames");
        int carried = choice.carried ? 0 : 1;
        if (ImGui::Combo("##frames", &carried, "carried by the motion\0found in each frame\0")) {
            choice.carried = carried == 0;
        }
        tooltip("Carried: the surface of the first frame moves with the estimated motion, point by "
                "point. Found: every frame has its own, from its labels or gray values.");
    }

    static void drawDenoising(SurfaceChoice& choice) {
        if (checkbox("denoise", choice.denoise,
                     "Non-local means on the signed distance: parts of the surface that look "
                     "alike are averaged, so that edges and corners stay. The ghost is the "
                     "original surface, or the wall if there is one."))
            ++choice.revision;
        if (!choice.denoise)
            return;
        choiceRow(
            "preset", presetOf(choice.denoising), nonlocalMeansTable().presets(),
            [](const std::string& preset) { return preset; },
            [&](const std::string& preset) {
                choice.denoising = ParamSet(nonlocalMeansTable(), preset);
                ++choice.revision;
            });
        parameterTree(choice.denoising, false, [&](const std::string& id, ParamValue value) {
            choice.denoising.set(id, std::move(value));
            ++choice.revision;
        });
    }

    void drawFigures() const {
        const auto line = [](const std::string& text) { wrappedText(text, plainColor()); };
        const auto& shown = tool_.shown ? tool_.shown : tool_.newest;
        if (shown)
            for (const std::string* text : {&shown->problem, &shown->note})
                if (!text->empty())
                    wrappedText(*text, warningColor);
        if (shown && shown->scene && shown->scene->mesh) {
            line(fmt::format("frame {}: {} triangles", shown->frame,
                             shown->scene->mesh->triangles.size()));
            line(shown->closed
                     ? fmt::format("volume {:.2f} ml{}, area {:.2f} cm²", shown->milliliters,
                                   shown->touchesEdge ? " up to the image's edge" : "",
                                   shown->squareCentimeters)
                     : fmt::format("open, no volume; area {:.2f} cm²", shown->squareCentimeters));
            if (!shown->denoised.empty())
                line(shown->denoised);
            if (shown->bandElements > 0)
                line(fmt::format("denoised in a band of {} voxels, {} neighbors kept of each",
                                 shown->bandElements, tool_.choice.denoising.integer("neighbors")));
            wrappedText(stagesText(), dimColor());
        }
        const auto made = std::ranges::count_if(tool_.frames(),
                                                [](const auto& frame) { return frame != nullptr; });
        if (tool_.choice.source == SurfaceOrigin::Segmentation && made == 0 &&
            tool_.waiting().empty())
            return wrappedText("nothing is segmented yet: see the Segment panel", dimColor());
        if (made < static_cast<std::ptrdiff_t>(tool_.frames().size()))
            wrappedText(fmt::format("{} of {} frames made{}", made, tool_.frames().size(),
                                    tool_.waiting().empty() ? "" : "; " + tool_.waiting()),
                        dimColor());
    }

    /// "cuda: distance 3.1 ms, isosurface 5 ms"
    std::string stagesText() const {
        std::string text;
        const auto& shown = tool_.shown ? tool_.shown : tool_.newest;
        if (shown)
            for (const auto& [stage, seconds] : shown->stages)
                text += (text.empty() ? std::string(name(shown->backend)) + ": " : ", ") + stage +
                        " " + secondsText(seconds);
        return text;
    }

    /// Both ways to follow the frames in one plot, where both are known.
    void drawVolumes(const Session& session) const {
        const bool carried = tool_.choice.isCarried();
        const std::vector<PlotPoint> others = volumeCurve(tool_.others());
        const PlotStyle otherStyle{.color = plotColor(1), .stroke = Stroke::Dashed};
        std::vector<LegendEntry> legend{
            {tool_.contours(carried), {.color = plotColor(0), .mark = Mark::Dot}}};
        const bool both =
            std::ranges::count_if(others, [](PlotPoint p) { return std::isfinite(p.y); }) > 1;
        if (both)
            legend.push_back({tool_.contours(!carried), otherStyle});
        drawFrames("volume, ml", session, volumeCurve(tool_.frames()), 0, std::move(legend),
                   both ? others : std::vector<PlotPoint>{}, otherStyle);
    }

    static void drawFrames(const char* title, const Session& session, std::vector<PlotPoint> points,
                           std::size_t color, std::vector<LegendEntry> legend = {},
                           const std::vector<PlotPoint>& others = {},
                           const PlotStyle& otherStyle = {}) {
        const auto known =
            std::ranges::count_if(points, [](PlotPoint p) { return std::isfinite(p.y); });
        if (known < 2)
            return; // no curve yet
        auto [low, high] = rangeOf(points);
        const CurveRange more = rangeOf(others);
        low = std::min(low, more.low);
        high = std::max(high, more.high);
        // A curve that hardly changes isn't magnified into one that does.
        low = std::min(low, high - 0.02 * high);
        const double margin = 0.06 * (high - low);
        const float legendHeight =
            drawLegend({0, 0}, ImGui::GetContentRegionAvail().x, legend, false);
        drawCurve(
            {.title = title,
             .across = frameAxisName(session),
             .points = placedByFrame(session, std::move(points)),
             .low = low - margin,
             .high = high + margin,
             .now = placeOfFrame(session, session.playback.frame()),
             .steps = frameAxisSteps(session),
             .color = color,
             .mark = Mark::Dot,
             .height = 104 + legendHeight,
             .legend = std::move(legend)},
            [&](Plot& plot, double) { plot.curve(placedByFrame(session, others), otherStyle); });
    }

    /// The ejection fractions, and what the user should know before using them.
    struct Ejections {
        std::vector<std::string> figures, doubts;
    };
    Ejections ejections(const CardiacMarks& marks) const {
        const bool carried = tool_.choice.isCarried();
        const LiveSurfaces &chosen = tool_.frames(), &others = tool_.others();
        Ejections all{{ejectionText(chosen, carried), ejectionText(others, !carried)},
                      {markedNote(chosen, marks.endDiastole, marks.endSystole),
                       carried ? disagreement(others, chosen) : disagreement(chosen, others),
                       openCycleNote(chosen)}};
        std::ranges::copy(tool_.doubts(), std::back_inserter(all.doubts));
        if (const auto touching = std::ranges::count_if(
                chosen, [](const auto& made) { return made && made->touchesEdge; });
            touching > 0)
            all.doubts.push_back("Volumes are up to the image's edge: " +
                                 edgeNote(static_cast<std::size_t>(touching), chosen.size()) + ".");
        std::erase(all.figures, "");
        std::erase(all.doubts, "");
        return all;
    }

    void drawEjections(const CardiacMarks& marks) const {
        const Ejections all = ejections(marks);
        for (const std::string& figure : all.figures)
            wrappedText(figure, plainColor());
        for (const std::string& doubt : all.doubts)
            wrappedText(doubt, warningColor);
    }

    std::string ejectionText(const LiveSurfaces& frames, bool carried) const {
        const std::optional<Ejection> ejection = ejectionOf(frames);
        if (!ejection)
            return "";
        const std::optional<int> origin = carried ? std::nullopt : tool_.origin();
        return systole::ejectionText(
            *ejection,
            tool_.contours(carried) + (origin ? fmt::format(", begun in frame {}", *origin) : ""));
    }

    void drawExport() {
        if (button("Save mesh ...", "", tool_.hasMesh()))
            tool_.saveMesh();
        ImGui::SameLine();
        if (button("Save volumes ...", "Volume and area of all frames made, as CSV.",
                   tool_.hasMesh()))
            tool_.saveVolumes();
    }

    SurfaceTool& tool_;
};

} // namespace

std::unique_ptr<Panel> SurfaceTool::panel() { return std::make_unique<SurfacePanel>(*this); }

} // namespace systole
