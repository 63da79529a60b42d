// The Segment panel: from a click or three points to labels, their edits, and the label map.
#include "app/anatomy/plausible_heart.h"
#include "app/base/units.h"
#include "app/feature/panel.h"
#include "app/feature/tools.h"
#include "app/features/segmentation/segmentation_parts.h"
#include "app/features/segmentation/segmentation_tool.h"
#include "app/kit/tool_widgets.h"
#include "compute/surface/surface.h"
#include "render/overlays/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace systole {
namespace {

constexpr double smallestBrush = 1, largestBrush = 30, smallestPull = 3, largestPull = 25; // mm

/// "-12.5,3.0,40.1", as the options of the command line take it.
std::string pointText(Vec3 p) { return fmt::format("{:.1f},{:.1f},{:.1f}", p.x, p.y, p.z); }

/// The option of `systole segment` that starts from the same points.
std::string optionText(const SegmentationTool& segment) {
    if (segment.seeds.size() != segment.seedsNeeded() || segment.seedsInVoxels)
        return "";
    if (!segment.byPoints)
        return "--seed=" + pointText(segment.seeds.front()) +
               (segment.parameters.isOn("in-wall") ? " --in-wall" : "");
    return fmt::format("--points=\"{};{};{}\"", pointText(segment.seeds[0]),
                       pointText(segment.seeds[1]), pointText(segment.seeds[2]));
}

class SegmentPanel : public Panel {
public:
    SegmentPanel(SegmentationTool& tool, LabelSurface* surface) : tool_(tool), surface_(surface) {}
    const char* title() const override { return segmentTitle; }

    void draw(Session& session) override {
        const std::string why = tool_.whyNot();
        if (!why.empty())
            return wrappedText("Not now: " + why + ".", dimColor());
        drawFind(session.display);
        drawRun();
        ImGui::Separator();
        drawEdit();
        ImGui::Separator();
        drawResult(session.shownFrame);
        ImGui::Separator();
        drawComparison(tool_, session);
    }

    std::string text(const Session&) const override {
        std::string text = optionText(tool_);
        if (!text.empty())
            text += "\n";
        text += "frame\tchamber, voxels\twall, voxels\twall, ml\twall, g\n";
        for (int frame = 0; frame < tool_.labels.frames(); ++frame)
            if (const auto labels = tool_.labels.labels(frame))
                text += fmt::format("{}\t{}\t{}\t{:.1f}\t{:.1f}\n", frame,
                                    std::ranges::count(*labels, chamberLabel),
                                    std::ranges::count(*labels, wallLabel),
                                    tool_.labels.milliliters(frame, wallLabel),
                                    gramsOfMuscle(tool_.labels.milliliters(frame, wallLabel)));
        for (const std::string& doubt : tool_.doubts())
            text += doubt + "\n";
        text += comparisonText(tool_.comparison);
        return text;
    }

private:
    void modeButton(SegmentMode mode, const char* title, const std::string& help, float width) {
        if (toggleButton(title, tool_.mode == mode, help, width))
            tool_.take(mode);
    }

    void drawFind(const DisplayOptions& display) {
        wrappedText("1  Find the chamber", plainColor());
        const float half = 0.5f * (ImGui::GetContentRegionAvail().x - 8);
        modeButton(SegmentMode::Click, "One click",
                   "Then click in the middle of a chamber, on any slice.", half);
        ImGui::SameLine();
        modeButton(SegmentMode::Points, "Three points",
                   "Then click on the slices: the apex of the left ventricle's cavity, the middle "
                   "of the mitral ring, and the anterior insertion: where the wall of the right "
                   "ventricle joins the left one in front. The chamber ends at the mitral ring. "
                   "The third point sets the chamber's width, too, whose border runs 9 mm inside "
                   "of it: put it on the outside of the wall. 4 mm too far inside make the "
                   "chamber smaller by a tenth.",
                   half);
        drawInstruction(displayRow("arrows").isOn(display));
        drawOpenedLabels(tool_);
        int all = tool_.allFrames ? 1 : 0;
        panelLabel("frames");
        if (ImGui::Combo("##frames", &all, "the one shown\0all\0"))
            tool_.allFrames = all == 1;
        tooltip("All: from the frame shown to the last, then from there back to the first, each "
                "from the contour of the frame beside it.");
        drawParameters(true);
        if (ImGui::TreeNode("Parameters")) {
            drawParameters(false);
            ImGui::TreePop();
        }
        if (tool_.running())
            drawProgress();
        else if (button("Find again",
                        "Segments the frame shown from the points placed, with the settings "
                        "above.",
                        tool_.seeds.size() == tool_.seedsNeeded()))
            tool_.start();
    }

