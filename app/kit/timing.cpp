#include "app/base/plural.h"
#include "app/base/units.h"
#include "app/kit/panels.h"
#include "app/kit/parts.h"
#include "app/kit/rows.h"
#include "app/kit/widgets.h"
#include "app/session/session.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>

namespace systole {
namespace {

/// Colors of stages in the order in which a method lists them, as many as ffd has with those of the
/// display, so that drawing doesn't look like one of its own; also distinct for the color-blind.
constexpr std::array<ImU32, 17> stageColors{
    IM_COL32(136, 136, 136, 255), IM_COL32(221, 204, 119, 255), IM_COL32(153, 153, 51, 255),
    IM_COL32(51, 187, 238, 255),  IM_COL32(0, 119, 187, 255),   IM_COL32(0, 153, 136, 255),
    IM_COL32(238, 119, 51, 255),  IM_COL32(170, 68, 153, 255),  IM_COL32(204, 51, 17, 255),
    IM_COL32(187, 187, 187, 255), IM_COL32(136, 136, 136, 255), IM_COL32(238, 136, 102, 255),
    IM_COL32(187, 204, 51, 255),  IM_COL32(153, 221, 255, 255), IM_COL32(68, 187, 153, 255),
    IM_COL32(255, 170, 187, 255), IM_COL32(136, 34, 85, 255)};

ImU32 stageColor(std::size_t stage) { return stageColors[stage % stageColors.size()]; }

float asFloat(double value) { return static_cast<float>(value); }

std::string bytesOf(double bytes) { return bytesText(static_cast<std::size_t>(bytes)); }

/// Bus transfers of this estimation and of the frames uploaded since the previous one.
std::string busText(const TimingSample& sample) {
    return fmt::format("{} up, {} down", bytesOf(sample.toDeviceBytes),
                       bytesOf(sample.toHostBytes));
}

/// While paused that of the shown motion, if it was estimated of late; else the newest one.
const TimingSample& chosenSample(const Session& session) {
    const auto& samples = session.timing.samples();
    const auto shown = std::find_if(samples.rbegin(), samples.rend(), [&](const auto& sample) {
        return session.result && !session.playback.playing() &&
               sample.fixedFrame == session.result->fixedFrame &&
               sample.movingFrame == session.result->movingFrame;
    });
    return shown == samples.rend() ? session.timing.last() : *shown;
}

constexpr const char* besideEachOther =
    "Stages of an estimation on a device may run beside each other and add up to more than it.";

/// Three digits: more are noise.
std::string millisecondsText(double seconds) {
    const double ms = 1000 * seconds;
    return fmt::format("{:.{}f}", ms, ms >= 100 ? 0 : ms >= 10 ? 1 : 2);
}

/// Names the pair, the time of all its stages, and that of the estimation without reading and
/// showing.
std::string titleOf(const TimingSample& sample) {
    const auto milliseconds = [](double seconds) {
        return quantity(millisecondsText(seconds), "ms");
    };
    return fmt::format("frame {} to {}: {}, estimation {}", sample.fixedFrame, sample.movingFrame,
                       milliseconds(sample.totalSeconds()), milliseconds(sample.estimationSeconds));
}

std::vector<Part> partsOf(const TimingSample& sample) {
    const double total = std::max(sample.totalSeconds(), 1e-9);
    std::vector<Part> parts;
    for (std::size_t stage = 0; stage < sample.stages.size(); ++stage) {
        const auto& [name, seconds] = sample.stages[stage];
        // Copies between host and device exist only with CUDA.
        if (sample.backend == Backend::Cuda || (name != "upload" && name != "download"))
            parts.push_back({.name = name,
                             .amount = seconds,
                             .color = stageColor(stage),
                             .text = millisecondsText(seconds) + " ms",
                             .share = fmt::format("{:.0f} %", 100 * seconds / total)});
    }
    return parts;
}

/// Names the motion on the screen, and whether it belongs to the shown frame.
PanelRow shownRow(const Session& session) {
    if (!session.result)
        return {"motion shown", "none"};
    const std::string pair =
        fmt::format("frame {} to {}", session.result->fixedFrame, session.result->movingFrame);
    if (session.result->pictureFrame() == session.shownFrame)
        return {"motion shown", pair};
    return {.name = "motion shown",
            .value = fmt::format("{}, over {}", pair, session.shownFrame),
            .warns = true};
}

/// Every pair of the frames, or every frame's motion since the first, has its finished field.
bool allCached(const Session& session) {
    if (!session.opened || !session.motion.enabled)
        return false;
    const int frames = session.opened->sequence.frames,
              fields = session.motion.window > 0 ? frames - 1 : frames;
    return fields > 0 && static_cast<int>(session.estimation.cachedFrames.size()) >= fields;
}

/// Estimation pauses where all is finished: no rate of 0.
std::string rateText(const Session& session) {
    const PipelineStatus& status = session.estimation;
    if (status.estimationsPerSecond > 0)
        return fmt::format("{:.1f} per s", status.estimationsPerSecond);
    return !session.motion.enabled                              ? "off"
           : allCached(session)                                 ? "all cached"
           : status.estimatingFrame < 0 && status.estimated > 0 ? "at rest"
                                                                : "–";
}

std::vector<PanelRow> ratesOf(const Session& session) {
    return {{"estimation", rateText(session)},
            {"display", fmt::format("{:.1f} per s", session.figures.framesPerSecond)},
            shownRow(session)};
}

std::vector<PanelRow> countersOf(const Session& session) {
    const PipelineStatus& status = session.estimation;
    const DisplayFigures& figures = session.figures;
    const int frames = session.opened ? session.opened->sequence.frames : 0;
    std::string cached = fmt::format("{} of {}, {}", status.cachedFrames.size(), frames,
                                     bytesText(status.cacheBytes.host));
    if (status.cacheBytes.device > 0)
        cached += fmt::format(", {} on the device", bytesText(status.cacheBytes.device));
    std::vector<PanelRow> rows{
        {"estimated", plural(static_cast<std::int64_t>(status.estimated), "pair")},
        {"pairs dropped", fmt::format("{}, {} cancelled", status.dropped, status.cancelled)},
        {"frames not shown", fmt::format("{}", session.playback.dropped())},
        {"fields cached", cached}};
    if (!session.timing.empty()) {
        const TimingSample& sample = chosenSample(session);
        const bool cuda = sample.backend == Backend::Cuda;
        if (cuda)
            rows.push_back({"host-device", busText(sample)});
        rows.push_back({"to OpenGL",
                        fmt::format("{}, {}", bytesOf(sample.toGlBytes), figures.uploadPath),
                        figures.uploadReason});
        rows.push_back(
            {"backend", fmt::format("{}{}, {}", name(sample.backend),
                                    cuda ? "" : ", " + plural(session.estimationThreads, "thread"),
                                    plural(sample.iterations, "iteration"))});
    }
    // Figures that the stages computed for the shown motion.
    if (session.result)
        for (const Figure& figure : session.result->figures)
            rows.push_back({figure.name, fmt::format("{:.4g} {}", figure.value, figure.unit)});
    return rows;
}

/// Draws the last estimations as stacked columns, newest at the right.
void drawHistory(const TimingLog& timing) {
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    constexpr float height = 72;
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(corner, {corner.x + width, corner.y + height}, darkGround);
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
        fmt::format("up to {:.0f} ms, last {}", 1000 * highest, timing.samples().size()).c_str());
    ImGui::Dummy({width, height});
}

class TimingPanel : public Panel {
public:
    const char* title() const override { return "Timing"; }
    PanelGroup group() const override { return PanelGroup::Performance; }

