#include "app/base/plural.h"
#include "app/base/units.h"
#include "app/kit/motion_widgets.h"
#include "app/kit/panels.h"
#include "app/kit/tool_widgets.h"
#include "app/session/comparison.h"
#include "app/session/session.h"
#include "compute/core/error.h"
#include "render/display_scale.h"
#include "render/overlays/rows.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <set>
#include <utility>

namespace systole {
namespace {

constexpr float labelWidth = 66; ///< width of the name column; the sides share the rest

const ImVec4 goodColor{0.45f, 0.85f, 0.55f, 1};

/// Begins a table of names and two sides; false if it is not visible.
bool beginSides(const char* id, float nameWidth = labelWidth) {
    if (!ImGui::BeginTable(id, 3, ImGuiTableFlags_SizingStretchSame))
        return false;
    ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthFixed, nameWidth);
    ImGui::TableSetupColumn("left");
    ImGui::TableSetupColumn("right");
    return true;
}

void name(const std::string& text) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    ImGui::TextDisabled("%s", text.c_str());
}

/// Fills the next cell; text that doesn't fit is shown while the pointer rests on it.
void cell(const std::string& text) {
    ImGui::TableNextColumn();
    const bool fits = ImGui::CalcTextSize(text.c_str()).x <= ImGui::GetContentRegionAvail().x;
    ImGui::TextUnformatted(text.c_str());
    if (!fits)
        tooltip(text);
}

void row(const char* what, const std::string& left, const std::string& right) {
    name(what);
    cell(left);
    cell(right);
}

class ComparePanel : public Panel {
public:
    const char* title() const override { return "Side by side"; }
    const char* formerTitle() const override { return "CPU against GPU"; }
    PanelGroup group() const override { return PanelGroup::Performance; }

    void draw(Session& session) override {
        if (!sideBySide(session)) {
            ImGui::PushTextWrapPos(0);
            ImGui::TextDisabled("Two estimations of the same frames, and their difference.");
            ImGui::PopTextWrapPos();
            if (ImGui::SmallButton("Show side by side"))
                session.display.layout = Layout::SideBySide;
            ImGui::SameLine();
            return;
        }
        try {
            drawChoices(session);
            drawFigures(session);
            drawDifference(session);
            drawParameters(session);
        } catch (const ComputeError& error) {
            session.message = error.what();
        }
        if (ImGui::SmallButton("Right as left"))
            session.compared.copyFrom(session.motion);
        ImGui::SameLine();
    }

    std::string text(const Session& session) const override { return comparisonText(session); }

private:
    /// Each choice on a line of its own, so that both sides have half of the column.
    static void drawChoices(Session& session) {
        if (!ImGui::BeginTable("choices", 2, ImGuiTableFlags_SizingStretchSame))
            return;
        const auto line = [](const char* left, const char* right) {
            ImGui::TableNextRow();
            for (const char* text : {left, right}) {
                ImGui::TableNextColumn();
                ImGui::TextDisabled("%s", text);
            }
        };
        const auto both = [&](const char* what, const auto& choose) {
            line(what, "");
            ImGui::TableNextRow();
            for (MotionChoice* side : {&session.motion, &session.compared}) {
                ImGui::PushID(side);
                ImGui::TableNextColumn();
                choose(*side);
                ImGui::PopID();
            }
        };
        line("left", "right");
        both("backend", chooseBackend);
        both("method", [](MotionChoice& side) { chooseMethod(side); });
        both("preset", choosePreset);
        both("reference", [&](MotionChoice& side) {
            chooseReference(side, &side == &session.motion ? session.result.get()
                                                           : session.right.result.get());
        });
        ImGui::EndTable();
    }

    /// Draws parameters that differ, those of the CUDA kernels if one runs, and those chosen for
    /// editing; only those that a side uses.
    void drawParameters(Session& session) {
        std::set<std::string> shown = chosen_;
        for (const ParameterDifference& difference :
             differingParameters(session.motion, session.compared))
            shown.insert(difference.id);
        const bool cuda =
            session.motion.backend == Backend::Cuda || session.compared.backend == Backend::Cuda;
        const auto& rows = session.compared.method->parameters->rows();
        float width = labelWidth;
        for (const ParamRow& row : rows) {
            if (cuda && row.cudaOnly)
                shown.insert(row.id);
            if (row.cudaOnly && !cuda)
                shown.erase(row.id);
            if (shown.count(row.id) > 0)
                width = std::max(width, ImGui::CalcTextSize(row.label().c_str()).x);
        }
        ImGui::Separator();
        if (beginSides("parameters", width)) {
            for (const ParamRow& row : rows) {
                if (shown.count(row.id) == 0)
                    continue;
                name(row.label());
                tooltip(row.labelWithId() + ": " +
                        helpInWords(*session.motion.method->parameters, row));
                ImGui::PushID(row.id.c_str());
                edit("left", row, session.motion);
                edit("right", row, session.compared);
                ImGui::PopID();
            }
            ImGui::EndTable();
        }
        std::vector<ParamRow> offered;
        for (const ParamRow& row : rows)
            if (cuda || !row.cudaOnly)
                offered.push_back(row);
        const auto nameOf = [](const ParamRow& row) { return row.label(); };
        if (const ParamRow* row = combo("##add", "change another parameter ...", offered, nameOf))
            chosen_.insert(row->id);
    }

