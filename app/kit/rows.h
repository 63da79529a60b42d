// Named figures of a panel: the same list is drawn and copied as text.
#pragma once

#include <string>
#include <vector>

namespace systole {

struct PanelRow {
    std::string name, value;
    std::string detail{}; ///< shown while the pointer is over the value; empty: nothing is
    bool warns = false;   ///< the value is in the color of warnings
};

/// Names on the left, values beside them, broken at the edge of the column.
void drawRows(const char* id, const std::vector<PanelRow>& rows, float nameWidth = 112);
/// "name\tvalue" a line.
std::string rowsText(const std::vector<PanelRow>& rows);

} // namespace systole
