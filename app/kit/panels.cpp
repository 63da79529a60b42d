#include "app/kit/panels.h"

#include "app/base/error.h"
#include "app/feature/tools.h"
#include "app/session/session.h"
#include "compute/core/enum_text.h"

#include <algorithm>
#include <utility>

namespace systole {

Panels makePanels(const Tools& tools) {
    Panels panels;
    panels.push_back(makeTimingPanel());
    panels.push_back(makeParametersPanel());
    panels.push_back(makeComparePanel());
    panels.push_back(makeOccupancyPanel());
    panels.push_back(makeDeviceMemoryPanel());
    for (const auto& tool : tools)
        if (std::unique_ptr<Panel> panel = tool->panel())
            panels.push_back(std::move(panel));
    panels.push_back(makeViewPanel());
    std::ranges::stable_sort(panels, {}, [](const auto& panel) { return panel->group(); });
    return panels;
}

const char* name(PanelGroup group) {
    return enumText(group, {"Display", "Analysis", "Performance and teaching"});
}

bool kernelTimesWanted(const Panels& panels) {
    return std::ranges::any_of(panels, [](const auto& panel) {
        return panel->shown && panel->open && panel->needsKernelTimes();
    });
}

Panel* widePanel(const Panels& panels) {
    Panel* wide = nullptr;
    for (const auto& panel : panels)
        if (panel->shown && panel->open && panel->wideShare() > 0 &&
            (!wide || panel->opened > wide->opened))
            wide = panel.get();
    return wide;
}

std::string panelTitles() {
    Session session;
    const Tools tools(session);
    std::string titles;
    for (const auto& panel : makePanels(tools))
        titles += (titles.empty() ? "" : ", ") + std::string(panel->title());
    return titles;
}

Panel& findPanel(Panels& panels, const std::string& title) {
    for (const auto& panel : panels)
        if (title == panel->title() || (panel->formerTitle() && title == panel->formerTitle()))
            return *panel;
    throw UsageError("--panel: unknown panel '" + title + "'; available: " + panelTitles());
}

Panel& openPanels(Panels& panels, const std::vector<std::string>& titles) {
    std::vector<Panel*> wanted;
    for (const std::string& title : titles)
        wanted.push_back(&findPanel(panels, title));
    for (const auto& panel : panels) {
        panel->keepInSight = false;
        panel->open = std::ranges::find(wanted, panel.get()) != wanted.end();
    }
    for (Panel* panel : wanted)
        panel->shown = true;
    wanted.front()->keepInSight = true;
    return *wanted.front();
}

} // namespace systole
