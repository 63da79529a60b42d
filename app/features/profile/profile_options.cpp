// Options of the time profile: --profile.
#include "app/feature/tool_options.h"
#include "app/features/profile/profile_tool.h"

namespace systole {

std::vector<ToolOptionGroup> profileOptions() {
    ToolOption line = lineOption("profile", "x,y,z,x,y,z: ends of a line, LPS mm, whose time "
                                            "profile (M-mode) is drawn in the panel Time profile");
    line.panel = profileTitle;
    return {{"profile", "Gray values along a line over time", {std::move(line)}}};
}

} // namespace systole
