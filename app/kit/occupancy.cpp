#include "app/kit/kernel_figures.h"
#include "app/kit/kernel_reference.h"
#include "app/kit/kernel_view.h"
#include "app/kit/panels.h"
#include "app/kit/tool_widgets.h"
#include "app/session/session.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace systole {
namespace {

bool ranOnDevice(const Session& session) {
    return session.profiles.backend() == Backend::Cuda && session.estimation.memory.device;
}

/// Side of a cube with as many voxels as a frame.
int sideOf(const Session& session) {
    return session.opened ? static_cast<int>(std::lround(std::cbrt(
                                static_cast<double>(session.opened->sequence.geometry.voxels()))))
                          : 128;
}

std::string recordedText(const lab::GpuRecord& record, int side) {
    return fmt::format("Recorded, not measured here: {}, {}. Kernels at the recorded size nearest "
                       "to this sequence ({}³ voxels):",
                       record.machine.name, record.when, side);
}

/// `bandwidth` of the machine's memory, bytes per second; 0: unknown.
void drawStages(const std::vector<StageFigures>& stages, double bandwidth) {
    const ImGuiTableFlags flags = ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoPadOuterX;
    if (!ImGui::BeginTable("stages", 5, flags))
        return;
    constexpr std::pair<const char*, float> numbers[] = {
        {"ms", 36.0f}, {"GB/s", 34.0f}, {"of triad", 48.0f}, {"GFLOP/s", 50.0f}};
    ImGui::TableSetupColumn("step", ImGuiTableColumnFlags_WidthStretch);
    for (const auto& [title, width] : numbers)
        ImGui::TableSetupColumn(title, ImGuiTableColumnFlags_WidthFixed, width);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextDisabled("step");
    for (const auto& [title, width] : numbers) {
        ImGui::TableNextColumn();
        textRight(title, dimColor());
    }
    const auto cell = [](double value, const char* unit = "") {
        ImGui::TableNextColumn();
        const int decimals = *unit == 0 && value < 100 ? 1 : 0;
        textRight(value > 0 ? fmt::format("{:.{}f}{}", value, decimals, unit) : "–", plainColor());
    };
    for (const StageFigures& stage : stages) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        wrappedText(stage.work, plainColor());
        tooltip(stageText(stage, bandwidth));
        cell(1e3 * stage.seconds);
        cell(1e-9 * stage.bytesPerSecond());
        cell(100 * stage.shareOf(bandwidth), " %");
        cell(1e-9 * stage.flopsPerSecond());
    }
    ImGui::EndTable();
    wrappedText(
        bandwidth > 0
            ? fmt::format("triad: {:.1f} GB/s of memory bandwidth, measured here after an "
                          "estimation, with its threads. What is above 100 % comes from the "
                          "caches.",
                          1e-9 * bandwidth)
            : "triad: memory bandwidth is measured after the next estimation",
        dimColor());
}

class OccupancyPanel : public Panel {
public:
    const char* title() const override { return "Occupancy"; }
    PanelGroup group() const override { return PanelGroup::Performance; }
    bool needsKernelTimes() const override { return true; }

    void draw(Session& session) override {
        refresh(session);
        if (ranOnDevice(session))
            drawDevice(session);
        else
            drawHost(session);
        if (!kernels_.empty() && machine_) {
            chosen_ = indexOf(chosenKernel_);
            drawKernelList(kernels_, chosen_);
            chosenKernel_ = kernels_[chosen_].span.kernel;
            drawKernel(kernels_[chosen_], *machine_);
            drawUnderRoofline(kernels_, chosen_, *machine_);
        }
        drawTuning(session.estimation.tuning);
    }

    std::string text(const Session& session) const override {
        if (ranOnDevice(session)) {
            const KernelReference::Machine& known =
                reference_.of(*session.estimation.memory.device);
            if (!known.machine)
                return known.failure + "\n";
            std::string text = figuresText(
                kernelFigures(session.profiles.typical(), *known.machine), *known.machine);
            for (const std::string& line : session.estimation.tuning)
                text += "block sizes\t" + line + "\n";
            return text;
        }
        std::string text = "estimated on the CPU\n";
        text +=
            figuresText(stageFigures(session.profiles.typical()), session.estimation.hostBandwidth);
        const KernelReference::Record& known = reference_.recorded();
        if (!known.record)
            return text + known.failure + "\n";
        return text + recordedText(*known.record, sideOf(session)) + "\n" +
               figuresText(recordedFigures(*known.record, sideOf(session)), known.record->machine);
    }

private:
    using Clock = std::chrono::steady_clock;