    void draw(Session& session) override {
        drawRows("rates", ratesOf(session));
        if (session.timing.empty()) {
            ImGui::TextDisabled("%s", session.motion.enabled ? "no estimation finished yet"
                                                             : "estimation is switched off");
        } else {
            const TimingSample& sample = chosenSample(session);
            const std::vector<Part> parts = partsOf(sample);
            wrappedText(titleOf(sample), plainColor());
            drawStrip(parts, std::max(sample.totalSeconds(), 1e-9));
            drawParts("stages", parts);
            if (sample.backend == Backend::Cuda)
                wrappedText(besideEachOther, dimColor());
            drawHistory(session.timing);
        }
        drawRows("counters", countersOf(session));
        ImGui::Checkbox("Keep estimating (ignore finished fields)", &session.motion.keepEstimating);
        if (ImGui::IsItemHovered())
            ImGui::SetTooltip(
                "On: during playback every pair is estimated again, so that the figures stay\n"
                "live. Off: finished fields are reused.");
    }

    std::string text(const Session& session) const override {
        std::string text = rowsText(ratesOf(session));
        if (!session.timing.empty()) {
            text += plainSpaces(titleOf(chosenSample(session))) + "\n";
            for (const Part& part : partsOf(chosenSample(session)))
                text += part.name + "\t" + part.text + "\t" + part.share + "\n";
            if (chosenSample(session).backend == Backend::Cuda)
                text += std::string(besideEachOther) + "\n";
        }
        return text + rowsText(countersOf(session)) + "OpenGL\t" + session.figures.renderer + "\n" +
               session.timing.text();
    }
};

} // namespace

std::unique_ptr<Panel> makeTimingPanel() { return std::make_unique<TimingPanel>(); }

} // namespace systole
