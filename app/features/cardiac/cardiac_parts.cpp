#include "app/features/cardiac/cardiac_parts.h"

#include "app/features/cardiac/bulls_eye.h"
#include "app/kit/tool_widgets.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

namespace systole {
namespace {

/// One of the file's labels, or 0: it is found.
void drawFileLabel(CardiacTool& tool, const ParamRow& row) {
    const cardiac::LabelRoles& roles = tool.roles();
    const int found = row.id == "cavity-label" ? roles.cavity
                      : row.id == "wall-label" ? roles.wall
                                               : roles.rightVentricle;
    const auto text = [&](int label) {
        return label > 0   ? fmt::format("{}", label)
               : found > 0 ? fmt::format("found: {}", found)
                           : std::string("found");
    };
    std::vector<int> choices = tool.fileLabels();
    choices.insert(choices.begin(), 0);
    choiceRow(
        row.label().c_str(), text(tool.parameters.integer(row.id)), choices, text,
        [&](int label) { tool.parameters.set(row.id, label); }, cardiacLabelWidth());
    tooltip(row.help);
}

} // namespace

float cardiacLabelWidth() {
    float width = 0;
    for (const ParamRow& row : strainTable().rows())
        width = std::max(width, ImGui::CalcTextSize(row.label().c_str()).x);
    return width + 2 * ImGui::GetStyle().ItemSpacing.x;
}

void drawDefinition(CardiacTool& tool) {
    for (const ParamRow& row : strainTable().rows()) {
        const bool ofFile = row.id.ends_with("-label");
        if (row.id == "end-diastole" || row.id == "end-systole" || row.id == "close-cycle" ||
            (ofFile && tool.from != HeartLabels::File))
            continue;
        if (ofFile) {
            drawFileLabel(tool, row);
            continue;
        }
        ParamValue value = tool.parameters.value(row.id);
        if (parameterRow(row, value, row.help, cardiacLabelWidth()))
            tool.parameters.set(row.id, std::move(value));
    }
    const auto& chosen = cardiac::strainDefinition(tool.parameters.choice("definition"));
    wrappedText(chosen.meaning, dimColor());
    tooltip(chosen.paper);
}

void drawEjections(const std::vector<EjectionWay>& ways) {
    if (!ImGui::TreeNodeEx("Ejection fractions", ImGuiTreeNodeFlags_DefaultOpen))
        return;
    for (const EjectionWay& way : ways) {
        wrappedText(fmt::format("{} %  {}", figureText(way.percent, 1), way.way), plainColor());
        tooltip(way.meaning);
        wrappedText(fmt::format("{} ml in frame {}, {} ml in frame {}", figureText(way.largest, 1),
                                way.diastole, figureText(way.smallest, 1), way.systole),
                    dimColor());
    }
    wrappedText("Carried ones follow the wall of one frame by the motion; labels of each frame "
                "need none. They differ where the motion or the labels are off.",
                dimColor());
    ImGui::TreePop();
}

std::string ejectionTable(const std::vector<EjectionWay>& ways) {
    std::string text = "ejection fraction\t%\tlargest, ml\tframe\tsmallest, ml\tframe\n";
    for (const EjectionWay& way : ways)
        text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", way.way, figureText(way.percent, 1),
                            figureText(way.largest, 1), way.diastole, figureText(way.smallest, 1),
                            way.systole);
    return text;
}

} // namespace systole
