// The Segment panel: from a click or three points to labels, their edits, and the label map.
#include "app/live/session.h"
#include "app/panels/panels.h"
#include "app/panels/parameter_widget.h"
#include "app/panels/widgets.h"
#include "app/units.h"
#include "render/overlays/rows.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>

namespace systole {
namespace {

constexpr float labelWidth = 104;
constexpr double smallestBrush = 1, largestBrush = 30, smallestPull = 3, largestPull = 25; // mm

const char* labelName(std::uint8_t label) { return label == wallLabel ? "wall" : "chamber"; }

/// "-12.5,3.0,40.1", as the options of the command line take it.
std::string pointText(Vec3 p) { return fmt::format("{:.1f},{:.1f},{:.1f}", p.x, p.y, p.z); }

/// The option of `systole segment` that starts from the same points.
std::string optionText(const SegmentSession& segment) {
    if (segment.seeds.size() != segment.seedsWanted() || segment.seedsInVoxels)
        return "";
    if (!segment.byPoints)
        return "--seed=" + pointText(segment.seeds.front()) +
               (segment.options.clickInWall ? " --in-wall" : "");
    return fmt::format("--points=\"{};{};{}\"", pointText(segment.seeds[0]),
                       pointText(segment.seeds[1]), pointText(segment.seeds[2]));
}

void tooltip(const std::string& text) {
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled) && !ImGui::IsItemActive())
        wrappedTooltip(text);
}

class SegmentPanel : public Panel {
public:
    const char* title() const override { return "Segment"; }

    void draw(Session& session) override {
        SegmentSession& segment = session.segment;
        const std::string why = whyNoSegmentation(session);
        if (!why.empty())
            return wrappedText("Not now: " + why + ".", dimColor());
        drawFind(session);
        drawRun(segment);
        ImGui::Separator();
        drawEdit(session);
        ImGui::Separator();
        drawResult(session);
    }

