// The Cardiac panel: where labels come from, the bull's-eye, curves over the cycle, and figures.
#include "app/base/plural.h"
#include "app/base/units.h"
#include "app/feature/panel.h"
#include "app/feature/tools.h"
#include "app/features/cardiac/cardiac_parts.h"
#include "app/features/cardiac/cardiac_plots.h"
#include "app/features/cardiac/cardiac_tool.h"
#include "app/features/cardiac/strain_doubts.h"
#include "app/kit/tool_widgets.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

namespace systole {
namespace {

constexpr float segmentsHeight = 190, volumeHeight = 120;
/// Maximum fraction of the window's height, so that a low window shows the bull's-eye with its
/// figures.
constexpr float discShare = 0.38f;
constexpr const char* askedPoints[] = {
    "Click the apex of the left ventricle's cavity, in any frame (1 of 3).",
    "Click the middle of the mitral ring, in any frame (2 of 3).",
    "Click the anterior insertion of the right ventricle, in any frame (3 of 3)."};
constexpr HeartLabels labelChoices[] = {HeartLabels::None, HeartLabels::Segmentation,
                                        HeartLabels::Points, HeartLabels::File};

class CardiacPanel : public Panel {
public:
    explicit CardiacPanel(CardiacTool& tool) : tool_(tool) {}
    const char* title() const override { return cardiacTitle; }

    void draw(Session& session) override {
        if (!session.opened)
            return wrappedText("Not now: no file is open.", dimColor());
        if (session.opened->sequence.frames < 2)
            return wrappedText("Not now: there is only one frame, and so no motion.", dimColor());
        drawLabels();
        if (tool_.from == HeartLabels::None)
            return drawFirstStep();
        drawPoints();
        if (ImGui::TreeNode("Definition, segments")) {
            drawDefinition(tool_);
            ImGui::TreePop();
        }
        gatherDoubts();
        drawProgress();
        if (!tool_.outcome())
            return drawDoubts();
        ImGui::Separator();
        drawSummary(session);
        drawPlots(session);
        drawSystole(session);
        drawEjections(ways_);
        drawFigures();
        drawClosure(session);
        ImGui::Separator();
        drawKeep();
        drawDoubts();
    }

    std::string text(const Session& session) const override {
        if (!tool_.outcome())
            return "";
        return figuresText(*tool_.outcome(), tool_.placeOf(session.playback.frame()),
                           tool_.model()) +
               ejectionTable(tool_.ejections());
    }

private:
    static std::string labelText(HeartLabels from) {
        return from == HeartLabels::None           ? "none"
               : from == HeartLabels::Segmentation ? "segmentation"
               : from == HeartLabels::Points       ? "shape of the points"
                                                   : "label map ...";
    }

    /// Choice of the labels. A label map is named without its path, since the box is narrow; the
    /// tooltip has the path.
    void drawLabels() {
        const bool ofFile = tool_.from == HeartLabels::File && !tool_.file.empty();
        choiceRow(
            "labels",
            ofFile ? std::filesystem::path(tool_.file).filename().string() : labelText(tool_.from),
            labelChoices, labelText, [&](HeartLabels from) { tool_.choose(from); },
            cardiacLabelWidth());
        tooltip((ofFile ? tool_.file + "\n" : "") +
                "Cavity and wall in the first frame, end diastole, from which the motion begins: "
                "those of the Segment panel (with the wall), half an ellipsoid through the three "
                "points, or a label map on the grid of the sequence, in which they are "
                "recognized.");
    }

    void drawFirstStep() {
        if (tool_.isSegmented()) {
            wrappedText("The Segment panel has labels of frame 0, end diastole.", plainColor());
            if (button("Measure the segmentation", "As 'segmentation' in the list above."))
                tool_.choose(HeartLabels::Segmentation);
            return;
        }
        wrappedText(
            "First the cavity and wall of the left ventricle in frame 0, end diastole: find "
            "them in the Segment panel (three points, with wall), or choose a label map.",
            plainColor());
        if (button("Go to the Segment panel", "Its labels are then those that are measured."))
            tool_.segmentFirst();
    }

    void drawPoints() {
        const bool complete = tool_.points.size() >= std::size(askedPoints);
        if (toggleButton(complete ? "Points placed; again" : "Place points", tool_.placing,
                         "Apex, mitral ring and insertion of the right ventricle, on the slices of "
                         "any frame: the motion carries them to frame 0, that of the labels. "
                         "Without them they are found from the labels; the insertion only where "
                         "the labels have a right ventricle, or came from three points."))
            tool_.place();
        if (!tool_.points.empty()) {
            ImGui::SameLine();
            if (button("Remove points"))
                tool_.points.clear();
        }
    }

