#include "app/features/ruler/ruler_tool.h"

#include <fmt/format.h>

namespace systole {
namespace {

std::string textOf(const RulerTool::Ends& ends) {
    return fmt::format("{:.1f} mm", length((*ends)[1] - (*ends)[0]));
}

} // namespace

std::vector<Action> RulerTool::actions() {
    return {{"&Measure a distance", "L", [this] { takeInHand(); },
             [this] { return session().opened ? "" : "no file is open"; },
             [this] { return inHand(); }},
            {"&Remove the distance", "Shift+L", [this] { set(std::nullopt); },
             [this] { return ends ? "" : "nothing is measured"; }}};
}

void RulerTool::show(SceneContribution& scene) const {
    if (ends)
        scene.marks.push_back({.position = (*ends)[0], .to = (*ends)[1], .text = textOf(ends)});
}

std::string RulerTool::caption() const { return ends ? "distance " + textOf(ends) : ""; }

std::unique_ptr<Tool> makeRulerTool(Tools& tools) { return std::make_unique<RulerTool>(tools); }

} // namespace systole
