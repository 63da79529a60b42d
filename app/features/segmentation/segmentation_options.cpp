// Options of the segmentation: --segment and so on.
#include "app/base/error.h"
#include "app/base/seed_points.h"
#include "app/cli/text_parts.h"
#include "app/feature/tool_options.h"
#include "app/features/segmentation/segmentation_tool.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace systole {
namespace {

constexpr const char *ofWall = "wall", *ofInWall = "in-wall";

std::string textOf(Vec3 point) {
    return fmt::format("{},{},{}", exactText(point.x), exactText(point.y), exactText(point.z));
}

/// `get` of options that belong to points.
template <typename Get>
auto withSeeds(Get get) {
    return getting<SegmentationTool>(
        [get](const SegmentationTool& tool) -> std::optional<OptionValues> {
            return tool.labels.labelled() > 0 && tool.seeds.size() == tool.seedsNeeded()
                       ? get(tool)
                       : std::nullopt;
        });
}

ToolOption switchOf(const char* name, const char* help, const char* parameter) {
    return {.name = name,
            .help = help,
            .form = ToolOption::Form::Switch,
            .set =
                setting<SegmentationTool>([parameter](SegmentationTool& tool, const OptionValues&) {
                    tool.parameters.set(parameter, true);
                }),
            .get = withSeeds([parameter](const SegmentationTool& tool) {
                return switchedOn(tool.parameters.isOn(parameter));
            })};
}

void checkTogether(const std::function<bool(const std::string& name)>& given) {
    if (!given("segment") && !given("segment-points") &&
        (given("segment-voxel") || given("segment-wall") || given("segment-all") ||
         given("segment-set") || given("segment-frame")))
        throw UsageError("--segment-voxel, --segment-wall and --segment-all require --segment "
                         "or --segment-points");
}

} // namespace

/// Long because it is a table: a row for each option.
std::vector<ToolOptionGroup> segmentationOptions() {
    const std::vector<std::string> drawn{"surface", "contours"};
    std::vector<ToolOption> options;
    options.push_back(
        {.name = "segment",
         .help = "x,y,z: a point inside a chamber, in LPS mm",
         .draws = drawn,
         .shows = drawn,
         .set = setting<SegmentationTool>([](SegmentationTool& tool, const OptionValues& values) {
             tool.byPoints = false;
             tool.seeds = {parsePoint(values.front(), "--segment")};
             tool.showSurface();
         }),
         .get = withSeeds([](const SegmentationTool& tool) {
             return tool.byPoints ? std::nullopt
                                  : std::optional(OptionValues{textOf(tool.seeds.front())});
         })});
    options.push_back(switchOf(
        "segment-in-wall", "The point is in the wall of the chamber; both are labelled", ofInWall));
    options.back().needs = {"segment"};
    options.push_back(
        {.name = "segment-points",
         .help = "APEX;MITRAL;RV, each x,y,z in LPS mm (quote it for the shell): apex of the left "
                 "ventricle's cavity, middle of the mitral ring, and where the wall of the right "
                 "ventricle joins that of the left",
         .excludes = {"segment"},
         .draws = drawn,
         .shows = drawn,
         .set = setting<SegmentationTool>([](SegmentationTool& tool, const OptionValues& values) {
             const auto three = ventriclePoints(values.front(), "--segment-points");
             tool.byPoints = true;
             tool.seedsOfFile = namesPointsFile(values.front());
             tool.seeds.assign(three.begin(), three.end());
             tool.showSurface();
         }),
         .get = withSeeds([](const SegmentationTool& tool) -> std::optional<OptionValues> {
             if (!tool.byPoints)
                 return std::nullopt;
             return OptionValues{fmt::format("{};{};{}", textOf(tool.seeds[0]),
                                             textOf(tool.seeds[1]), textOf(tool.seeds[2]))};
         })});
    options.push_back(
        {.name = "segment-voxel",
         .help = "Points are voxels, counted from 0, instead of mm",
         .form = ToolOption::Form::Switch,
         .set = setting<SegmentationTool>([](SegmentationTool& tool, const OptionValues&) {
             if (tool.seedsOfFile)
                 throw UsageError("--segment-voxel: the points of a file are mm");
             tool.seedsInVoxels = true;
         })});
    options.push_back(
        {.name = "segment-frame",
         .help = "Frame of the points [default: the one shown]",
         .form = ToolOption::Form::Numbers,
         .minimum = 0,
         .maximum = 1e6,
         .whole = true,
         .set = setting<SegmentationTool>([](SegmentationTool& tool, const OptionValues& values) {
             tool.startFrame = static_cast<int>(numberOf(values.front()));
         }),
         .get = withSeeds([](const SegmentationTool& tool) {
             return std::optional(OptionValues{fmt::format("{}", tool.seedFrame)});
         })});
    options.push_back(switchOf("segment-wall", "Also label the wall around the chamber", ofWall));
    options.push_back(
        {.name = "segment-all",
         .help = "Segment every frame, beginning with the one shown; each starts from the contour "
                 "of the one beside it",
         .form = ToolOption::Form::Switch,
         .set = setting<SegmentationTool>(
             [](SegmentationTool& tool, const OptionValues&) { tool.allFrames = true; }),
         .get =
             withSeeds([](const SegmentationTool& tool) { return switchedOn(tool.total > 1); })});
    options.push_back(
        {.name = "segment-set",
         .help = "NAME=VALUE: a parameter by the names of the options of 'systole segment'",
         .form = ToolOption::Form::Repeatable,
         .set = setting<SegmentationTool>([](SegmentationTool& tool, const OptionValues& values) {
             for (const std::string& text : values)
                 assignParameter(tool.parameters, text, "--segment-set");
         }),
         .get = withSeeds([](const SegmentationTool& tool) {
             return unlessEmpty(
                 changedParameters(tool.parameters, ParamSet(segmentTable()), {ofWall, ofInWall}));
         })});
    options.push_back(
        {.name = "labels",
         .help = "Label map of one frame or of every frame: its labels are those of the "
                 "segmentation, to be shown and corrected",
         .excludes = {"segment", "segment-points"},
         .draws = drawn,
         .shows = drawn,
         .set = setting<SegmentationTool>([](SegmentationTool& tool, const OptionValues& values) {
             tool.chosenLabels = values.front();
             tool.showSurface();
         }),
         .get = getting<SegmentationTool>(
             [](const SegmentationTool& tool) -> std::optional<OptionValues> {
                 return tool.file.read && tool.file.opened && tool.labels.labelled() > 0
                            ? std::optional(OptionValues{tool.file.read->path})
                            : std::nullopt;
             })});
    return {{"segmentation", "A segmentation of the frame shown, as by 'systole segment'",
             std::move(options), checkTogether}};
}

} // namespace systole
