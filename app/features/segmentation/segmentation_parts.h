// Widgets of the Segment panel for labels from files.
#pragma once

#include "app/features/segmentation/segmentation_tool.h"

#include <string>

namespace systole {

/// "1  chamber", "4  label 205 of the file"
std::string labelText(const SegmentationTool& tool, int label);
/// The last label that can be edited; the labels of an opened file are numbered from chamberLabel
/// on.
int lastLabel(const SegmentationTool& tool);
/// "1 chamber, 2 wall", or the numbers that the opened file has for them.
std::string numbersText(const SegmentationTool& tool);

/// The button that opens labels, what was read, and which of its labels are chamber and wall.
void drawOpenedLabels(SegmentationTool& tool);
/// The labels against those of the file: a row per frame, and over all.
void drawComparison(SegmentationTool& tool, Session& session);
/// Its table of so many frames with the head, which ImGui::EndTable() ends; false: it isn't seen.
bool beginAgreementTable(int frames);

} // namespace systole
