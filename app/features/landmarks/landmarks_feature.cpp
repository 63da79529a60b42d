// The feature landmarks: its parts, for the list of features.
#include "app/cli/command.h"
#include "app/feature/feature.h"
#include "app/features/landmarks/landmark_parameters.h"

namespace systole {

#ifdef SYSTOLE_VIEWER
std::vector<std::unique_ptr<Tool>> landmarksTools(Tools& tools); // landmark_tool.cpp
std::vector<ToolOptionGroup> landmarkOptions();                  // landmark_options.cpp
#endif
std::unique_ptr<Command> makeLandmarksCommand();
namespace {

std::vector<const Task*> tasks() { return {&detectionTask(), &trackingTask(), &wallTask()}; }

std::vector<std::unique_ptr<Command>> commands() {
    std::vector<std::unique_ptr<Command>> made;
    made.push_back(makeLandmarksCommand());
    return made;
}

} // namespace

const Feature& landmarksFeature() {
    static const Feature feature{
        .tasks = tasks,
        .commands = commands,
#ifdef SYSTOLE_VIEWER
        .tools = landmarksTools,
        .options = landmarkOptions,
#endif
    };
    return feature;
}

} // namespace systole