    /// Progress, always with the same height, so that the widgets below stay where they are.
    void drawProgress() const {
        const KeptRoom room(2);
        if (tool_.placing && tool_.points.size() < std::size(askedPoints))
            wrappedText(askedPoints[tool_.points.size()], warningColor);
        else if (!tool_.failure.empty())
            wrappedText(tool_.failure, warningColor);
        else if (const std::string waiting = tool_.waiting(); !waiting.empty())
            wrappedText(waiting, dimColor());
        else if (tool_.busy())
            drawBar();
        else if (tool_.outcome())
            drawMeasured();
    }

    /// Time of the measurement and number of doubts; the end of the panel has the doubts
    /// themselves.
    void drawMeasured() const {
        wrappedText(fmt::format("measured in {}", secondsText(tool_.outcome()->seconds)),
                    dimColor());
        if (!doubts_.empty())
            wrappedText(plural(std::ssize(doubts_), "doubt") + ", at the end of this panel.",
                        warningColor);
    }

    void drawBar() const {
        const auto [phase, fraction] = tool_.progress();
        progressBar(fraction, -1, phase.empty() ? "measuring ..." : phase);
    }

    static void drawPlacement(const cardiac::Placement& placement) {
        if (!placement.insertionKnown)
            wrappedText(std::string(turnedSegments) + " Place points.", warningColor);
        if (placement.notes.empty() || !ImGui::TreeNode("What was found"))
            return;
        for (const std::string& note : placement.notes)
            wrappedText(note + ".", dimColor());
        ImGui::TreePop();
    }

    void drawSystole(Session& session) {
        const StrainOutcome& outcome = *tool_.outcome();
        const int systole =
            outcome.motion.frame[static_cast<std::size_t>(outcome.summary.endSystole)];
        wrappedText(fmt::format("ED frame {}, ES frame {} ({})", outcome.motion.frame.front(),
                                systole,
                                session.marks.endSystole == systole ? "marked" : "smallest volume"),
                    dimColor());
        if (session.marks.endSystole && session.marks.endSystole != systole)
            wrappedText(fmt::format("The motion into frame {}, marked as ES, isn't estimated yet.",
                                    *session.marks.endSystole),
                        warningColor);
        if (session.marks.endDiastole.value_or(outcome.frame) != outcome.motion.frame.front() &&
            !tool_.busy())
            wrappedText(fmt::format("The motion into frame {}, marked as ED, isn't estimated yet.",
                                    *session.marks.endDiastole),
                        warningColor);
        if (button("ED here", "Marks the frame shown as end diastole, from which strain counts."))
            session.marks.endDiastole = session.playback.frame();
        ImGui::SameLine();
        if (button("ES here", "Marks the frame shown as end systole."))
            tool_.markEndSystole(session.playback.frame());
        ImGui::SameLine();
        if (button("ES by volume", "The frame of the smallest volume.",
                   session.marks.endSystole.has_value()))
            tool_.markEndSystole(std::nullopt);
        if (const auto found = systoleOf(tool_.found());
            found && button("ES of labels",
                            fmt::format("Frame {}: of the labels that frames have in the Segment "
                                        "panel, those with the smallest chamber.",
                                        *found),
                            session.marks.endSystole != *found))
            tool_.markEndSystole(*found);
    }

    /// The figures asked for first, and where the ejection fraction comes from.
    void drawSummary(const Session& session) const {
        const StrainOutcome& outcome = *tool_.outcome();
        const auto es = static_cast<std::size_t>(outcome.summary.endSystole);
        const auto& systole = outcome.measures.frames[es];
        wrappedText(fmt::format("EF {} %   GLS {} %   twist {}°{}",
                                figureText(outcome.summary.ejectionPercent.midWall, 1),
                                figureText(100 * systole.strain.longitudinal, 1),
                                twistText(outcome, es), tool_.waiting().empty() ? "" : "   so far"),
                    plainColor());
        tooltip("Twist: methods that follow gray values see little of a rotation, so that it comes "
                "out too small; a healthy heart twists by 10 to 15°.");
        wrappedText("EF is " + ways_.front().way + ".", dimColor());
        if (tool_.showsStrain()) {
            const KeptRoom room(2);
            if (const std::string why = whyNoStrainMap(outcome, session.shownFrame); !why.empty())
                wrappedText(why, dimColor());
        }
    }

    /// Twist, with its standard error if that is known.
    static std::string twistText(const StrainOutcome& outcome, std::size_t es) {
        const std::string twist = figureText(outcome.measures.frames[es].rotation.twist, 1);
        return outcome.errors.empty() ? twist
                                      : twist + " ± " + figureText(outcome.errors[es].twist, 1);
    }

    void gatherDoubts() {
        ways_.clear();
        if (tool_.outcome())
            ways_ = tool_.ejections();
        doubts_ = tool_.doubts();
    }

