// Options of the panel Laboratory: --lesson, --lab-kernel.
#include "app/base/error.h"
#include "app/base/lessons.h"
#include "app/cli/lesson_number.h"
#include "app/feature/panel.h"
#include "app/feature/tool_options.h"
#include "app/features/laboratory/laboratory_tool.h"
#include "compute/core/error.h"

#include <fmt/format.h>

namespace systole {
namespace {

/// The kernels of the panel, or those of a lesson, unless the user names others.
void askOf(LaboratoryTool& tool, const OptionValues& kernels) {
    lab::LabQuestion question;
    question.kernels = kernels;
    try {
        for (const std::string& kernel : question.kernels)
            lab::labKernel(kernel);
    } catch (const ComputeError& error) {
        throw UsageError(fmt::format("--lab-kernel: {}", error.what()));
    }
    tool.ask(question);
}

} // namespace

std::vector<ToolOptionGroup> laboratoryOptions() {
    std::vector<ToolOption> options;
    options.push_back(
        {.name = "lesson",
         .help = "Show the experiment of this lesson, from 1",
         .panel = laboratoryTitle,
         .panelOnly = true,
         .problem = [](const std::string& text) { return std::string(lessonNumber()(text)); },
         .set = setting<LaboratoryTool>([](LaboratoryTool& tool, const OptionValues& values) {
             const int number = static_cast<int>(numberOf(values.front()));
             tool.ask(kernelExperiment(lesson(number)), number);
         }),
         .get = getting<LaboratoryTool>([](const LaboratoryTool& tool) {
             return tool.asked > 0 && tool.lesson > 0
                        ? std::optional(OptionValues{fmt::format("{}", tool.lesson)})
                        : std::nullopt;
         })});
    options.push_back(
        {.name = "lab-kernel",
         .help = "Kernels to show, separated by commas; 'systole lab --list' names them",
         .form = ToolOption::Form::List,
         .excludes = {"lesson"}, // a lesson's experiment names its kernels
         .panel = laboratoryTitle,
         .panelOnly = true,
         .set = setting<LaboratoryTool>(askOf),
         .get = getting<LaboratoryTool>([](const LaboratoryTool& tool) {
             return tool.asked > 0 && tool.lesson == 0 ? unlessEmpty(tool.request.question.kernels)
                                                       : std::nullopt;
         })});
    return {{"laboratory", "The panel Laboratory", std::move(options)}};
}

} // namespace systole
