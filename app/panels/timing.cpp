#include "app/live/session.h"
#include "app/panels/panels.h"
#include "app/panels/widgets.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace systole {
namespace {

/// Colors of stages in the order in which a method lists them; also distinct for the color-blind.
constexpr std::array<ImU32, 10> stageColors{
    IM_COL32(136, 136, 136, 255), IM_COL32(221, 204, 119, 255), IM_COL32(153, 153, 51, 255),
    IM_COL32(51, 187, 238, 255),  IM_COL32(0, 119, 187, 255),   IM_COL32(0, 153, 136, 255),
    IM_COL32(238, 119, 51, 255),  IM_COL32(170, 68, 153, 255),  IM_COL32(204, 51, 17, 255),
    IM_COL32(187, 187, 187, 255)};

ImU32 stageColor(std::size_t stage) { return stageColors[stage % stageColors.size()]; }

float asFloat(double value) { return static_cast<float>(value); }

std::string bytesOf(double bytes) { return bytesText(static_cast<std::size_t>(bytes)); }

/// Bus transfers of this estimation and of the frames uploaded since the previous one.
std::string busText(const TimingSample& sample) {
    return sample.backend == Backend::Cuda || sample.toDeviceBytes + sample.toHostBytes > 0
               ? fmt::format("{} up, {} down", bytesOf(sample.toDeviceBytes),
                             bytesOf(sample.toHostBytes))
               : fmt::format("0 ({})", name(sample.backend));
}

/// Draws the stages side by side over the whole width.
void drawBar(const TimingSample& sample) {
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    constexpr float height = 20;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const double total = std::max(sample.totalSeconds(), 1e-9);
    float x = corner.x;
    for (std::size_t stage = 0; stage < sample.stages.size(); ++stage) {
        const float extent = width * asFloat(sample.stages[stage].seconds / total);
        list->AddRectFilled({x, corner.y}, {x + extent, corner.y + height}, stageColor(stage));
        x += extent;
    }
    ImGui::Dummy({width, height});
}

/// Copies between host and device exist only with CUDA.
bool isUsed(const std::string& stage, Backend backend) {
    return backend == Backend::Cuda || (stage != "upload" && stage != "download");
}

void drawLegend(const TimingSample& sample) {
    if (!ImGui::BeginTable("stages", 4, ImGuiTableFlags_SizingFixedFit))
        return;
    ImGui::TableSetupColumn("color");
    ImGui::TableSetupColumn("stage", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("time", ImGuiTableColumnFlags_WidthFixed, 78);
    ImGui::TableSetupColumn("share", ImGuiTableColumnFlags_WidthFixed, 44);
    const double total = std::max(sample.totalSeconds(), 1e-9);
    for (std::size_t stage = 0; stage < sample.stages.size(); ++stage) {
        if (!isUsed(sample.stages[stage].stage, sample.backend))
            continue;
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        const ImVec2 corner = ImGui::GetCursorScreenPos();
        const float side = ImGui::GetTextLineHeight();
        ImGui::GetWindowDrawList()->AddRectFilled({corner.x, corner.y + 2},
                                                  {corner.x + side - 4, corner.y + side - 2},
                                                  stageColor(stage));
        ImGui::Dummy({side, side});
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(sample.stages[stage].stage.c_str());
        ImGui::TableNextColumn();
        const double seconds = sample.stages[stage].seconds;
        textRight(fmt::format("{:.2f} ms", 1000 * seconds),
                  ImGui::GetStyleColorVec4(ImGuiCol_Text));
        ImGui::TableNextColumn();
        textRight(fmt::format("{:.0f} %", 100 * seconds / total),
                  ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
    }
    ImGui::EndTable();
}

/// Draws the last estimations as stacked columns, newest at the right.
void drawHistory(const TimingLog& timing) {
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    constexpr float height = 72;
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(corner, {corner.x + width, corner.y + height}, IM_COL32(24, 25, 29, 255));
    double highest = 0;
    for (const TimingSample& sample : timing.samples())
        highest = std::max(highest, sample.totalSeconds());
    const float column = width / static_cast<float>(TimingLog::capacity);
    float x = corner.x + width - column * static_cast<float>(timing.samples().size());
    for (const TimingSample& sample : timing.samples()) {
        float y = corner.y + height;
        for (std::size_t stage = 0; stage < sample.stages.size(); ++stage) {
            const float extent = height * asFloat(sample.stages[stage].seconds / highest);
            list->AddRectFilled({x, y - extent}, {x + column, y}, stageColor(stage));
            y -= extent;
        }
        x += column;
    }
    list->AddText(
        {corner.x + 4, corner.y + 2}, IM_COL32(225, 228, 232, 255),
        fmt::format("{:.0f} ms, last {}", 1000 * highest, timing.samples().size()).c_str());
    ImGui::Dummy({width, height});
}

/// Figures that the stages computed for the shown motion.
std::vector<Figure> figuresOf(const Session& session) {
    return session.result ? session.result->figures : std::vector<Figure>{};
}

void row(const char* label, const std::string& value) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextDisabled("%s", label);
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(value.c_str());
}

class TimingPanel : public Panel {
public:
    TimingPanel() { open = true; }

    const char* title() const override { return "Timing"; }

    void draw(Session& session) override {
        drawRates(session);
        if (session.timing.empty()) {
            ImGui::TextDisabled("%s", session.motion.enabled ? "no estimation finished yet"
                                                             : "estimation is switched off");
        } else {
            drawBar(session.timing.last());
            drawLegend(session.timing.last());
            drawHistory(session.timing);
        }
        drawCounters(session);
        ImGui::Checkbox("Keep estimating (ignore finished fields)", &session.motion.keepEstimating);
        if (ImGui::IsItemHovered())
            ImGui::SetTooltip(
                "On: during playback every pair is estimated again, so that the figures stay\n"
                "live. Off: finished fields are reused.");
    }

    std::string text(const Session& session) const override {
        const PipelineStatus& status = session.estimation;
        std::string text = fmt::format(
            "estimation per second\t{:.2f}\ndisplay per second\t{:.2f}\nestimated\t{}\n"
            "pairs dropped\t{}\nestimations cancelled\t{}\nframes not shown\t{}\n"
            "fields cached\t{}\nbytes of fields cached\t{}\non the device\t{}\nestimation "
            "threads\t{}\n"
            "OpenGL\t{}\nupload path\t{}\n",
            status.estimationsPerSecond, session.figures.framesPerSecond, status.estimated,
            status.dropped, status.cancelled, session.playback.dropped(),
            status.cachedFrames.size(), status.cacheBytes.host, status.cacheBytes.device,
            session.estimationThreads, session.figures.renderer, session.figures.uploadPath);
        for (const Figure& figure : figuresOf(session))
            text += fmt::format("{}\t{:g}\t{}\n", figure.name, figure.value, figure.unit);
        return text + session.timing.text();
    }

private:
    static void drawRates(const Session& session) {
        if (!ImGui::BeginTable("rates", 2))
            return;
        ImGui::TableNextColumn();
        ImGui::TextDisabled("estimation");
        ImGui::TextUnformatted(
            fmt::format("{:.1f} per s", session.estimation.estimationsPerSecond).c_str());
        ImGui::TableNextColumn();
        ImGui::TextDisabled("display");
        ImGui::TextUnformatted(
            fmt::format("{:.1f} per s", session.figures.framesPerSecond).c_str());
        ImGui::EndTable();
        drawShown(session);
    }

    /// Shows which motion is on the screen, and whether it belongs to the shown frame.
    static void drawShown(const Session& session) {
        if (!session.result) {
            ImGui::TextDisabled("no motion shown");
            return;
        }
        const bool own = session.result->pictureFrame() == session.shownFrame;
        const std::string text = fmt::format(
            "motion of frame {} to {}{}", session.result->fixedFrame, session.result->movingFrame,
            own ? "" : fmt::format(", shown {}", session.shownFrame));
        if (own)
            ImGui::TextUnformatted(text.c_str());
        else
            ImGui::TextColored(warningColor, "%s", text.c_str());
    }

    static void drawCounters(const Session& session) {
        if (!ImGui::BeginTable("counters", 2, ImGuiTableFlags_SizingFixedFit))
            return;
        ImGui::TableSetupColumn("what");
        ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
        const PipelineStatus& status = session.estimation;
        const int frames = session.opened ? session.opened->sequence.frames : 0;
        row("estimated", fmt::format("{}", status.estimated));
        row("pairs dropped", fmt::format("{}, {} cancelled", status.dropped, status.cancelled));
        row("frames not shown", fmt::format("{}", session.playback.dropped()));
        row("fields cached", fmt::format("{} of {}", status.cachedFrames.size(), frames));
        row("", status.cacheBytes.device > 0
                    ? fmt::format("{}, {} on the device", bytesText(status.cacheBytes.host),
                                  bytesText(status.cacheBytes.device))
                    : bytesText(status.cacheBytes.host));
        if (!session.timing.empty()) {
            const TimingSample& last = session.timing.last();
            if (last.backend == Backend::Cuda)
                row("host-device", busText(last));
            row("to OpenGL",
                fmt::format("{}, {}", bytesOf(last.toGlBytes), session.figures.uploadPath));
            if (!session.figures.uploadReason.empty() && ImGui::IsItemHovered())
                ImGui::SetTooltip("%s", session.figures.uploadReason.c_str());
            row("backend",
                last.backend == Backend::Cuda
                    ? fmt::format("{}, {} iterations", name(last.backend), last.iterations)
                    : fmt::format("{}, {} thread{}, {} iterations", name(last.backend),
                                  session.estimationThreads,
                                  session.estimationThreads == 1 ? "" : "s", last.iterations));
        }
        for (const Figure& figure : figuresOf(session))
            row(figure.name.c_str(), fmt::format("{:.4g} {}", figure.value, figure.unit));
        ImGui::EndTable();
    }
};

} // namespace

std::unique_ptr<Panel> makeTimingPanel() { return std::make_unique<TimingPanel>(); }

} // namespace systole
