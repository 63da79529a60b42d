// Options of the surface over the frames: --surface and so on.
#include "app/base/error.h"
#include "app/cli/text_parts.h"
#include "app/feature/tool_options.h"
#include "app/features/surface/surface_tool.h"

#include <fmt/format.h>

namespace systole {
namespace {

constexpr const char* usualPreset = "live";

template <typename Set>
auto byUser(Set set) {
    return setting<SurfaceTool>([set](SurfaceTool& tool, const OptionValues& values) {
        set(tool.choice, values);
        ++tool.choice.revision;
    });
}

/// `get` of options that say something only while there is a surface.
template <typename Get>
auto whileOn(Get get) {
    return getting<SurfaceTool>([get](const SurfaceTool& tool) {
        return tool.choice.isOn() ? get(tool.choice) : std::nullopt;
    });
}

void checkTogether(const std::function<bool(const std::string& name)>& given) {
    const bool segmented = given("segment") || given("segment-points") || given("labels");
    const bool source = given("surface") || given("surface-threshold");
    if (given("surface-preset") && !given("surface-denoise"))
        throw UsageError("--surface-preset requires --surface-denoise");
    if (segmented && (source || given("surface-per-frame")))
        throw UsageError("--segment: its surface takes the place of --surface, --surface-threshold "
                         "and --surface-per-frame");
    if (!source && !segmented && (given("surface-per-frame") || given("surface-denoise")))
        throw UsageError("--surface-per-frame and --surface-denoise require --surface, "
                         "--surface-threshold or --segment");
}

} // namespace

/// Long because it is a table: a row for each option.
std::vector<ToolOptionGroup> surfaceOptions() {
    const std::vector<std::string> drawn{"surface", "contours"};
    std::vector<ToolOption> options;
    options.push_back(
        {.name = "surface",
         .help = "FILE or FILE:LABEL: the surface of a label (default 1) of a label map, 3D or 4D, "
                 "or a mesh (.vtp .stl .ply .obj .vtk) of the first frame",
         .draws = drawn,
         .shows = drawn,
         .set = byUser([](SurfaceChoice& choice, const OptionValues& values) {
             choice = surfaceFromOption(values.front());
         }),
         .get = whileOn([](const SurfaceChoice& choice) -> std::optional<OptionValues> {
             if (choice.source == SurfaceOrigin::Mesh)
                 return OptionValues{choice.file};
             if (choice.source == SurfaceOrigin::Labels)
                 return OptionValues{fmt::format("{}:{}", choice.file, choice.label)};
             return std::nullopt;
         })});
    options.push_back({.name = "surface-threshold",
                       .help = "The surface that encloses the gray values above this one",
                       .form = ToolOption::Form::Numbers,
                       .excludes = {"surface"},
                       .draws = drawn,
                       .shows = drawn,
                       .set = byUser([](SurfaceChoice& choice, const OptionValues& values) {
                           choice.source = SurfaceOrigin::Threshold;
                           choice.threshold = numberOf(values.front());
                           choice.carried = true;
                       }),
                       .get = whileOn([](const SurfaceChoice& choice) {
                           return choice.source == SurfaceOrigin::Threshold
                                      ? std::optional(OptionValues{exactText(choice.threshold)})
                                      : std::nullopt;
                       })});
    options.push_back(
        {.name = "surface-label",
         .help = "The label of the segmentation whose surface is shown: 1 chamber, 2 wall",
         .form = ToolOption::Form::Numbers,
         .minimum = 1,
         .maximum = 255,
         .whole = true,
         .set = byUser([](SurfaceChoice& choice, const OptionValues& values) {
             choice.label = static_cast<int>(numberOf(values.front()));
         }),
         .get = whileOn([](const SurfaceChoice& choice) {
             return choice.source == SurfaceOrigin::Segmentation && choice.label != 1
                        ? std::optional(OptionValues{fmt::format("{}", choice.label)})
                        : std::nullopt;
         })});
    options.push_back(
        {.name = "surface-per-frame",
         .help = "Extract the surface of every frame from its own labels or gray values; without "
                 "it that of the first frame is carried along by the motion",
         .form = ToolOption::Form::Switch,
         .shows = drawn,
         .set = byUser([](SurfaceChoice& choice, const OptionValues&) {
             if (choice.source == SurfaceOrigin::Mesh)
                 throw UsageError("--surface-per-frame: a mesh belongs to the first frame and "
                                  "can't be extracted from the others");
             choice.carried = false;
         }),
         .get = whileOn([](const SurfaceChoice& choice) {
             return switchedOn(!choice.isCarried() && choice.source != SurfaceOrigin::Segmentation);
         })});
    options.push_back(
        {.name = "surface-carried",
         .help = "Carry the segmented surface of the first frame along by the motion",
         .form = ToolOption::Form::Switch,
         .set = byUser([](SurfaceChoice& choice, const OptionValues&) { choice.carried = true; }),
         .get = whileOn([](const SurfaceChoice& choice) {
             return switchedOn(choice.carried && choice.source == SurfaceOrigin::Segmentation);
         })});
    options.push_back(
        {.name = "surface-denoise",
         .help = "Denoise the surface by non-local means (preset live); the original surface is "
                 "then its ghost",
         .form = ToolOption::Form::Switch,
         .shows = drawn,
         .set = byUser([](SurfaceChoice& choice, const OptionValues&) {
             if (choice.source == SurfaceOrigin::Mesh)
                 throw UsageError("--surface-denoise: a mesh is shown as it is; 'systole denoise' "
                                  "makes a denoised one from it");
             choice.denoise = true;
         }),
         .get = whileOn([](const SurfaceChoice& choice) { return switchedOn(choice.denoise); })});
    options.push_back(
        {.name = "surface-preset",
         .help = "Preset of --surface-denoise: live, or default, which is stronger and slower",
         .choices = nonlocalMeansTable().presets(),
         .shows = drawn,
         .set = byUser([](SurfaceChoice& choice, const OptionValues& values) {
             choice.denoising = ParamSet(nonlocalMeansTable(), values.front());
         })});
    options.push_back({.name = "surface-set",
                       .help = "NAME=VALUE: a parameter of --surface-denoise",
                       .form = ToolOption::Form::Repeatable,
                       .needs = {"surface-denoise"},
                       .set = byUser([](SurfaceChoice& choice, const OptionValues& values) {
                           for (const std::string& text : values)
                               assignParameter(choice.denoising, text, "--surface-set");
                       }),
                       .get = whileOn([](const SurfaceChoice& choice) {
                           return unlessEmpty(
                               choice.denoise
                                   ? changedParameters(choice.denoising,
                                                       ParamSet(nonlocalMeansTable(), usualPreset))
                                   : OptionValues{});
                       })});
    return {{"surface", "A surface over the frames", std::move(options), checkTogether}};
}

} // namespace systole
