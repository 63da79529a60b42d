#include "app/live/session.h"
#include "app/panels/panels.h"
#include "app/panels/parameter_widget.h"
#include "app/panels/plot.h"
#include "app/panels/widgets.h"
#include "app/units.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <vector>

namespace systole {
namespace {

constexpr float labelWidth = 104, plotHeight = 104;
constexpr double gap = std::numeric_limits<double>::quiet_NaN();

/// Values of the frames that have a surface; gaps elsewhere.
template <typename Value>
std::vector<PlotPoint> curveOf(const LiveSurfaces& frames, const Value& value) {
    std::vector<PlotPoint> curve;
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const bool known = frames[i] && frames[i]->scene;
        curve.push_back({static_cast<double>(i), known ? value(*frames[i]) : gap});
    }
    return curve;
}

double volumeOf(const LiveSurface& surface) { return surface.closed ? surface.milliliters : gap; }
double areaOf(const LiveSurface& surface) { return surface.squareCentimeters; }

class SurfacePanel : public Panel {
public:
    const char* title() const override { return "Surface"; }

    void draw(Session& session) override {
        SurfaceSession& surface = session.surface;
        const SurfaceChoice before = surface.choice;
        drawSource(session);
        drawFollowing(surface.choice);
        drawDenoising(surface.choice);
        if (!same(before, surface.choice))
            ++surface.choice.revision;
        if (!surface.choice.isOn())
            return;
        ImGui::Separator();
        drawFigures(surface);
        drawCurve("volume, ml", session, curveOf(surface.frames, volumeOf), 0);
        drawCurve("area, cm²", session, curveOf(surface.frames, areaOf), 1);
        drawEjection(surface);
        drawExport(surface);
    }

    std::string text(const Session& session) const override {
        const std::vector<double> seconds =
            session.opened ? session.opened->sequence.timesSeconds : std::vector<double>{};
        std::string text = volumesCsv(session.surface.frames, seconds);
        std::ranges::replace(text, ',', '\t');
        return text + stagesText(session.surface);
    }

private:
    static bool same(const SurfaceChoice& a, const SurfaceChoice& b) {
        return a.source == b.source && a.file == b.file && a.label == b.label &&
               a.threshold == b.threshold && a.carried == b.carried && a.denoise == b.denoise;
    }

    static void drawSource(Session& session) {
        SurfaceSession& surface = session.surface;
        SurfaceChoice& choice = surface.choice;
        panelLabel("from", labelWidth);
        if (ImGui::BeginCombo("##source", name(choice.source))) {
            for (const SurfaceOrigin source : surfaceOrigins)
                if (ImGui::Selectable(name(source), choice.source == source))
                    choose(session, source);
            ImGui::EndCombo();
        }
        if (ImGui::IsItemHovered())
            wrappedTooltip("What the surface encloses: a label of a label map (3D or 4D), the gray "
                           "values above a threshold, a mesh from a file, or a label of what the "
                           "Segment panel has made.");
        if (choice.needsFile()) {
            panelLabel("file", labelWidth);
            ImGui::TextUnformatted(std::filesystem::path(choice.file).filename().string().c_str());
            if (ImGui::SmallButton("Another file ..."))
                surface.wantedFile = true;
        }
        if (choice.needsLabel()) {
            panelLabel("label", labelWidth);
            if (ImGui::InputInt("##label", &choice.label))
                choice.label = std::max(choice.label, 1);
        }
        if (choice.source == SurfaceOrigin::Threshold && session.opened) {
            const IntensityScale& scale = session.opened->scale;
            auto value = static_cast<float>(choice.threshold);
            panelLabel("threshold", labelWidth);
            if (ImGui::SliderFloat("##threshold", &value, scale.low, scale.high, "%.4g"))
                choice.threshold = static_cast<double>(value);
            if (ImGui::IsItemHovered() && !ImGui::IsItemActive())
                wrappedTooltip("Gray value; what is above it is inside.");
        }
    }

    static void choose(Session& session, SurfaceOrigin source) {
        SurfaceSession& surface = session.surface;
        SurfaceChoice& choice = surface.choice;
        if (source == choice.source)
            return;
        choice.source = source;
        choice.file.clear();
        surface.wantedFile = choice.needsFile();
        if (source == SurfaceOrigin::Threshold && session.opened) {
            const IntensityScale& scale = session.opened->scale;
            choice.threshold = 0.5 * static_cast<double>(scale.low + scale.high);
        }
    }

    static void drawFollowing(SurfaceChoice& choice) {
        if (!choice.isOn() || choice.source == SurfaceOrigin::Mesh)
            return;
        panelLabel("frames", labelWidth);
        int carried = choice.carried ? 0 : 1;
        if (ImGui::Combo("##frames", &carried, "carried by the motion\0extracted in each\0"))
            choice.carried = carried == 0;
        if (ImGui::IsItemHovered())
            wrappedTooltip("Carried: the surface of the first frame moves with the estimated "
                           "motion, point by point. Extracted: every frame has its own, from its "
                           "labels or gray values.");
    }

