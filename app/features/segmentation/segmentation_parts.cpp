#include "app/features/segmentation/segmentation_parts.h"

#include "app/base/plural.h"
#include "app/kit/tool_widgets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

namespace systole {
namespace {

constexpr int maxRows = 8; ///< rows of the comparison, beyond which it scrolls

std::string nameOf(const std::string& path) {
    return std::filesystem::path(path).filename().string();
}

std::string numberText(int number) { return number > 0 ? fmt::format("{}", number) : "none"; }

/// The labels of the file as a list, of which one is chosen.
void drawRole(SegmentationTool& tool, const char* role, int ChamberNumbers::*of) {
    const ChamberNumbers now = tool.file.roles.value_or(ChamberNumbers{});
    std::vector<int> choices = tool.file.read->numbers;
    choices.insert(choices.begin(), 0);
    choiceRow(role, tool.file.roles ? numberText(now.*of) : "choose", choices, numberText,
              [&](int number) {
                  ChamberNumbers roles = now;
                  roles.*of = number;
                  int ChamberNumbers::*const other = of == &ChamberNumbers::chamber
                                                         ? &ChamberNumbers::wall
                                                         : &ChamberNumbers::chamber;
                  if (roles.*other == number)
                      roles.*other = 0;
                  if (!tool.file.roles || roles != now)
                      tool.setRoles(roles);
              });
    tooltip(fmt::format("Which label of the file is the {}.", role));
}

/// "0.93"; "–" where neither has the label.
std::string diceText(double dice) {
    return std::isfinite(dice) ? fmt::format("{:.3f}", dice) : "–";
}
std::string differenceText(double milliliters) {
    return std::isfinite(milliliters) ? fmt::format("{:+.1f}", milliliters) : "–";
}

void drawCells(const std::vector<std::string>& cells, const ImVec4& color) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
        ImGui::TableNextColumn();
        if (i > 0)
            textRight(cells[i], color);
        else
            ImGui::TextColored(color, "%s", cells[i].c_str());
    }
}

std::string detailText(const FrameAgreement& frame, const std::string& file) {
    const auto line = [](const char* name, const LabelAgreement& label) {
        return label.occurs() ? fmt::format("\n{}: {:.1f} ml, in the file {:.1f} ml", name,
                                            label.milliliters, label.inFile)
                              : fmt::format("\n{}: none", name);
    };
    return fmt::format("Frame {} against {}.{}{}\nClick: go to that frame.", frame.frame, file,
                       line("chamber", frame.chamber), line("wall", frame.wall));
}

void drawRows(const SegmentationTool& tool, Session& session,
              const std::vector<FrameAgreement>& frames) {
    for (const FrameAgreement& frame : frames) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        const bool isShown = frame.frame == session.shownFrame;
        if (ImGui::Selectable(fmt::format("{}##agreement", frame.frame).c_str(), isShown,
                              ImGuiSelectableFlags_SpanAllColumns)) {
            session.playback.pause();
            session.playback.seek(frame.frame);
        }
        tooltip(detailText(frame, tool.comparison.fileOf(frame.frame)));
        const auto cells = [](const LabelAgreement& label, bool counts) {
            for (const std::string& text :
                 {counts ? diceText(label.dice) : std::string("–"),
                  counts ? differenceText(label.difference()) : std::string("–")}) {
                ImGui::TableNextColumn();
                textRight(text, plainColor());
            }
        };
        cells(frame.chamber, frame.chamber.occurs());
        // A wall that only one of them has isn't compared.
        cells(frame.wall, frame.wall.milliliters > 0 && frame.wall.inFile > 0);
    }
}

} // namespace

std::string labelText(const SegmentationTool& tool, int label) {
    if (label == chamberLabel || label == wallLabel)
        return label == wallLabel ? "2  wall" : "1  chamber";
    const auto i = static_cast<std::size_t>(label);
    return i < tool.numbers().size()
               ? fmt::format("{}  label {} of the file", label, tool.numbers()[i])
               : fmt::format("{}", label);
}

int lastLabel(const SegmentationTool& tool) {
    return std::max<int>(wallLabel, static_cast<int>(tool.numbers().size()) - 1);
}

