// Parts of the Cardiac panel.
#pragma once

#include "app/features/cardiac/cardiac_tool.h"
#include "app/features/cardiac/ejection_ways.h"

#include <string>
#include <vector>

namespace systole {

/// Width of the widest label of strainTable(), with a gap, pixels: no slider covers a label.
float cardiacLabelWidth();
/// Definition of strain, segments, order, certainty, and what the labels of a file are.
void drawDefinition(CardiacTool& tool);
/// Every ejection fraction that is known: which is which.
void drawEjections(const std::vector<EjectionWay>& ways);
/// Ejection fractions as tab-separated text.
std::string ejectionTable(const std::vector<EjectionWay>& ways);

} // namespace systole
