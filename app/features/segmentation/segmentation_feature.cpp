// The feature segmentation: its parts, for the list of features.
#include "app/cli/command.h"
#include "app/feature/feature.h"
#include "app/features/segmentation/segment_run.h"

namespace systole {

#ifdef SYSTOLE_VIEWER
std::unique_ptr<Tool> makeSegmentationTool(Tools& tools); // segmentation_tool.cpp
std::vector<ToolOptionGroup> segmentationOptions();       // segmentation_options.cpp
#endif
std::unique_ptr<Command> makeSegmentCommand();

const Feature& segmentationFeature() {
    static const Feature feature{
        .tasks = {segmentTask},
        .commands = {makeSegmentCommand},
#ifdef SYSTOLE_VIEWER
        .tools = {makeSegmentationTool},
        .options = segmentationOptions,
#endif
    };
    return feature;
}

} // namespace systole