    std::string text(const Session& session) const override {
        const SegmentSession& segment = session.segment;
        std::string text = optionText(segment);
        if (!text.empty())
            text += "\n";
        text += "frame\tchamber, voxels\twall, voxels\n";
        for (int frame = 0; frame < segment.labels.frames(); ++frame)
            if (const auto labels = segment.labels.labels(frame))
                text +=
                    fmt::format("{}\t{}\t{}\n", frame, std::ranges::count(*labels, chamberLabel),
                                std::ranges::count(*labels, wallLabel));
        return text;
    }

private:
    /// A button that stays pressed while its tool is in use.
    static void toolButton(SegmentSession& segment, SegmentTool tool, const char* title,
                           const std::string& help, float width = 0) {
        const bool on = segment.tool == tool;
        if (on)
            ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(ImGuiCol_ButtonActive));
        if (ImGui::Button(title, {width, 0}))
            segment.tool = on ? SegmentTool::None : tool;
        if (on)
            ImGui::PopStyleColor();
        tooltip(help);
    }

    static void drawFind(Session& session) {
        SegmentSession& segment = session.segment;
        wrappedText("1  Find the chamber", plainColor());
        if (segment.tool != SegmentTool::None && displayRow("glyphs").isOn(session.display))
            wrappedText("G hides the arrows.", dimColor());
        const float half = 0.5f * (ImGui::GetContentRegionAvail().x - 8);
        toolButton(segment, SegmentTool::Click, "One click",
                   "Then click in the middle of a chamber, on any slice.", half);
        ImGui::SameLine();
        toolButton(segment, SegmentTool::Points, "Three points",
                   "Then click on the slices: the apex of the left ventricle's cavity, the middle "
                   "of the mitral ring, and where the wall of the right ventricle joins that of "
                   "the left. The chamber ends at the mitral ring.",
                   half);
        if (places(segment.tool))
            wrappedText(nextClick(segment), warningColor);
        int all = segment.allFrames ? 1 : 0;
        panelLabel("frames", labelWidth);
        if (ImGui::Combo("##frames", &all, "the one shown\0all\0"))
            segment.allFrames = all == 1;
        tooltip("All: from the frame shown to the last, then from there back to the first, each "
                "from the contour of the frame beside it.");
        panelLabel("with wall", labelWidth);
        ImGui::Checkbox("##wall", &segment.options.wall);
        tooltip("Also label the wall around the chamber, as 2.");
        panelLabel("click in wall", labelWidth);
        ImGui::Checkbox("##inwall", &segment.options.clickInWall);
        tooltip("One click goes into the wall: the chamber that it encloses is looked for, and "
                "both are labelled.");
        auto smoothness = static_cast<float>(segment.options.smoothness);
        panelLabel("smoothness", labelWidth);
        if (ImGui::SliderFloat("##smoothness", &smoothness, 0, 5, "%.1f mm",
                               ImGuiSliderFlags_AlwaysClamp))
            segment.options.smoothness = static_cast<double>(smoothness);
        tooltip("Weight of the curvature: larger is smoother and leaks less through gaps.");
        ImGui::BeginDisabled(segment.seeds.size() != segment.seedsWanted() || segment.running);
        if (ImGui::Button("Find again"))
            segment.wantedStart = true;
        tooltip("From the points there are, in the frame shown, with the settings above.");
        ImGui::EndDisabled();
    }

    static std::string nextClick(const SegmentSession& segment) {
        if (segment.tool == SegmentTool::Click)
            return segment.options.clickInWall ? "Click in the middle of a wall, on any slice."
                                               : "Click in the middle of a chamber, on any slice.";
        const bool fresh = !segment.byPoints || segment.seeds.size() >= segment.seedsWanted();
        static constexpr const char* asked[] = {
            "Click the apex of the left ventricle's cavity (1 of 3).",
            "Click the middle of the mitral ring (2 of 3).",
            "Click where the right ventricle's wall joins the left's (3 of 3)."};
        return asked[fresh ? 0 : segment.seeds.size()];
    }

    static void drawRun(SegmentSession& segment) {
        if (segment.running) {
            ImGui::ProgressBar(static_cast<float>(segment.fraction), {-64, 0});
            ImGui::SameLine();
            if (ImGui::Button("Stop"))
                segment.wantedStop = true;
            tooltip("Frames that are segmented stay.");
            wrappedText(segment.total > 1 ? fmt::format("frame {} of {}: {}", segment.finished + 1,
                                                        segment.total, segment.phase)
                                          : segment.phase,
                        dimColor());
        }
        for (const std::string* text : {&segment.failure, &segment.note})
            if (!text->empty())
                wrappedText(*text, warningColor);
    }

    static void drawEdit(Session& session) {
        SegmentSession& segment = session.segment;
        wrappedText("2  Correct it, on the slices", plainColor());
        const float third = (ImGui::GetContentRegionAvail().x - 16) / 3;
        toolButton(segment, SegmentTool::Paint, "Add", "A brush that adds to the label.", third);
        ImGui::SameLine();
        toolButton(segment, SegmentTool::Erase, "Erase", "A brush that erases the label.", third);
        ImGui::SameLine();
        toolButton(segment, SegmentTool::Pull, "Pull",
                   "Press on the contour and drag it where it belongs.", third);
        panelLabel("label", labelWidth);
        int label = segment.label == wallLabel ? 1 : 0;
        if (ImGui::Combo("##label", &label,
                         "1  chamber\0"
                         "2  wall\0")) {
            segment.label = label == 1 ? wallLabel : chamberLabel;
            SurfaceChoice& choice = session.surface.choice;
            if (choice.source == SurfaceOrigin::Segmentation) {
                choice.label = segment.label;
                ++choice.revision;
            }
        }
        tooltip("The label that is edited, and shown as the surface.");
        if (paints(segment.tool)) {
            millimeters("radius", segment.brushMillimeters, smallestBrush, largestBrush);
            panelLabel("brush", labelWidth);
            int ball = segment.disk ? 0 : 1;
            if (ImGui::Combo("##brush", &ball, "slice only\0ball\0"))
                segment.disk = ball == 0;
            tooltip("Slice only: a disk in the one slice of voxels. Ball: the slices beside it, "
                    "too.");
        }
        if (segment.tool == SegmentTool::Pull)
            millimeters("width", segment.pullMillimeters, smallestPull, largestPull);
        if (paints(segment.tool) || segment.tool == SegmentTool::Pull)
            wrappedText("Left button: edit. Ctrl+Z undoes, Esc ends. Wheel, middle and right "
                        "button as always.",
                        dimColor());
    }

    static void millimeters(const char* name, double& value, double low, double high) {
        auto shown = static_cast<float>(value);
        panelLabel(name, labelWidth);
        ImGui::PushID(name);
        if (ImGui::SliderFloat("##mm", &shown, static_cast<float>(low), static_cast<float>(high),
                               "%.1f mm", ImGuiSliderFlags_AlwaysClamp))
            value = static_cast<double>(shown);
        ImGui::PopID();
    }

    static void drawResult(Session& session) {
        SegmentSession& segment = session.segment;
        wrappedText("3  Keep it", plainColor());
        const int labelled = segment.labels.labelled();
        const auto& shown = session.surface.shown;
        if (labelled == 0)
            wrappedText("no labels yet", dimColor());
        else
            wrappedText(fmt::format("{} of {} frames have labels{}", labelled,
                                    segment.labels.frames(),
                                    segment.unsaved() ? ", not saved" : ""),
                        segment.unsaved() ? warningColor : dimColor());
        if (session.surface.choice.source == SurfaceOrigin::Segmentation && shown && shown->scene)
            wrappedText(fmt::format("frame {}: {} {:.1f} ml", shown->frame,
                                    labelName(segment.label), shown->milliliters),
                        plainColor());
        if (segment.seconds > 0 && labelled > 0 && segment.finished > 0)
            wrappedText(fmt::format("found in {}", secondsText(segment.seconds)), dimColor());
        ImGui::BeginDisabled(labelled == 0);
        if (ImGui::Button("Save label map ..."))
            segment.wantedSave = true;
        tooltip("On the grid of the image: 1 chamber, 2 wall. One frame as 3D, several as 4D.");
        ImGui::EndDisabled();
        ImGui::SameLine();
        ImGui::BeginDisabled(labelled == 0 && segment.seeds.empty());
        if (ImGui::Button("Remove"))
            segment.wantedClear = true;
        tooltip("Points and labels of all frames; Ctrl+Z brings the labels back.");
        ImGui::EndDisabled();
        wrappedText("Curves, denoising and meshes: Surface panel.", dimColor());
    }
};

} // namespace

std::unique_ptr<Panel> makeSegmentPanel() { return std::make_unique<SegmentPanel>(); }

} // namespace systole
