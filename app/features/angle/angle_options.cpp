// Options of the angle: --angle.
#include "app/feature/tool_options.h"
#include "app/features/angle/angle_tool.h"

namespace systole {

std::vector<ToolOptionGroup> angleOptions() {
    ToolOption angle{
        .name = "angle",
        .help = "x,y,z four times, separated by commas: ends of two lines, LPS mm, between which "
                "the angle is measured",
        .form = ToolOption::Form::Numbers,
        .count = 12,
        .set = setting<AngleTool>([](AngleTool& tool, const OptionValues& values) {
            const std::vector<Vec3> ends = pointsOf(values);
            tool.set({{ends[0], ends[1]}, {ends[2], ends[3]}});
        }),
        .get = getting<AngleTool>([](const AngleTool& tool) -> std::optional<OptionValues> {
            const AngleTool::Lines& lines = tool.lines();
            if (lines.size() != 2)
                return std::nullopt;
            return numbersOf({lines[0][0], lines[0][1], lines[1][0], lines[1][1]});
        })};
    return {{"angle", "An angle measured on the slices", {std::move(angle)}}};
}

} // namespace systole
