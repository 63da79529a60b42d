// Options of the ruler: --ruler.
#include "app/feature/tool_options.h"
#include "app/features/ruler/ruler_tool.h"

namespace systole {

std::vector<ToolOptionGroup> rulerOptions() {
    return {{"ruler",
             "Measured on the slices",
             {lineOption("ruler", "x,y,z,x,y,z: ends of a distance, LPS mm")}}};
}

} // namespace systole
