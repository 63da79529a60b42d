// The feature landmarks: its parts, for the list of features.
#include "app/cli/command.h"
#include "app/feature/feature.h"
#include "app/features/landmarks/landmark_parameters.h"

namespace systole {

#ifdef SYSTOLE_VIEWER
std::unique_ptr<Tool> makeLandmarkTool(Tools& tools); // landmark_tool.cpp
std::unique_ptr<Tool> makeWallTool(Tools& tools);     // landmark_tool.cpp
std::vector<ToolOptionGroup> landmarkOptions();       // landmark_options.cpp
#endif
std::unique_ptr<Command> makeLandmarksCommand();

const Feature& landmarksFeature() {
    static const Feature feature{
        .tasks = {detectionTask, trackingTask, wallTask},
        .commands = {makeLandmarksCommand},
#ifdef SYSTOLE_VIEWER
        .tools = {makeLandmarkTool, makeWallTool},
        .options = landmarkOptions,
#endif
    };
    return feature;
}

} // namespace systole
