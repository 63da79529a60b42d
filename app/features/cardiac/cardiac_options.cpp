// Options of the Cardiac panel: --cardiac and so on.
#include "app/base/seed_points.h"
#include "app/cli/text_parts.h"
#include "app/feature/tool_options.h"
#include "app/features/cardiac/cardiac_tool.h"

#include <fmt/format.h>

namespace systole {
namespace {

constexpr const char *ofSegmentation = "segmentation", *ofPoints = "points";

std::vector<std::string> quantityNames() {
    std::vector<std::string> names;
    for (const BullsEyeQuantity& quantity : bullsEyeQuantities())
        names.emplace_back(quantity.name);
    return names;
}

/// `get` of options that say something only while a heart is measured.
template <typename Get>
auto whileMeasured(Get get) {
    return getting<CardiacTool>([get](const CardiacTool& tool) -> std::optional<OptionValues> {
        return tool.from != HeartLabels::None ? get(tool) : std::nullopt;
    });
}

} // namespace

/// Long because it is a table: a row for each option.
std::vector<ToolOptionGroup> cardiacOptions() {
    std::vector<ToolOption> options;
    options.push_back(
        {.name = "cardiac",
         .help = "Label map of the first frame, or 'segmentation', or 'points' (with "
                 "--cardiac-points): cavity and wall of the Cardiac panel",
         .draws = {"strain"},
         .set = setting<CardiacTool>([](CardiacTool& tool, const OptionValues& values) {
             if (values.front() == ofSegmentation)
                 tool.choose(HeartLabels::Segmentation);
             else if (values.front() == ofPoints)
                 tool.choose(HeartLabels::Points);
             else
                 tool.openFile(values.front());
         }),
         .get = whileMeasured([](const CardiacTool& tool) -> std::optional<OptionValues> {
             switch (tool.from) {
             case HeartLabels::Segmentation:
                 return OptionValues{ofSegmentation};
             case HeartLabels::Points:
                 return OptionValues{ofPoints};
             default:
                 return OptionValues{tool.file};
             }
         })});
    options.push_back(
        {.name = "cardiac-points",
         .help = "APEX;MITRAL;RV, each x,y,z in LPS mm, in the first frame (quote it for the "
                 "shell): apex of the cavity, middle of the mitral ring, and where the wall of the "
                 "right ventricle joins that of the left in front",
         .needs = {"cardiac"},
         .set = setting<CardiacTool>([](CardiacTool& tool, const OptionValues& values) {
             tool.points.clear();
             for (const Vec3& point : ventriclePoints(values.front(), "--cardiac-points"))
                 tool.points.push_back({point, 0});
         }),
         .get = whileMeasured([](const CardiacTool& tool) -> std::optional<OptionValues> {
             const std::vector<Vec3> points = tool.pointsAtReference();
             if (points.size() != CardiacTool::pointsNeeded)
                 return std::nullopt;
             std::string text;
             for (const Vec3& point : points)
                 text += fmt::format("{}{},{},{}", text.empty() ? "" : ";", exactText(point.x),
                                     exactText(point.y), exactText(point.z));
             return OptionValues{text};
         })});
    options.push_back(
        {.name = "cardiac-set",
         .help = "NAME=VALUE: a parameter by the names of the options of 'systole strain'",
         .form = ToolOption::Form::Repeatable,
         .needs = {"cardiac"},
         .set = setting<CardiacTool>([](CardiacTool& tool, const OptionValues& values) {
             for (const std::string& text : values)
                 assignParameter(tool.parameters, text, "--cardiac-set");
             tool.markAsNamed();
         }),
         .get = whileMeasured([](const CardiacTool& tool) {
             return unlessEmpty(changedParameters(tool.parameters, ParamSet(strainTable())));
         })});
    options.push_back(
        {.name = "cardiac-show",
         .help = "Quantity that the bull's-eye shows",
         .choices = quantityNames(),
         .needs = {"cardiac"},
         .set = setting<CardiacTool>([](CardiacTool& tool, const OptionValues& values) {
             tool.quantity =
                 static_cast<int>(&bullsEyeQuantity(values.front()) - bullsEyeQuantities().data());
         }),
         .get = whileMeasured([](const CardiacTool& tool) -> std::optional<OptionValues> {
             if (tool.quantity == 0)
                 return std::nullopt;
             return OptionValues{tool.shownQuantity().name};
         })});
    options.push_back(
        {.name = "cardiac-segment",
         .help = "Highlight a segment, from 1",
         .form = ToolOption::Form::Numbers,
         .minimum = 1,
         .maximum = static_cast<double>(cardiac::ahaSegments(cardiac::AhaModel::Eighteen)),
         .whole = true,
         .needs = {"cardiac"},
         .draws = {"surface", "contours"},
         .shows = {"surface", "contours"},
         .set = setting<CardiacTool>([](CardiacTool& tool, const OptionValues& values) {
             tool.select(static_cast<int>(numberOf(values.front())));
         }),
         .get = whileMeasured([](const CardiacTool& tool) -> std::optional<OptionValues> {
             if (tool.selected() == 0)
                 return std::nullopt;
             return OptionValues{fmt::format("{}", tool.selected())};
         })});
    return {{"cardiac", "The left ventricle by its motion, as by 'systole strain'",
             std::move(options)}};
}

std::unique_ptr<Tool> makeCardiacTool(Tools& tools) { return std::make_unique<CardiacTool>(tools); }

} // namespace systole