    static void edit(const char* side, const ParamRow& row, MotionChoice& choice) {
        ImGui::TableNextColumn();
        const auto& rows = choice.method->parameters->rows();
        const bool unused = row.cudaOnly && choice.backend != Backend::Cuda;
        if (unused || std::ranges::find(rows, row.id, &ParamRow::id) == rows.end()) {
            ImGui::TextDisabled("-");
            return;
        }
        ImGui::PushID(side);
        ImGui::SetNextItemWidth(-1);
        ParamValue value = choice.parameters.value(row.id);
        const bool edited = editParameter(row, value);
        tooltip(row.labelWithId() + ": " + helpInWords(*choice.method->parameters, row));
        if (edited)
            choice.set(row.id, std::move(value));
        ImGui::PopID();
    }

    static void drawFigures(const Session& session) {
        const SideFigures left = leftFigures(session), right = rightFigures(session);
        ImGui::Separator();
        if (beginSides("figures")) {
            if (left.backend != left.choice->backend || right.backend != right.choice->backend)
                row("by", systole::name(left.backend), systole::name(right.backend));
            row("runs on", left.where, right.where);
            row("per second", rateText(session.estimation), rateText(session.right.estimation));
            row("estimated", fmt::format("{}", left.estimated), fmt::format("{}", right.estimated));
            ImGui::EndTable();
        }
        for (const SideFigures* side : {&left, &right})
            for (const std::string& sentence : {side->fallback, side->message})
                if (!sentence.empty())
                    wrappedText(fmt::format("{}: {}", side == &left ? "left" : "right", sentence),
                                warningColor);
        drawTimes(session);
    }

    /// Draws the times of the pairs that both sides have estimated.
    static void drawTimes(const Session& session) {
        const PairedTimes times = pairedTimes(session);
        if (times.pairs.empty()) {
            ImGui::TextDisabled("no pair is estimated on both sides yet");
            return;
        }
        const auto& [onLeft, onRight] = times.pairs.back();
        wrappedText(fmt::format("frames {} to {}, on both sides:", onRight->fixedFrame,
                                onRight->movingFrame),
                    plainColor());
        if (beginSides("pair")) {
            row("time", secondsText(onLeft->estimationSeconds),
                secondsText(onRight->estimationSeconds));
            row("iterations", fmt::format("{}", onLeft->iterations),
                fmt::format("{}", onRight->iterations));
            ImGui::EndTable();
        }
        wrappedText(plural(static_cast<std::int64_t>(times.pairs.size()), "pair") +
                        (takesTurns(session.motion, session.compared)
                             ? " of both, measured in turn:"
                             : " of both, both sides computing at the same time:"),
                    plainColor());
        if (beginSides("times")) {
            row("median", secondsText(times.left.median), secondsText(times.right.median));
            row("half within", spreadText(times.left), spreadText(times.right));
            ImGui::EndTable();
        }
        if (const std::optional<double> ratio = times.ratio())
            wrappedText(ratioText(*ratio), plainColor());
    }

    static std::string spreadText(const TimeSpread& times) {
        return fmt::format("{:.3g}–{}", times.low * unitOf(times), timeIn(times));
    }
    /// Both ends in one unit.
    static double unitOf(const TimeSpread& times) { return times.high < 1 ? 1e3 : 1; }
    static std::string timeIn(const TimeSpread& times) {
        return quantity(fmt::format("{:.3g}", times.high * unitOf(times)),
                        times.high < 1 ? "ms" : "s");
    }

    static std::string rateText(const PipelineStatus& status) {
        return status.estimationsPerSecond > 0 ? fmt::format("{:.2f}", status.estimationsPerSecond)
                                               : "at rest";
    }

    static std::string ratioText(double ratio) {
        return (ratio >= 1 ? fmt::format("left is {:.2f} times as fast as right", ratio)
                           : fmt::format("right is {:.2f} times as fast as left", 1 / ratio)) +
               " (median over the pairs)";
    }

    static void drawDifference(Session& session) {
        ImGui::Separator();
        const FieldComparison* comparison = session.right.comparison.get();
        if (!comparison) {
            const std::string idle = whyIdle(session);
            ImGui::TextDisabled("%s", !idle.empty()          ? idle.c_str()
                                      : lacksMotion(session) ? "no difference: a side has no motion"
                                      : sidesCompare(session)
                                          ? "difference: waiting for both sides"
                                          : "no difference: the sides have other pairs of frames");
            return;
        }
        if (!comparison->failure.empty()) {
            wrappedText(comparison->failure, warningColor);
            return;
        }
        const FieldDifference& difference = comparison->difference;
        ImGui::Text("difference, frames %d to %d", session.right.result->fixedFrame,
                    session.right.result->movingFrame);
        if (difference.maximum == 0) {
            wrappedText("the two fields are the same", goodColor);
            return;
        }
        const DisplayRow& rounding = displayRow("rounding");
        bool exact = rounding.isOn(session.display);
        if (ImGui::Checkbox(rounding.plainLabel().c_str(), &exact))
            rounding.set(session.display, exact);
        tooltip(rounding.param.help);
        if (onlyRounding(session)) {
            wrappedText(fmt::format("none but rounding: below {:g} voxel", roundingVoxels),
                        goodColor);
            return;
        }
        ImGui::TextUnformatted(differenceText(difference, exact).c_str());
        ImGui::Text("99 %% of voxels below %s",
                    differenceLengthText(difference.quantile99, exact).c_str());
        ImGui::AlignTextToFramePadding();
        ImGui::TextUnformatted(("max at " + positionText(difference.maximumAt)).c_str());
        ImGui::SameLine();
        if (ImGui::SmallButton("go"))
            session.lookAt = difference.maximumAt;
        if (sameSettings(session.motion, session.compared))
            wrappedText(boundsText(difference),
                        countAsEqual(difference) ? goodColor : warningColor);
    }

    std::set<std::string> chosen_; ///< parameters that the user edits
};

} // namespace

std::unique_ptr<Panel> makeComparePanel() { return std::make_unique<ComparePanel>(); }

} // namespace systole