    /// Updated twice per second: figures that change with every estimation can't be read.
    void refresh(const Session& session) {
        constexpr auto every = std::chrono::milliseconds(500);
        const bool onDevice = ranOnDevice(session);
        const bool other = onDevice != onDevice_ || sideOf(session) != side_;
        const auto now = Clock::now();
        const bool empty = kernels_.empty() && stages_.empty();
        if (!other && !empty && now - refreshed_ < every)
            return;
        refreshed_ = now;
        onDevice_ = onDevice;
        side_ = sideOf(session);
        kernels_.clear();
        stages_.clear();
        machine_ = nullptr;
        if (onDevice) {
            const KernelReference::Machine& known =
                reference_.of(*session.estimation.memory.device);
            failure_ = known.failure;
            if (!known.machine)
                return;
            machine_ = &*known.machine;
            kernels_ = kernelFigures(session.profiles.typical(), *machine_);
            return;
        }
        stages_ = stageFigures(session.profiles.typical());
        const KernelReference::Record& known = reference_.recorded();
        failure_ = known.failure;
        if (!known.record)
            return;
        machine_ = &known.record->machine;
        kernels_ = recordedFigures(*known.record, side_);
    }

    void drawDevice(const Session& session) const {
        if (!failure_.empty())
            wrappedText(failure_, warningColor);
        if (machine_)
            wrappedText(machineText(*machine_), dimColor());
        if (!session.motion.enabled)
            ImGui::TextDisabled("estimation is switched off");
        else if (kernels_.empty())
            ImGui::TextDisabled("no estimation finished yet");
        else if (std::ranges::none_of(
                     kernels_, [](const KernelFigures& kernel) { return kernel.seconds > 0; }))
            ImGui::TextDisabled("times are measured with the next estimation");
        else
            ImGui::TextDisabled("medians of the last %zu estimations", session.profiles.size());
    }

    void drawHost(const Session& session) const {
        wrappedText("Occupancy applies to CUDA kernels; the motion is estimated on the CPU. Its "
                    "stages, with their declared memory traffic:",
                    dimColor());
        if (!session.motion.enabled)
            ImGui::TextDisabled("estimation is switched off");
        else if (stages_.empty())
            ImGui::TextDisabled("no estimation finished yet");
        else
            drawStages(stages_, session.estimation.hostBandwidth);
        ImGui::Separator();
        if (!failure_.empty())
            wrappedText(failure_, warningColor);
        else if (machine_)
            wrappedText(recordedText(*reference_.recorded().record, side_), warningColor);
    }

    static void drawTuning(const std::vector<std::string>& lines) {
        if (lines.empty())
            return;
        ImGui::Separator();
        ImGui::TextDisabled("block sizes");
        for (const std::string& line : lines)
            wrappedText(line, plainColor());
    }

    std::size_t indexOf(const std::string& kernel) const {
        const auto found = std::ranges::find_if(
            kernels_, [&](const KernelFigures& figures) { return figures.span.kernel == kernel; });
        return found == kernels_.end() ? 0 : static_cast<std::size_t>(found - kernels_.begin());
    }

    mutable KernelReference reference_; ///< read on first use
    Clock::time_point refreshed_{};
    bool onDevice_ = false;
    int side_ = 0;
    const model::GpuMachine* machine_ = nullptr; ///< points into reference_
    std::string failure_;
    std::vector<KernelFigures> kernels_;
    std::vector<StageFigures> stages_;
    std::string chosenKernel_; ///< the user's choice; the most expensive kernel if it isn't listed
    std::size_t chosen_ = 0;
};

} // namespace

std::unique_ptr<Panel> makeOccupancyPanel() { return std::make_unique<OccupancyPanel>(); }

} // namespace systole