std::string numbersText(const SegmentationTool& tool) {
    if (tool.numbers().empty())
        return "1 chamber, 2 wall";
    return fmt::format("the numbers of the file that was opened, {} chamber, {} wall",
                       tool.numbers()[chamberLabel], tool.numbers()[wallLabel]);
}

void drawOpenedLabels(SegmentationTool& tool) {
    if (button("Open labels ...",
               "A label map of any program, of one frame or of every frame, to be corrected: on "
               "the grid of the image or on another one. Or drop it on this panel."))
        tool.chooseLabels();
    if (tool.reading()) {
        ImGui::SameLine();
        ImGui::AlignTextToFramePadding();
        ImGui::TextDisabled("reading ...");
    }
    if (!tool.file.read || !tool.file.opened)
        return;
    const OpenedLabels& read = *tool.file.read;
    wrappedText(fmt::format("{}: {} with labels {}", nameOf(read.path),
                            plural(std::ssize(read.frames), "frame"),
                            fmt::join(read.numbers, ", ")),
                dimColor());
    for (const std::string& note : read.notes)
        wrappedText(note, dimColor());
    if (!tool.file.roles)
        wrappedText("Which label is the chamber, and which its wall? The file doesn't show it.",
                    warningColor);
    drawRole(tool, "chamber", &ChamberNumbers::chamber);
    drawRole(tool, "wall", &ChamberNumbers::wall);
}

bool beginAgreementTable(int frames) {
    constexpr int heads = 2;
    const bool scrolls = frames > maxRows;
    const float row = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
    // The scroll bar stands beside the padding, not beside the numbers.
    const ImGuiTableFlags ends =
        scrolls ? ImGuiTableFlags_ScrollY | ImGuiTableFlags_PadOuterX : ImGuiTableFlags_NoPadOuterX;
    if (!ImGui::BeginTable("agreement", 5, ImGuiTableFlags_RowBg | ends,
                           {0, scrolls ? static_cast<float>(maxRows + heads) * row : 0}))
        return false;
    // The columns divide the width in proportion to their widest texts.
    for (const char* widest : {"frame", "chamber", "+00.0", "0.000", "+00.0"})
        ImGui::TableSetupColumn(widest, ImGuiTableColumnFlags_WidthStretch,
                                ImGui::CalcTextSize(widest).x);
    ImGui::TableSetupScrollFreeze(0, heads);
    ImGui::TableNextRow();
    drawCells({"frame", "chamber", "", "wall", ""}, dimColor());
    ImGui::TableNextRow();
    drawCells({"", "Dice", "ml", "Dice", "ml"}, dimColor());
    return true;
}

void drawComparison(SegmentationTool& tool, Session& session) {
    wrappedText("4  Compare it", plainColor());
    if (button("Compare with ...", "Dice and difference of the volumes against the labels of a "
                                   "file, as an expert's, of one frame or of every frame. An "
                                   "opened file is compared with by itself."))
        tool.chooseComparison();
    if (!tool.comparison.hasFile() && !(tool.file.read && !tool.file.opened))
        return;
    ImGui::SameLine();
    if (button("Forget", "The file's labels are no longer compared with."))
        return tool.forgetComparison();
    if (tool.file.read && !tool.file.opened) {
        for (const std::string& note : tool.file.read->notes)
            wrappedText(note, dimColor());
        drawRole(tool, "chamber", &ChamberNumbers::chamber);
        drawRole(tool, "wall", &ChamberNumbers::wall);
    }
    const std::vector<FrameAgreement> frames = tool.comparison.frames();
    if (frames.empty())
        return wrappedText("No frame has labels and is in the file.", dimColor());
    if (!beginAgreementTable(static_cast<int>(frames.size())))
        return;
    drawRows(tool, session, frames);
    const AgreementOverFrames chamber = tool.comparison.chamber(), wall = tool.comparison.wall();
    if (frames.size() > 1) {
        ImGui::TableNextRow();
        drawCells({"mean", diceText(chamber.dice), differenceText(chamber.difference),
                   diceText(wall.dice), differenceText(wall.difference)},
                  plainColor());
    }
    ImGui::EndTable();
    wrappedText("Difference in ml: these labels minus the file's, counted by voxels.", dimColor());
    for (const std::string& line : comparisonLines(tool.comparison))
        wrappedText(line, plainColor());
}

} // namespace systole
