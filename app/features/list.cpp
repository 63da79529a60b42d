// The one list of the tools.
#include "app/feature/tools.h"
#include "app/features/bias/bias_tool.h"
#include "app/features/cardiac/cardiac_tool.h"
#include "app/features/fields/fields_tool.h"
#include "app/features/laboratory/laboratory_tool.h"
#include "app/features/landmarks/landmark_tool.h"
#include "app/features/landmarks/wall_tool.h"
#include "app/features/profile/profile_tool.h"
#include "app/features/registration/registration_tool.h"
#include "app/features/ruler/ruler_tool.h"
#include "app/features/segmentation/segmentation_tool.h"
#include "app/features/surface/surface_tool.h"

namespace systole {

std::vector<std::unique_ptr<Tool>> makeTools(Tools& tools) {
    std::vector<std::unique_ptr<Tool>> list;
    list.push_back(std::make_unique<RegistrationTool>(tools));
    list.push_back(std::make_unique<BiasTool>(tools));
    list.push_back(std::make_unique<FieldsTool>(tools)); // before what measures motion
    list.push_back(std::make_unique<SegmentationTool>(tools));
    list.push_back(std::make_unique<SurfaceTool>(tools));
    list.push_back(std::make_unique<CardiacTool>(tools)); // its segment in place of the surface
    list.push_back(std::make_unique<LandmarkTool>(tools));
    list.push_back(std::make_unique<WallTool>(tools)); // moves what the landmarks have found
    list.push_back(std::make_unique<RulerTool>(tools));
    list.push_back(std::make_unique<ProfileTool>(tools));
    list.push_back(std::make_unique<LaboratoryTool>(tools));
    return list;
}

} // namespace systole