    static void drawDenoising(SurfaceChoice& choice) {
        if (!choice.isOn() || choice.source == SurfaceOrigin::Mesh)
            return;
        panelLabel("denoise", labelWidth);
        ImGui::Checkbox("##denoise", &choice.denoise);
        if (ImGui::IsItemHovered())
            wrappedTooltip("Non-local means on the signed distance: parts of the surface that look "
                           "alike are averaged, so that edges and corners stay.");
        if (!choice.denoise)
            return;
        panelLabel("preset", labelWidth);
        if (ImGui::BeginCombo("##preset", "choose")) {
            for (const std::string& preset : nonlocalMeansTable().presets())
                if (ImGui::Selectable(preset.c_str())) {
                    choice.denoising = ParamSet(nonlocalMeansTable(), preset);
                    ++choice.revision;
                }
            ImGui::EndCombo();
        }
        if (!ImGui::TreeNode("Parameters"))
            return;
        for (const ParamRow& row : nonlocalMeansTable().rows()) {
            if (row.cudaOnly)
                continue;
            ImGui::PushID(row.id.c_str());
            ParamValue value = choice.denoising.value(row.id);
            panelLabel(row.label().c_str(), labelWidth);
            if (editParameter(row, value)) {
                choice.denoising.set(row.id, std::move(value));
                ++choice.revision;
            }
            if (ImGui::IsItemHovered() && !ImGui::IsItemActive())
                wrappedTooltip(row.labelWithId() + ": " + row.help);
            ImGui::PopID();
        }
        ImGui::TreePop();
    }

    static void drawFigures(const SurfaceSession& surface) {
        const auto line = [](const std::string& text) { wrappedText(text, plainColor()); };
        const auto& shown = surface.shown ? surface.shown : surface.newest;
        if (shown && !shown->problem.empty())
            wrappedText(shown->problem, warningColor);
        if (shown && !shown->note.empty())
            wrappedText(shown->note, warningColor);
        if (shown && shown->scene && shown->scene->mesh) {
            line(fmt::format("frame {}: {} triangles", shown->frame,
                             shown->scene->mesh->triangles.size()));
            line(shown->closed
                     ? fmt::format("volume {:.2f} ml, area {:.2f} cm²", shown->milliliters,
                                   shown->squareCentimeters)
                     : fmt::format("open, no volume; area {:.2f} cm²", shown->squareCentimeters));
            if (shown->bandElements > 0)
                line(fmt::format("denoised in a band of {} voxels, {} neighbors kept of each",
                                 shown->bandElements,
                                 surface.choice.denoising.integer("neighbors")));
            wrappedText(stagesText(surface), dimColor());
        }
        const auto made = std::ranges::count_if(surface.frames,
                                                [](const auto& frame) { return frame != nullptr; });
        if (surface.choice.source == SurfaceOrigin::Segmentation && made == 0 &&
            surface.waiting.empty())
            return wrappedText("nothing is segmented yet: see the Segment panel", dimColor());
        if (made < static_cast<std::ptrdiff_t>(surface.frames.size()))
            wrappedText(fmt::format("{} of {} frames made{}", made, surface.frames.size(),
                                    surface.waiting.empty() ? "" : "; " + surface.waiting),
                        dimColor());
    }

    /// "cuda: distance 3.1 ms, isosurface 5 ms"
    static std::string stagesText(const SurfaceSession& surface) {
        std::string text;
        const auto& shown = surface.shown ? surface.shown : surface.newest;
        if (shown)
            for (const auto& [stage, seconds] : shown->stages)
                text += (text.empty() ? std::string(name(shown->backend)) + ": " : ", ") + stage +
                        " " + secondsText(seconds);
        return text;
    }

    static void drawCurve(const char* title, Session& session, const std::vector<PlotPoint>& curve,
                          std::size_t color) {
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (const PlotPoint& point : curve)
            if (std::isfinite(point.y)) {
                low = std::min(low, point.y);
                high = std::max(high, point.y);
            }
        if (curve.size() < 2 || !(low <= high))
            return;
        // A curve that hardly changes isn't magnified into one that does.
        const double least = 0.02 * high;
        if (high - low < least)
            low = high - least;
        const double margin = 0.06 * (high - low);
        low -= margin;
        high += margin;
        const ImVec2 size{ImGui::GetContentRegionAvail().x, plotHeight};
        {
            Plot plot(ImGui::GetCursorScreenPos(), size,
                      PlotAxis(0, curve.back().x, PlotAxis::Steps::Decimal),
                      PlotAxis(low, high, PlotAxis::Steps::Decimal), {title, "frame"});
            plot.curve(curve, {.color = plotColor(color), .mark = Mark::Dot});
            plot.verticalLine(session.playback.frame(), faded(plotColor(color), 0.6f));
        }
        ImGui::Dummy(size);
    }

    static void drawEjection(const SurfaceSession& surface) {
        Ejection ejection;
        if (!ejectionOf(surface.frames, ejection))
            return;
        wrappedText(fmt::format("ejection fraction {:.1f} %: {:.2f} ml (frame {}) to {:.2f} ml "
                                "(frame {})",
                                100 * ejection.fraction, ejection.largest, ejection.largestFrame,
                                ejection.smallest, ejection.smallestFrame),
                    plainColor());
    }

    static void drawExport(SurfaceSession& surface) {
        const bool mesh = surface.shown && surface.shown->scene && surface.shown->scene->mesh;
        ImGui::BeginDisabled(!mesh);
        if (ImGui::Button("Save mesh ..."))
            surface.wantedExport = SurfaceExport::Mesh;
        ImGui::SameLine();
        if (ImGui::Button("Save volumes ..."))
            surface.wantedExport = SurfaceExport::Volumes;
        ImGui::EndDisabled();
        if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
            wrappedTooltip("Volume and area of all frames made, as CSV.");
    }
};

} // namespace

std::unique_ptr<Panel> makeSurfacePanel() { return std::make_unique<SurfacePanel>(); }

} // namespace systole