    /// Widgets of the parameters: the switches, or all others.
    void drawParameters(bool switches) {
        for (const ParamRow& row : tool_.parameters.table().rows()) {
            ParamValue value = tool_.parameters.value(row.id);
            if ((row.type == ParamType::Switch) == switches &&
                parameterRow(row, value, helpInWords(tool_.parameters.table(), row)))
                tool_.parameters.set(row.id, std::move(value));
        }
    }

    /// Progress of the run, in place of the button that starts it.
    void drawProgress() {
        const std::string text =
            tool_.total > 1
                ? fmt::format("frame {} of {}: {}", tool_.finished + 1, tool_.total, tool_.phase)
                : tool_.phase;
        progressBar(tool_.fraction, -64, text);
        ImGui::SameLine();
        if (button("Stop", "Frames that are segmented stay."))
            tool_.stop();
    }

    void drawInstruction(bool arrows) const {
        const KeptRoom room(3);
        const std::string hint =
            tool_.mode != SegmentMode::None && arrows ? " G hides the arrows." : "";
        // Points that a run starts from are all there; the first of others may follow.
        if (tool_.running() && tool_.seeds.size() == tool_.seedsNeeded())
            wrappedText(tool_.byPoints ? "The chamber is looked for from the three points."
                                       : "The chamber is looked for from the click.",
                        dimColor());
        else if (places(tool_.mode))
            wrappedText(nextClick() + hint, warningColor);
        else
            wrappedText("One click in its middle, or three points: apex, mitral ring, anterior "
                        "insertion of the right ventricle." +
                            hint,
                        dimColor());
    }

    std::string nextClick() const {
        if (tool_.mode == SegmentMode::Click)
            return tool_.parameters.isOn("in-wall")
                       ? "Click in the middle of a wall, on any slice."
                       : "Click in the middle of a chamber, on any slice.";
        const bool fresh = !tool_.byPoints || tool_.seeds.size() >= tool_.seedsNeeded();
        static constexpr const char* asked[] = {
            "Click the apex of the left ventricle's cavity (1 of 3).",
            "Click the middle of the mitral ring (2 of 3).",
            "Click the anterior insertion of the right ventricle, on the outside of the wall: it "
            "sets the chamber's width, too (3 of 3)."};
        return asked[fresh ? 0 : tool_.seeds.size()];
    }

    void drawRun() {
        for (const std::string& text : {tool_.failure, tool_.note, tool_.openedAfterRun()})
            if (!text.empty())
                wrappedText(text, warningColor);
    }

    void drawEdit() {
        wrappedText("2  Correct it, on the slices", plainColor());
        const float third = (ImGui::GetContentRegionAvail().x - 16) / 3;
        modeButton(SegmentMode::Paint, "Add", "A brush that adds to the label.", third);
        ImGui::SameLine();
        modeButton(SegmentMode::Erase, "Erase", "A brush that erases the label.", third);
        ImGui::SameLine();
        modeButton(SegmentMode::Pull, "Pull", "Press on the contour and drag it where it belongs.",
                   third);
        panelLabel("label");
        if (ImGui::BeginCombo("##label", labelText(tool_, tool_.label).c_str())) {
            for (int label = chamberLabel; label <= lastLabel(tool_); ++label)
                if (const std::string text = labelText(tool_, label);
                    ImGui::Selectable(text.c_str(), label == tool_.label)) {
                    tool_.label = static_cast<std::uint8_t>(label);
                    if (surface_)
                        surface_->followLabel(tool_.label);
                }
            ImGui::EndCombo();
        }
        tooltip("The label that is edited, and shown as the surface.");
        drawTool();
    }

