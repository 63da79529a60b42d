#include "app/feature/panel.h"
#include "app/features/fields/fields_tool.h"
#include "app/kit/tool_widgets.h"

#include <fmt/format.h>
#include <imgui.h>

#include <filesystem>

namespace systole {
namespace {

class FieldsPanel : public Panel {
public:
    explicit FieldsPanel(FieldsTool& tool) : tool_(tool) {}
    const char* title() const override { return fieldsTitle; }

    void draw(Session& session) override {
        wrappedText("Displacement fields of another program, from the first frame to each other "
                    "one, in place of the motion that is estimated here.",
                    dimColor());
        const std::string missing =
            !session.opened ? "no sequence is open"
            : static_cast<int>(tool_.files.size()) + 1 >= session.opened->sequence.frames
                ? "every frame has its field"
                : "";
        if (actionButton("Add a field ...",
                         fmt::format("Opens the field from frame 0 to frame {}, the first that has "
                                     "none",
                                     tool_.files.size() + 1),
                         missing))
            tool_.add();
        ImGui::SameLine();
        if (actionButton("Remove all", "Removes all fields; the motion is then estimated here",
                         tool_.files.empty() ? "there are no fields" : ""))
            tool_.remove();
        std::vector<std::string> names{convinceByImages};
        for (const FieldConvention& convention : fieldConventions())
            names.emplace_back(convention.name);
        choiceRow(
            "convention", tool_.convention, names,
            [](const std::string& name) {
                const FieldConvention* const convention = findFieldConvention(name);
                return convention ? textOf(*convention)
                                  : std::string("auto: as the file says, or the frames prove");
            },
            [&](const std::string& name) { tool_.convention = name; });
        for (const std::string& line : lines(session))
            ImGui::TextWrapped("%s", line.c_str());
        drawTrials();
    }

    std::string text(const Session& session) const override {
        std::string text;
        for (const std::string& line : lines(session))
            text += line + "\n";
        for (const std::string& line : trials())
            text += line + "\n";
        return text.empty() ? "no fields are given\n" : text;
    }

private:
    /// Agreement of the frames under the motion of each reading of the fields.
    std::vector<std::string> trials() const {
        std::vector<std::string> lines;
        if (const FieldReading* reading = tool_.reading())
            for (const ConventionTrial::Score& score : reading->scores)
                lines.push_back(fmt::format("{}: frames correlate by {:.3f}", score.reading.text(),
                                            score.correlation));
        return lines;
    }

    /// Folded: the sentence above says what follows from them.
    void drawTrials() const {
        const std::vector<std::string> lines = trials();
        if (lines.empty() || !ImGui::TreeNode("All conventions, by the images"))
            return;
        for (const std::string& line : lines)
            wrappedText(line, dimColor());
        ImGui::TreePop();
    }

    std::vector<std::string> lines(const Session& session) const {
        std::vector<std::string> lines;
        if (tool_.reads())
            lines.emplace_back("reading fields ...");
        if (!tool_.failure.empty())
            lines.push_back(tool_.failure);
        if (const FieldReading* reading = tool_.reading())
            lines.push_back(fmt::format("{} ({})", textOf(*reading->convention), reading->basis));
        const int given = static_cast<int>(tool_.files.size()),
                  needed = session.opened ? session.opened->sequence.frames - 1 : 0;
        if (given > 0 && given < needed)
            lines.push_back(fmt::format("{} of {} fields: until every frame has one, the motion is "
                                        "estimated here",
                                        given, needed));
        for (std::size_t i = 0; i < tool_.files.size(); ++i)
            lines.push_back(fmt::format("frame {}: {}", i + 1,
                                        std::filesystem::path(tool_.files[i]).filename().string()));
        return lines;
    }

    FieldsTool& tool_;
};

} // namespace

std::unique_ptr<Panel> FieldsTool::panel() { return std::make_unique<FieldsPanel>(*this); }

} // namespace systole
