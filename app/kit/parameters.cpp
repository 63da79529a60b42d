#include "app/base/plural.h"
#include "app/kit/motion_widgets.h"
#include "app/kit/panels.h"
#include "app/kit/tool_widgets.h"
#include "app/session/resets.h"
#include "app/session/session.h"
#include "compute/core/error.h"
#include "compute/motion/frame_stages.h"
#include "compute/motion/trajectory_filter.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

namespace systole {
namespace {

std::string defaultText(const ParamRow& row, const ParamSet& reference) {
    std::string text = reference.text(row.id);
    if (!row.unit.empty())
        text += " " + row.unit;
    return text;
}

std::string rangeText(const ParamRow& row) {
    const auto range = [&](double low, double high) {
        return fmt::format("from {} to {}{}{}", plainNumber(low), plainNumber(high),
                           row.unit.empty() ? "" : " ", row.unit);
    };
    if (row.sliderMinimum() == row.minimum && row.sliderMaximum() == row.maximum)
        return fmt::format("\nAnything {}.", range(row.minimum, row.maximum));
    return fmt::format("\nUsually {}; typed after Ctrl and a click, {}.",
                       range(row.sliderMinimum(), row.sliderMaximum()),
                       range(row.minimum, row.maximum));
}

std::string tooltip(const ParamRow& row, const ParamSet& reference) {
    std::string text = row.labelWithId() + ": " + helpInWords(reference.table(), row);
    if (row.type == ParamType::Real || row.type == ParamType::Integer)
        text += rangeText(row);
    return text + fmt::format("\nPreset: {}.\nOn the command line: --{}",
                              defaultText(row, reference), row.id);
}

bool isUsed(const ParamRow& row, const MotionChoice& motion) {
    return !row.cudaOnly || motion.backend == Backend::Cuda;
}

class ParametersPanel : public Panel {
public:
    const char* title() const override { return "Motion parameters"; }

    void draw(Session& session) override {
        MotionChoice& motion = session.motion;
        ImGui::Checkbox("Estimate motion", &motion.enabled);
        const bool withCuda = motion.backend == Backend::Cuda;
        const float labels = labelColumn(labelsOf(*motion.method->parameters, withCuda));
        try {
            drawChoices(session, labels);
            ImGui::Separator();
            drawRows(motion, labels);
        } catch (const ComputeError& error) {
            session.message = error.what();
        }
        drawStages(motion);
        drawCycle(session);
        if (ImGui::SmallButton(("Reset to " + presetName(motion)).c_str()))
            motion.choosePreset(motion.preset);
        ImGui::SameLine();
    }

    std::string text(const Session& session) const override {
        const MotionChoice& motion = session.motion;
        std::string text =
            fmt::format("--method {} --backend {}", motion.method->name, name(motion.backend));
        if (!motion.preset.empty())
            text += " --preset " + motion.preset;
        const ParamSet reference(*motion.method->parameters, motion.preset);
        for (const ParamRow& row : motion.method->parameters->rows())
            if (isUsed(row, motion) && motion.parameters.value(row.id) != reference.value(row.id))
                text += fmt::format(" --{} {}", row.id, motion.parameters.text(row.id));
        if (motion.window == unsmoothedWindow)
            text += " --reference first";
        else if (motion.window > 0)
            text += fmt::format(" --reference window --window-frames {}", motion.window);
        for (const std::string& stage : motion.stages)
            text += " --stage " + stage;
        text += "\n";
        for (const ParamRow& row : motion.method->parameters->rows())
            if (isUsed(row, motion))
                text += fmt::format("{}\t{}\t{}\n", row.labelWithId(),
                                    motion.parameters.text(row.id), row.unit);
        return text;
    }

private:
    static void drawChoices(Session& session, float labels) {
        MotionChoice& motion = session.motion;
        panelLabel("method", labels);
        chooseMethod(motion);
        wrappedText(motion.method->title, dimColor());
        panelLabel("preset", labels);
        choosePreset(motion);
        panelLabel("backend", labels);
        chooseBackend(motion);
        drawReference(session, labels);
    }

    /// Motion from frame to frame, or over a window of frames and how far that is.
    static void drawReference(Session& session, float labels) {
        MotionChoice& motion = session.motion;
        const bool overLabel = panelLabel("reference", labels);
        chooseReference(motion, session.result.get());
        if (overLabel || ImGui::IsItemHovered())
            itemTooltip("previous frame: the motion from each frame to the next. Whatever is "
                        "carried over the frames, such as a surface, still follows the motion "
                        "since frame 0: one more estimate per frame, once.\nfirst frame: the "
                        "motion since frame 0.\nwindow: the same; each voxel's path is smoothed "
                        "over these frames, which reduces noise. All frames are estimated in "
                        "their order, also while paused.\nOn the command line: --reference, "
                        "--window-frames");
        if (motion.window == 0 || !session.opened)
            return;
        const int all = session.opened->sequence.frames - 1;
        const int done = static_cast<int>(session.estimation.window.smoothedFrames.size());
        if (motion.enabled && done < all)
            progressBar(static_cast<double>(done) / all, -1,
                        fmt::format("{} of {} frames", done, all));
    }

    /// Switches for the stages that process each finished field.
    static void drawStages(MotionChoice& motion) {
        for (const FrameStage& stage : availableStages()) {
            bool on = motion.hasStage(stage.name);
            if (ImGui::Checkbox(stage.title.c_str(), &on))
                motion.setStage(stage.name, on);
        }
    }

    /// Starts the estimation of all pairs, or shows how far it is.
    static void drawCycle(Session& session) {
        WholeCycle& cycle = session.cycle;
        ImGui::Separator();
        const std::string why = whyNoCycle(session);
        if (!cycle.on) {
            cycle.on = actionButton("Estimate the whole cycle",
                                    "All pairs of the sequence, in the background; also while "
                                    "paused.",
                                    why);
            return;
        }
        progressBar(static_cast<double>(cycle.finished) / std::max(cycle.total, 1), -64,
                    fmt::format("{} of {}", cycle.finished, plural(cycle.total, "pair")));
        ImGui::SameLine();
        if (ImGui::Button("Cancel"))
            cycle.on = false;
    }

    static void drawRows(MotionChoice& motion, float labels) {
        const ParamSet reference(*motion.method->parameters, motion.preset);
        for (const ParamRow& row : motion.method->parameters->rows()) {
            if (!isUsed(row, motion))
                continue;
            ImGui::PushID(row.id.c_str());
            ParamValue value = motion.parameters.value(row.id);
            const bool changedByUser = value != reference.value(row.id);
            if (changedByUser)
                ImGui::PushStyleColor(ImGuiCol_Text, {0.55f, 0.80f, 1, 1});
            const bool labelHovered = panelLabel(row.label().c_str(), labels);
            const bool edited = editParameter(row, value);
            if (changedByUser)
                ImGui::PopStyleColor();
            if (labelHovered || (ImGui::IsItemHovered() && !ImGui::IsItemActive()))
                itemTooltip(tooltip(row, reference));
            if (edited)
                motion.set(row.id, std::move(value));
            ImGui::PopID();
        }
    }
};

} // namespace

std::unique_ptr<Panel> makeParametersPanel() { return std::make_unique<ParametersPanel>(); }

} // namespace systole
