// Options of the panel Bias: --bias-noise and so on, one for each parameter.
#include "app/cli/parameter_options.h"
#include "app/feature/tool_options.h"
#include "app/features/bias/bias_tool.h"

#include <fmt/format.h>

namespace systole {
namespace {

constexpr const char* prefix = "bias-";

ToolOption optionOf(const ParamRow& row) {
    const bool isSwitch = row.type == ParamType::Switch;
    return {.name = prefix + row.id,
            .help = describedParameter(row) +
                    (isSwitch ? "" : fmt::format(" [{}]", ParamSet(biasTable()).text(row.id))),
            .form = isSwitch ? ToolOption::Form::Switch : ToolOption::Form::Text,
            .panelOnly = true,
            .problem = [id = row.id](const std::string& text) -> std::string {
                try {
                    ParamSet(biasTable()).setText(id, text);
                    return {};
                } catch (const std::exception& error) {
                    return std::string("--") + prefix + error.what();
                }
            },
            .set = setting<BiasTool>([id = row.id](BiasTool& tool, const OptionValues& values) {
                tool.parameters.setText(id, values.empty() ? "on" : values.front());
            }),
            .get = getting<BiasTool>([id = row.id, isSwitch](
                                         const BiasTool& tool) -> std::optional<OptionValues> {
                if (tool.parameters.value(id) == ParamSet(biasTable()).value(id))
                    return std::nullopt;
                return isSwitch ? OptionValues{} : OptionValues{assignedText(tool.parameters, id)};
            })};
}

} // namespace

std::vector<ToolOptionGroup> biasOptions() {
    std::vector<ToolOption> options;
    for (const ParamRow& row : biasTable().rows())
        options.push_back(optionOf(row));
    return {{"bias", "The panel Bias", std::move(options)}};
}

} // namespace systole
