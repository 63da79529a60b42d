#include "app/kit/rows.h"

#include "app/base/units.h"
#include "app/kit/tool_widgets.h"

namespace systole {

void drawRows(const char* id, const std::vector<PanelRow>& rows, float nameWidth) {
    if (!ImGui::BeginTable(id, 2, ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoPadOuterX))
        return;
    ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthFixed, nameWidth);
    ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
    for (const PanelRow& row : rows) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::TextDisabled("%s", row.name.c_str());
        ImGui::TableNextColumn();
        wrappedText(row.value, row.warns ? warningColor : plainColor());
        tooltip(row.detail);
    }
    ImGui::EndTable();
}

std::string rowsText(const std::vector<PanelRow>& rows) {
    std::string text;
    for (const PanelRow& row : rows)
        text += row.name + "\t" + plainSpaces(row.value) + "\n";
    return text;
}

} // namespace systole
