#include "app/base/lessons.h"
#include "app/base/units.h"
#include "app/feature/panel.h"
#include "app/features/laboratory/lab_plots.h"
#include "app/features/laboratory/laboratory_tool.h"
#include "app/features/laboratory/summary.h"
#include "app/kit/tool_widgets.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace systole {
namespace {

using lab::LabAxis;
using lab::LabQuestion;

constexpr std::array<int, 8> usualSides{32, 48, 64, 96, 128, 160, 200, 256};
constexpr std::array<LabAxis, 3> axes{LabAxis::BlockSize, LabAxis::Side, LabAxis::Padding};

std::string taskOf(const LabQuestion& question) {
    const std::string& kernel = question.kernels.front();
    return kernel.substr(0, kernel.find('/'));
}

const LabChoice& chosenGpu(const LaboratoryTool& lab) {
    return lab.request.gpu ? *lab.request.gpu : lab.status.first;
}

bool measuresHere(const LaboratoryTool& lab) { return chosenGpu(lab).origin == LabOrigin::Device; }

bool hasDevice(const LabStatus& status) {
    return std::ranges::any_of(
        status.gpus, [](const LabChoice& gpu) { return gpu.origin == LabOrigin::Device; });
}

/// The current answer belongs to the last question.
bool answered(const LaboratoryTool& lab) {
    return lab.status.answer && lab.status.answered == lab.asked && lab.status.failure.empty();
}

/// Label without vendor and brand.
std::string shortLabel(const LabChoice& gpu) {
    std::string label = gpu.label();
    for (const std::string_view word : {"NVIDIA ", "GeForce "})
        if (label.starts_with(word))
            label.erase(0, word.size());
    return label;
}

/// Default block sizes of the kernels, each once.
std::vector<int> sizesOf(const LabQuestion& question) {
    std::vector<int> sizes;
    for (const std::string& name : question.kernels)
        if (const int threads = lab::labKernel(name).standardBlock;
            std::ranges::find(sizes, threads) == sizes.end())
            sizes.push_back(threads);
    return sizes;
}

std::string standardText(const LabQuestion& question) {
    const std::vector<int> sizes = sizesOf(question);
    return sizes.size() == 1 ? fmt::format("default ({})", sizes.front())
                             : std::string("default per kernel");
}

std::string lessonHeading(const Lesson& lesson) {
    return fmt::format("Lesson {}: {}", lesson.number, lesson.title);
}

class LaboratoryPanel : public Panel {
public:
    explicit LaboratoryPanel(LaboratoryTool& tool) : tool_(tool) {}
    const char* title() const override { return laboratoryTitle; }
    PanelGroup group() const override { return PanelGroup::Performance; }
    double wideShare() const override {
        return tool_.status.answer || tool_.unfinished() ? 0.56 : 0;
    }

    void draw(Session&) override {
        LaboratoryTool& lab = tool_;
        lab.use();
        if (lab.status.gpus.empty()) {
            if (lab.status.failure.empty())
                ImGui::TextDisabled("reading records and catalogue ...");
            else
                wrappedText(lab.status.failure, warningColor);
            return;
        }
        if (lab.asked == 0 && !measuresHere(lab))
            lab.ask(lab.request.question);
        drawLesson(lab);
        const bool otherGpu = drawGpu(lab);
        const bool otherQuestion = drawQuestion(lab.request.question);
        if (otherGpu || otherQuestion)
            edited(lab, otherQuestion ? 0 : lab.lesson);
        drawProgress(lab);
        drawSummary(lab);
        drawExports(lab);
    }

    void drawWide(Session&) override {
        const LaboratoryTool& lab = tool_;
        if (lab.status.answer) {
            drawPlotOptions(*lab.status.answer);
            return drawLabPlots(*lab.status.answer, plots_);
        }
        ImGui::TextDisabled("waiting for the answer ...");
    }

    std::string text(const Session&) const override {
        const LaboratoryTool& lab = tool_;
        const lab::LabAnswer* answer = lab.status.answer.get();
        std::string text;
        if (lab.lesson > 0)
            text += lessonHeading(lesson(lab.lesson)) + "\n";
        if (!lab.status.failure.empty())
            text += lab.status.failure + "\n";
        if (!answer)
            return text + "no question asked yet\n";
        text += fmt::format("{}\n{}\n", answer->source, conditionsText(answer->question));
        for (const lab::LabCurve& curve : answer->curves)
            for (const std::string& line : summaryOf(*answer, curve))
                text += fmt::format("{}\t{}\n", curve.kernel, line);
        for (const std::string& note : answer->notes)
            text += "note\t" + note + "\n";
        return plainSpaces(std::move(text)) + toCsv(*answer);
    }

private:
    /// Recorded sources answer at once; measuring waits for the button. A lesson's experiment stays
    /// the lesson's when only the GPU changes.
    void edited(LaboratoryTool& lab, int lessonNumber) {
        waiting_ = measuresHere(lab);
        if (!waiting_)
            lab.ask(lab.request.question, lessonNumber);
        lab.lesson = lessonNumber;
    }