    void drawDoubts() const {
        if (doubts_.empty())
            return;
        ImGui::Separator();
        for (const std::string& doubt : doubts_)
            wrappedText(doubt, warningColor);
    }

    void drawPlots(Session& session) {
        const CardiacShown shown = tool_.shown();
        choiceRow(
            "bull's-eye", shown.quantity.title, bullsEyeQuantities(),
            [](const BullsEyeQuantity& quantity) { return std::string(quantity.title); },
            [&](const BullsEyeQuantity& quantity) {
                tool_.quantity = static_cast<int>(&quantity - bullsEyeQuantities().data());
            },
            cardiacLabelWidth());
        const float width = ImGui::GetContentRegionAvail().x,
                    disc = std::min(width, discShare * ImGui::GetIO().DisplaySize.y);
        const int measured = shown.outcome.motion.frame[shown.place],
                  now = session.playback.frame();
        const std::string title =
            shown.quantity.ofCycle
                ? fmt::format("{}, {}", shown.quantity.title, shown.quantity.unit)
                : fmt::format("{}, {}, frame {}{}", shown.quantity.title, shown.quantity.unit,
                              measured, measured == now ? "" : fmt::format(" ({} isn't yet)", now));
        ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::floor(0.5f * (width - disc)));
        if (const std::optional<int> segment = drawBullsEye(shown, title, disc))
            tool_.select(*segment == tool_.selected() ? 0 : *segment);
        if (shown.segment > 0)
            wrappedText(fmt::format("segment {}: {}", shown.segment,
                                    cardiac::ahaNames(
                                        shown.model)[static_cast<std::size_t>(shown.segment - 1)]),
                        plainColor());
        else
            wrappedText("Click a segment: its curve, and its place in the views.", dimColor());
        drawPlacement(shown.outcome.ventricle->placement);
        if (shown.outcome.motion.frame.size() < 2)
            return;
        follow(session, drawSegmentCurves(shown, width, segmentsHeight));
        follow(session, drawVolumeCurve(tool_.shown(), width, volumeHeight));
    }

    void follow(Session& session, const CurveClick& click) {
        if (click.endSystole)
            tool_.markEndSystole(click.endSystole);
        if (!click.frame)
            return;
        session.playback.pause();
        session.playback.seek(*click.frame);
    }

    void drawFigures() {
        const float width = ImGui::GetContentRegionAvail().x;
        drawFrameFigures(tool_.shown(), width);
        drawCycleFigures(tool_.shown(), width);
        wrappedText(researchOnly, warningColor);
    }

    /// Distance of the tissue from its place after the cycle, and the switch that removes it.
    void drawClosure(Session& session) {
        const CycleResidual& residual = tool_.outcome()->residual;
        if (std::isfinite(residual.measured))
            wrappedText(closureText(residual) + ".", plainColor());
        else if (session.motion.window > 0)
            wrappedText("The motion that remains after the cycle is known only with motion from "
                        "frame to frame; now only motion since frame 0 is estimated.",
                        dimColor());
        else if (actionButton("Estimate the whole cycle",
                              "Estimates all pairs of frames: the motion that remains after the "
                              "cycle is then known, and can be subtracted.",
                              whyNoCycle(session)))
            session.cycle.on = true;
        bool closes = tool_.parameters.isOn("close-cycle");
        if (checkbox("close the cycle", closes, strainTable().row("close-cycle").help))
            tool_.parameters.set("close-cycle", closes);
    }

    void drawKeep() {
        if (button("Segments ...", "A row per segment and frame, as CSV."))
            tool_.saveSegments();
        ImGui::SameLine();
        if (button("Curves ...", "A row per frame, as CSV."))
            tool_.saveCurves();
        ImGui::SameLine();
        if (button("Picture ...", "Bull's-eyes, curves and tables, as PNG."))
            tool_.savePicture();
        if (button("Report ...", "A page with all of it, the method and hashes of the inputs, as "
                                 "HTML or PDF."))
            tool_.saveReport();
        ImGui::SameLine();
        if (button("Compare ...", "Opens a saved table of segments or curves: its curves are "
                                  "dotted beside the current ones."))
            tool_.readCurves();
        if (!tool_.read.empty()) {
            ImGui::SameLine();
            if (button("Remove tables"))
                tool_.read.clear();
        }
    }

    CardiacTool& tool_;
    // --- parts of the outcome, for one draw
    std::vector<EjectionWay> ways_;
    std::vector<std::string> doubts_;
};

} // namespace

std::unique_ptr<Panel> CardiacTool::panel() { return std::make_unique<CardiacPanel>(*this); }

bool CardiacTool::isSegmented() const {
    const auto* labels = tools().find<LabelSource>();
    return labels && labels->has(0);
}

CardiacShown CardiacTool::shown() const {
    return {*outcome_, model(), shownQuantity(), placeOf(session().playback.frame()),
            segment_,  read};
}

} // namespace systole
