// Options of the landmarks: --landmarks and so on.
#include "app/base/error.h"
#include "app/cli/text_parts.h"
#include "app/feature/tool_options.h"
#include "app/features/landmarks/landmark_tool.h"

#include <fmt/format.h>

namespace systole {
namespace {

void checkTogether(const std::function<bool(const std::string& name)>& given) {
    if (!given("landmarks") && !given("landmarks-detect") &&
        (given("landmark-reference") || given("landmark-wall") || given("landmarks-set")))
        throw UsageError("--landmark-reference, --landmark-wall and --landmarks-set require "
                         "--landmarks or --landmarks-detect");
}

/// `get` of options that belong to landmarks that are shown.
template <typename Get>
auto whileThere(Get get) {
    return getting<LandmarkTool>([get](const LandmarkTool& tool) -> std::optional<OptionValues> {
        return tool.detected || !tool.openedFile().empty() ? get(tool) : std::nullopt;
    });
}

} // namespace

/// Long because it is a table: a row for each option.
std::vector<ToolOptionGroup> landmarkOptions() {
    const std::vector<std::string> drawn{"landmarks", "lost-landmarks"};
    const std::vector<std::string> shown{"landmarks"};
    std::vector<ToolOption> options;
    options.push_back(
        {.name = "landmark-wall",
         .help = "Label map of the frame in which they begin: points in its wall move with an "
                 "elastic body, as by 'systole landmarks track --elastic-wall'",
         .shows = shown,
         .set = setting<LandmarkTool>([](LandmarkTool& tool, const OptionValues& values) {
             tool.wall.file = values.front();
             tool.parameters.set("elastic-wall", std::string("file"));
         }),
         .get = whileThere([](const LandmarkTool& tool) {
             return wallOrigin(tool.parameters) == WallOrigin::File && !tool.wall.file.empty()
                        ? std::optional(OptionValues{tool.wall.file})
                        : std::nullopt;
         })});
    options.push_back(
        {.name = "landmarks-set",
         .help = "NAME=VALUE: a parameter of detection, tracking or wall, by the names of the "
                 "options of 'systole landmarks detect' and 'landmarks track', reach in mm; "
                 "elastic-wall=segmentation takes the wall of --segment, within=wall finds points "
                 "in the wall alone",
         .form = ToolOption::Form::Repeatable,
         .shows = shown,
         .set = setting<LandmarkTool>([](LandmarkTool& tool, const OptionValues& values) {
             for (const std::string& text : values)
                 assignParameter(tool.parameters, text, "--landmarks-set");
         }),
         .get = whileThere([](const LandmarkTool& tool) {
             return unlessEmpty(changedParameters(tool.parameters, ParamSet(landmarkTable())));
         })});
    options.push_back(
        {.name = "landmarks",
         .help = "Points of one frame, which are followed through the others, or tracks, which "
                 "are shown as they are",
         .draws = drawn,
         .shows = shown,
         .set = setting<LandmarkTool>(
             [](LandmarkTool& tool, const OptionValues& values) { tool.openFile(values.front()); }),
         .get = whileThere([](const LandmarkTool& tool) {
             return tool.openedFile().empty() ? std::nullopt
                                              : std::optional(OptionValues{tool.openedFile()});
         })});
    options.push_back(
        {.name = "landmarks-detect",
         .help = "Find points, and follow them",
         .form = ToolOption::Form::Switch,
         .excludes = {"landmarks"},
         .draws = drawn,
         .shows = shown,
         .set = setting<LandmarkTool>([](LandmarkTool& tool, const OptionValues&) { tool.find(); }),
         .get = whileThere([](const LandmarkTool& tool) { return switchedOn(tool.detected); })});
    options.push_back(
        {.name = "landmarks-frame",
         .help = "Frame to find them in [default: the one shown]",
         .form = ToolOption::Form::Numbers,
         .minimum = 0,
         .maximum = 1e6,
         .whole = true,
         .needs = {"landmarks-detect"},
         .set = setting<LandmarkTool>([](LandmarkTool& tool, const OptionValues& values) {
             tool.find(static_cast<int>(numberOf(values.front())));
         }),
         .get = whileThere([](const LandmarkTool& tool) -> std::optional<OptionValues> {
             if (!tool.detected)
                 return std::nullopt;
             return OptionValues{fmt::format("{}", tool.points->frame)};
         })});
    options.push_back(
        {.name = "landmark-reference",
         .help = "Reference tracks for errors, .csv or .mrk.json, matched by name, else by order",
         .shows = shown,
         .set = setting<LandmarkTool>([](LandmarkTool& tool, const OptionValues& values) {
             tool.compareWith(values.front());
         }),
         .get = whileThere([](const LandmarkTool& tool) {
             return tool.expertFile.empty() ? std::nullopt
                                            : std::optional(OptionValues{tool.expertFile});
         })});
    return {{"landmarks", "Landmarks over the frames, as by 'systole landmarks'",
             std::move(options), checkTogether}};
}

} // namespace systole
