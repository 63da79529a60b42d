// The ruler: the distance between two points on the slices. A drag measures, or moves an end.
#pragma once

#include "app/feature/line_tool.h"

namespace systole {

class RulerTool : public LineTool {
public:
    explicit RulerTool(Tools& tools) : LineTool(tools, "distance") {}

    ToolName name() const override { return {"ruler", "Ruler"}; }
    std::vector<Action> actions() override;
    void show(SceneContribution& scene) const override;
    std::string caption() const override;
};

} // namespace systole