    void drawLesson(const LaboratoryTool& lab) {
        if (lab.lesson == 0)
            return;
        const Lesson& shown = lesson(lab.lesson);
        wrappedText(lessonHeading(shown), plainColor());
        wrappedText(shown.question, dimColor());
        if (answered(lab)) {
            if (headlineOf_ != lab.status.answer) {
                headline_ = shown.headline(*lab.status.answer);
                headlineOf_ = lab.status.answer;
            }
            wrappedText(headline_, plainColor());
        }
        ImGui::Separator();
    }

    /// Returns true when the user changed the question.
    static bool drawQuestion(LabQuestion& question) {
        bool changed = drawKernels(question);
        changed |= drawAxis(question);
        changed |= ImGui::Checkbox("with transfers", &question.withTransfers);
        tooltip("Times of a call with its data on the host: copy to the device, "
                "kernel, copy back.");
        return changed;
    }

    static bool drawGpu(LaboratoryTool& lab) {
        const LabChoice chosen = chosenGpu(lab);
        bool changed = false;
        panelLabel("GPU", 44);
        const float room = ImGui::GetContentRegionAvail().x - ImGui::GetFrameHeight() -
                           2 * ImGui::GetStyle().FramePadding.x;
        if (ImGui::BeginCombo("##gpu", shortened(shortLabel(chosen), room).c_str(),
                              ImGuiComboFlags_HeightLarge)) {
            for (const LabChoice& gpu : lab.status.gpus)
                if (ImGui::Selectable(gpu.label().c_str(), gpu == chosen) && !(gpu == chosen)) {
                    lab.request.gpu = gpu;
                    changed = true;
                }
            ImGui::EndCombo();
        }
        tooltip(chosen.label());
        if (!hasDevice(lab.status))
            wrappedText("No CUDA device: showing recorded measurements and data sheets.",
                        dimColor());
        return changed;
    }

    static bool drawKernels(LabQuestion& question) {
        const std::string task = taskOf(question);
        bool changed = false;
        choiceRow(
            "task", task, lab::labTasks(), [](const std::string& name) { return name; },
            [&](const std::string& other) {
                changed = other != task;
                if (changed)
                    question.kernels = {lab::variantsOf(other).front()->name()};
            });
        const std::string chosenTask = taskOf(question);
        ImGui::Indent();
        for (const lab::LabKernel* kernel : lab::variantsOf(chosenTask))
            changed |= drawKernel(question, *kernel, kernel->variant);
        ImGui::Unindent();
        return drawOtherTasks(question, chosenTask) || changed;
    }

    /// Kernels of other tasks that a lesson includes; listed as long as they are selected.
    static bool drawOtherTasks(LabQuestion& question, const std::string& task) {
        std::vector<const lab::LabKernel*> others;
        for (const std::string& name : question.kernels)
            if (const lab::LabKernel& kernel = lab::labKernel(name); kernel.task != task)
                others.push_back(&kernel);
        if (others.empty())
            return false;
        bool changed = false;
        ImGui::TextDisabled("other tasks");
        ImGui::Indent();
        for (const lab::LabKernel* kernel : others)
            changed |= drawKernel(question, *kernel, kernel->name());
        ImGui::Unindent();
        return changed;
    }

    static bool drawKernel(LabQuestion& question, const lab::LabKernel& kernel,
                           const std::string& label) {
        const auto at = std::ranges::find(question.kernels, kernel.name());
        bool ticked = at != question.kernels.end(), changed = false;
        if (ImGui::Checkbox(label.c_str(), &ticked)) {
            if (ticked)
                question.kernels.push_back(kernel.name());
            else if (question.kernels.size() > 1) // the last kernel can't be removed
                question.kernels.erase(at);
            changed = true;
        }
        tooltip(kernel.summary);
        return changed;
    }

