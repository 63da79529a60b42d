// The feature segmentation: its parts, for the list of features.
#include "app/cli/command.h"
#include "app/feature/feature.h"
#include "app/features/segmentation/segment_run.h"

namespace systole {

#ifdef SYSTOLE_VIEWER
std::vector<std::unique_ptr<Tool>> segmentationTools(Tools& tools); // segmentation_tool.cpp
std::vector<ToolOptionGroup> segmentationOptions();                 // segmentation_options.cpp
#endif
std::unique_ptr<Command> makeSegmentCommand();
namespace {

std::vector<const Task*> tasks() { return {&segmentTask()}; }

std::vector<std::unique_ptr<Command>> commands() {
    std::vector<std::unique_ptr<Command>> made;
    made.push_back(makeSegmentCommand());
    return made;
}

} // namespace

const Feature& segmentationFeature() {
    static const Feature feature{
        .tasks = tasks,
        .commands = commands,
#ifdef SYSTOLE_VIEWER
        .tools = segmentationTools,
        .options = segmentationOptions,
#endif
    };
    return feature;
}

} // namespace systole
