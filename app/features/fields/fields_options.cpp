// Options of the Fields panel: --fields, --field-convention.
#include "app/base/error.h"
#include "app/cli/field_options.h"
#include "app/feature/tool_options.h"
#include "app/features/fields/fields_tool.h"
#include "app/fields/field_order.h"
#include "app/fields/given_field.h"

#include <fmt/format.h>

namespace systole {
namespace {

/// Throws UsageError unless the fields lead from frame 0 to every other one.
void setFiles(FieldsTool& tool, const OptionValues& files) {
    const OrderedFields ordered = inOrderOfFrames(files);
    for (std::size_t i = 0; i < ordered.frames.size(); ++i)
        if (ordered.first != 0 || ordered.frames[i] != static_cast<int>(i) + 1)
            throw UsageError(fmt::format("--fields: {} leads from frame {} to {}, according to "
                                         "the run.json beside it; fields from frame 0 to every "
                                         "other one are needed",
                                         ordered.files[i], ordered.first, ordered.frames[i]));
    if (!ordered.note.empty())
        fmt::print("note: {}\n", ordered.note);
    tool.files = ordered.files;
}

} // namespace

std::vector<ToolOptionGroup> fieldsOptions() {
    std::vector<ToolOption> options;
    options.push_back(
        {.name = "fields",
         .help = "The folder of 'systole motion --lagrangian', or fields from the first frame to "
                 "each other one, in the order of its run.json, else of the numbers in their "
                 "names: shown and measured in place of estimated motion",
         .form = ToolOption::Form::Words,
         .givesMotion = true,
         .set = setting<FieldsTool>(setFiles),
         .get =
             getting<FieldsTool>([](const FieldsTool& tool) { return unlessEmpty(tool.files); })});
    options.push_back({.name = "field-convention",
                       .help = fieldConventionHelp(),
                       .choices = fieldConventionNames(),
                       .needs = {"fields"},
                       .givesMotion = true,
                       .set = setting<FieldsTool>([](FieldsTool& tool, const OptionValues& values) {
                           tool.convention = values.front();
                       }),
                       .get = getting<FieldsTool>([](const FieldsTool& tool) {
                           return tool.files.empty() || tool.convention == convinceByImages
                                      ? std::nullopt
                                      : std::optional(OptionValues{tool.convention});
                       })});
    return {{"fields", "Displacement fields of another program as the motion", std::move(options)}};
}

} // namespace systole
