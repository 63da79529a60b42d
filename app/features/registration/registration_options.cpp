// Options of the registration that the views show in place of the sequence: --register and so on.
#include "app/base/error.h"
#include "app/base/given_parameters.h"
#include "app/cli/text_parts.h"
#include "app/feature/tool_options.h"
#include "app/features/registration/registration_tool.h"
#include "compute/core/error.h"
#include "io/base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace systole {
namespace {

/// `get` of options that say something only while the views show a registration.
template <typename Get>
auto whileShown(Get get) {
    return getting<RegistrationTool>(
        [get](const RegistrationTool& tool) -> std::optional<OptionValues> {
            return tool.shown ? get(tool) : std::nullopt;
        });
}

std::vector<std::string> methodNames() {
    std::vector<std::string> names;
    for (const MotionMethod& method : registrationMethods())
        names.push_back(method.name);
    return names;
}

std::vector<std::string> viewNames() {
    std::vector<std::string> names;
    for (const RegistrationView view : registrationViews)
        names.emplace_back(name(view));
    return names;
}

} // namespace

/// Long because it is a table: a row for each option.
std::vector<ToolOptionGroup> registrationOptions() {
    std::vector<ToolOption> options;
    options.push_back(
        {.name = "register",
         .help = "FRAME or FILE: register this frame, or the first frame of this file, to the "
                 "frame shown, as the panel Register does; the views show the registration",
         .set = setting<RegistrationTool>([](RegistrationTool& tool, const OptionValues& values) {
             const auto frame = parseInteger(values.front());
             tool.movingFile = frame ? "" : values.front();
             if (frame)
                 tool.movingFrame = static_cast<int>(std::clamp(*frame, 0LL, 1'000'000LL));
             tool.startsChosen = true;
         }),
         .get = whileShown([](const RegistrationTool& tool) -> std::optional<OptionValues> {
             return OptionValues{tool.movingFile.empty() ? fmt::format("{}", tool.movingFrame)
                                                         : tool.movingFile};
         })});
    options.push_back(
        {.name = "register-method",
         .help = "Method of the registration",
         .choices = methodNames(),
         .needs = {"register"},
         .set = setting<RegistrationTool>([](RegistrationTool& tool, const OptionValues& values) {
             tool.choose(values.front());
         }),
         .get = whileShown([](const RegistrationTool& tool) -> std::optional<OptionValues> {
             return OptionValues{tool.choice.method->name};
         })});
    options.push_back(
        {.name = "register-preset",
         .help = "Preset of the method's parameters",
         .needs = {"register"},
         .set = setting<RegistrationTool>([](RegistrationTool& tool, const OptionValues& values) {
             try {
                 tool.choice.choosePreset(values.front());
             } catch (const ComputeError& error) {
                 throw UsageError(fmt::format("--register-preset: {}", error.what()));
             }
         }),
         .get = whileShown([](const RegistrationTool& tool) {
             return tool.choice.preset.empty() ? std::nullopt
                                               : std::optional(OptionValues{tool.choice.preset});
         })});
    options.push_back(
        {.name = "register-set",
         .help = "NAME=VALUE: a parameter of the method",
         .form = ToolOption::Form::Repeatable,
         .needs = {"register"},
         .set = setting<RegistrationTool>([](RegistrationTool& tool, const OptionValues& values) {
             for (const std::string& text : values) {
                 ParamSet checked = tool.choice.parameters;
                 const std::string id = assignParameter(checked, text, "--register-set");
                 tool.choice.set(id, checked.value(id));
             }
         }),
         .get = whileShown([](const RegistrationTool& tool) {
             const MotionChoice& choice = tool.choice;
             return unlessEmpty(changedParameters(
                 choice.parameters, ParamSet(*choice.method->parameters, choice.preset)));
         })});
    options.push_back(
        {.name = "register-backend",
         .help = "Backend of the registration [default: that of the motion]",
         .needs = {"register"},
         .set = setting<RegistrationTool>([](RegistrationTool& tool, const OptionValues& values) {
             tool.choice.chooseBackend(values.front());
         }),
         .get = whileShown([](const RegistrationTool& tool) -> std::optional<OptionValues> {
             return OptionValues{name(tool.choice.backend)};
         })});
    options.push_back(
        {.name = "register-affine",
         .help = "Whether an affine registration comes first [default: as the method needs it]",
         .choices = {"on", "off"},
         .needs = {"register"},
         .set = setting<RegistrationTool>([](RegistrationTool& tool, const OptionValues& values) {
             tool.affineFirst = values.front() == "on";
         }),
         .get = whileShown([](const RegistrationTool& tool) -> std::optional<OptionValues> {
             return OptionValues{tool.affineFirst ? "on" : "off"};
         })});
    options.push_back(
        {.name = "register-view",
         .help = "What the views show of the registration",
         .choices = viewNames(),
         .needs = {"register"},
         .set = setting<RegistrationTool>([](RegistrationTool& tool, const OptionValues& values) {
             for (const RegistrationView view : registrationViews)
                 if (values.front() == name(view))
                     tool.view = view;
         }),
         .get = whileShown([](const RegistrationTool& tool) -> std::optional<OptionValues> {
             return OptionValues{name(tool.view)};
         })});
    return {{"registration", "A registration in place of the sequence, as by 'systole register'",
             std::move(options)}};
}

} // namespace systole