    /// Widgets of the tool in hand, below the buttons, with the same height for every tool.
    void drawTool() {
        const KeptRoom room(2, 2);
        if (!paints(tool_.mode) && tool_.mode != SegmentMode::Pull)
            return wrappedText("Add and Erase are a brush, Pull moves the contour.", dimColor());
        if (paints(tool_.mode)) {
            slider("radius", tool_.brushMillimeters, smallestBrush, largestBrush, "%.1f mm");
            panelLabel("brush");
            int ball = tool_.disk ? 0 : 1;
            if (ImGui::Combo("##brush", &ball, "slice only\0ball\0"))
                tool_.disk = ball == 0;
            tooltip("Slice only: a disk in the one slice of voxels. Ball: the slices beside it, "
                    "too.");
        }
        if (tool_.mode == SegmentMode::Pull)
            slider("width", tool_.pullMillimeters, smallestPull, largestPull, "%.1f mm");
        wrappedText("Left button: edit. Ctrl+Z undoes, Esc ends. Wheel, middle and right "
                    "button as always.",
                    dimColor());
    }

    /// Volumes by voxels, as everything in this panel. They are counted again when the labels have
    /// changed.
    void drawVolumes(int frame) {
        if (const std::uint64_t revision = tool_.labels.revision(frame);
            std::exchange(counted_.revision, revision) != revision || counted_.frame != frame) {
            counted_.frame = frame;
            for (const std::uint8_t label : {chamberLabel, wallLabel})
                counted_.of[label - 1] = {tool_.labels.milliliters(frame, label),
                                          tool_.labels.touchesEdge(frame, label)};
        }
        const auto& [chamber, wall] = counted_.of;
        if (chamber.milliliters > 0)
            wrappedText(fmt::format("frame {}: chamber {:.1f} ml{}", frame, chamber.milliliters,
                                    edgeText(chamber)),
                        plainColor());
        if (chamber.milliliters > 0 && chamber.touchesEdge)
            wrappedText(edgeNote(1, 1) + ".", warningColor);
        if (wall.milliliters > 0)
            wrappedText(fmt::format("frame {}: wall {:.1f} ml, {:.1f} g{}", frame, wall.milliliters,
                                    gramsOfMuscle(wall.milliliters), edgeText(wall)),
                        plainColor());
    }

    void drawResult(int frame) {
        wrappedText("3  Keep it", plainColor());
        const int labelled = tool_.labels.labelled();
        if (labelled == 0)
            wrappedText("no labels yet", dimColor());
        else
            wrappedText(fmt::format("{} of {} frames have labels{}{}", labelled,
                                    tool_.labels.frames(), originText(),
                                    tool_.isSaved() ? "" : ", not saved"),
                        tool_.isSaved() ? dimColor() : warningColor);
        if (button("Save label map ...",
                   "With the voxels of the image: " + numbersText(tool_) +
                       ". One frame as 3D, several as 4D. The points go into a record beside it. "
                       "Curves, denoising and meshes: Surface panel.",
                   labelled > 0))
            tool_.save();
        ImGui::SameLine();
        if (button("Remove", "Points and labels of all frames; Ctrl+Z brings the labels back.",
                   labelled > 0 || !tool_.seeds.empty()))
            tool_.clear();
        if (labelled > 1) {
            wrappedText("The Surface panel has the curve of the volume and the ejection fraction.",
                        dimColor());
            if (button("Show the curve", "Opens the Surface panel."))
                tool_.showCurve();
        }
        if (frame >= 0 && frame < tool_.labels.frames() && tool_.labels.has(frame))
            drawVolumes(frame);
        for (const std::string& doubt : tool_.doubts())
            wrappedText(doubt, warningColor);
        if (tool_.seconds > 0 && labelled > 0 && tool_.finished > 0)
            wrappedText(fmt::format("found in {}", secondsText(tool_.seconds)), dimColor());
    }

    std::string originText() const {
        const std::optional<int> origin = tool_.origin();
        return origin ? fmt::format(", found from frame {}", *origin) : "";
    }

    SegmentationTool& tool_;
    LabelSurface* surface_; ///< null: there is none
    struct Counted {
        double milliliters = 0;
        bool touchesEdge = false;
    };
    static const char* edgeText(const Counted& label) {
        return label.touchesEdge ? " up to the image's edge" : "";
    }
    struct {
        std::uint64_t revision = 0;
        int frame = -1;
        std::array<Counted, 2> of{}; ///< chamber, wall
    } counted_;                      ///< volumes of the labels with that revision
};

} // namespace

std::unique_ptr<Panel> SegmentationTool::panel() {
    return std::make_unique<SegmentPanel>(*this, tools().find<LabelSurface>());
}

} // namespace systole