    static bool drawAxis(LabQuestion& question) {
        const LabQuestion before = question;
        choiceRow(
            "over", name(question.axis), axes, [](LabAxis axis) { return name(axis); },
            [&](LabAxis axis) {
                if (axis != question.axis)
                    question.blockSizes = question.sides = question.padding = {};
                question.axis = axis;
            });
        if (question.axis != LabAxis::Side)
            choiceRow(
                "side", std::to_string(question.side), usualSides,
                [](int side) { return std::to_string(side); },
                [&](int side) { question.side = side; });
        if (question.axis != LabAxis::BlockSize)
            drawBlock(question);
        return question.axis != before.axis || question.side != before.side ||
               question.threads != before.threads;
    }

    static void drawBlock(LabQuestion& question) {
        const lab::LabKernel& kernel = lab::labKernel(question.kernels.front());
        const std::string standard = standardText(question);
        const auto label = [&](int threads) {
            return threads == 0 ? standard : fmt::format("{} threads", threads);
        };
        std::vector<int> sizes{0};
        sizes.insert(sizes.end(), kernel.blockSizes.begin(), kernel.blockSizes.end());
        choiceRow("block", label(question.threads), sizes, label,
                  [&](int threads) { question.threads = threads; });
        if (question.threads == 0 && sizesOf(question).size() > 1) {
            std::string each;
            for (const std::string& name : question.kernels)
                each += fmt::format("{}{} {}", each.empty() ? "" : ", ", name,
                                    lab::labKernel(name).standardBlock);
            wrappedText(each, dimColor());
        }
    }

    void drawProgress(LaboratoryTool& lab) {
        if (lab.status.busy) {
            progressBar(lab.status.fraction, -70);
            ImGui::SameLine();
            if (ImGui::SmallButton("Cancel"))
                lab.cancel();
            if (lab.status.measuring)
                wrappedText("Measuring: playback and estimation are paused, so that nothing else "
                            "uses the device.",
                            dimColor());
            return;
        }
        if (measuresHere(lab)) {
            if (ImGui::Button("Measure")) {
                waiting_ = false;
                lab.ask(lab.request.question, lab.lesson);
            }
            if (waiting_) {
                ImGui::SameLine();
                ImGui::TextColored(warningColor, "the plots show the previous answer");
            }
        }
        if (!lab.status.failure.empty())
            wrappedText(lab.status.failure, warningColor);
    }

    void drawSummary(const LaboratoryTool& lab) {
        const lab::LabAnswer* answer = lab.status.answer.get();
        if (!answer)
            return;
        ImGui::Separator();
        for (const lab::LabCurve& curve : answer->curves) {
            wrappedText(curve.kernel, plainColor());
            ImGui::Indent(8);
            for (const std::string& line : summaryOf(*answer, curve))
                wrappedText(line, dimColor());
            ImGui::Unindent(8);
        }
        for (const std::string& note : answer->notes)
            wrappedText("Note: " + note, warningColor);
    }

    void drawPlotOptions(const lab::LabAnswer& answer) {
        std::array<bool, 3> models = shownModels(answer, plots_);
        ImGui::AlignTextToFramePadding();
        ImGui::TextDisabled("curves");
        for (std::size_t model = 0; model < models.size(); ++model) {
            ImGui::SameLine();
            if (ImGui::Checkbox(shortModelName(model), &models[model]))
                plots_.models = models;
        }
        bool decades = logarithmicTime(answer, plots_);
        ImGui::SameLine(0, 20);
        if (ImGui::Checkbox("logarithmic time", &decades))
            plots_.logTime = decades;
    }

    static void drawExports(LaboratoryTool& lab) {
        if (!lab.status.answer)
            return;
        ImGui::AlignTextToFramePadding();
        ImGui::TextDisabled("Export");
        using Export = LaboratoryTool::Export;
        constexpr std::array<std::pair<const char*, Export>, 3> kinds{
            {{"CSV", Export::Csv}, {"JSON", Export::Json}, {"PNG", Export::Png}}};
        for (const auto& [label, kind] : kinds) {
            ImGui::SameLine();
            if (ImGui::SmallButton(label))
                lab.save(kind);
        }
        ImGui::SameLine();
    }

    LaboratoryTool& tool_;
    LabPlotOptions plots_;
    bool waiting_ = false; ///< the question changed since the last measurement
    std::shared_ptr<const lab::LabAnswer> headlineOf_;
    std::string headline_;
};

} // namespace

std::unique_ptr<Panel> LaboratoryTool::panel() { return std::make_unique<LaboratoryPanel>(*this); }

} // namespace systole
